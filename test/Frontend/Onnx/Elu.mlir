// RUN: dynac-check %s
// y = x where x >= 0, otherwise alpha * (e^x - 1).

func.func @alpha_by_default() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Elu" opset 22 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-0.9816844, -0.6321205, 0.0, 0.5, 3.0]> : tensor<5xf32>
  return
}

func.func @alpha() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Elu" opset 6 (%x) {alpha = 2.0} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-1.963369, -1.264241, 0.0, 0.5, 3.0]> : tensor<5xf32>
  return
}

// e^x - 1 without cancellation.
func.func @near_zero() {
  %x = check.input dense<[-1.0e-5]> : tensor<1xf32>
  %y = model.node "onnx.Elu" opset 6 (%x) {} : (tensor<1xf32>) -> tensor<1xf32>
  check.close %y, dense<[-9.99995e-6]> : tensor<1xf32> {atol = 1.0e-10}
  return
}
