// RUN: dynac-check %s
// 1 at the place of x in the list of categories.

func.func @integers() {
  %x = check.input dense<[[1, 5], [7, 2]]> : tensor<2x2xi64>
  %y = model.node "ai.onnx.ml.OneHotEncoder" opset 1 (%x) {cats_int64s = [1, 2, 5]} :
    (tensor<2x2xi64>) -> tensor<2x2x3xf32>
  check.equal %y, dense<[[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]> : tensor<2x2x3xf32>
  return
}
