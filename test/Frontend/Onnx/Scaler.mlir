// RUN: dynac-check %s
// y = (x - offset) * scale for each column.

func.func @columns() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.Scaler" opset 1 (%x) {offset = [1.0, 2.0], scale = [10.0, 0.5]} :
    (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[0.0, 0.0], [20.0, 1.0]]> : tensor<2x2xf32>
  return
}

func.func @one_for_all() {
  %x = check.input dense<[[1.0, 3.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.Scaler" opset 1 (%x) {offset = [1.0], scale = [2.0]} :
    (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[0.0, 4.0]]> : tensor<1x2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[5]]> : tensor<1x1xi64>
  %y = model.node "ai.onnx.ml.Scaler" opset 1 (%x) {offset = [1.0], scale = [0.5]} :
    (tensor<1x1xi64>) -> tensor<1x1xf32>
  check.close %y, dense<[[2.0]]> : tensor<1x1xf32>
  return
}
