// RUN: dynac-check %s
// y = x where x > alpha, otherwise 0.

func.func @alpha_by_default() {
  %x = check.input dense<[-1.0, 0.5, 1.0, 2.0]> : tensor<4xf32>
  %y = model.node "onnx.ThresholdedRelu" opset 10 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.0, 0.0, 2.0]> : tensor<4xf32>
  return
}

func.func @alpha() {
  %x = check.input dense<[-1.0, 0.5, 2.0, 3.0]> : tensor<4xf32>
  %y = model.node "onnx.ThresholdedRelu" opset 22 (%x) {alpha = 2.0} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.0, 0.0, 3.0]> : tensor<4xf32>
  return
}
