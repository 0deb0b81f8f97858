// RUN: dynac-check %s
// y = max(0, min(1, alpha * x + beta)).

func.func @by_default() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 1.0, 4.0]> : tensor<5xf32>
  %y = model.node "onnx.HardSigmoid" opset 22 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[0.0, 0.3, 0.5, 0.7, 1.0]> : tensor<5xf32>
  return
}

func.func @both() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 1.0]> : tensor<4xf32>
  %y = model.node "onnx.HardSigmoid" opset 6 (%x) {alpha = 0.5, beta = 0.6} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.1, 0.6, 1.0]> : tensor<4xf32>
  return
}
