// RUN: dynac-check %s
// y = max(0, x) + min(0, alpha * (e^(x / alpha) - 1)).

func.func @alpha_by_default() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Celu" opset 12 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-0.9816844, -0.6321205, 0.0, 0.5, 3.0]> : tensor<5xf32>
  return
}

func.func @alpha() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Celu" opset 12 (%x) {alpha = 2.0} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-1.729329, -0.7869387, 0.0, 0.5, 3.0]> : tensor<5xf32>
  return
}
