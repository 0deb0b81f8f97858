// RUN: dynac-check %s
// y = x > threshold ? 1 : 0.

func.func @by_default() {
  %x = check.input dense<[-1.0, 0.0, 0.5]> : tensor<3xf32>
  %y = model.node "ai.onnx.ml.Binarizer" opset 1 (%x) {} : (tensor<3xf32>) -> tensor<3xf32>
  check.equal %y, dense<[0.0, 0.0, 1.0]> : tensor<3xf32>
  return
}

func.func @threshold() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = model.node "ai.onnx.ml.Binarizer" opset 1 (%x) {threshold = 2.0} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  check.equal %y, dense<[[0.0, 0.0, 1.0]]> : tensor<1x3xf32>
  return
}
