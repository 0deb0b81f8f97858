// RUN: dynac-check %s
// y = gamma * x where x > 0, otherwise gamma * alpha * (e^x - 1).

func.func @by_default() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Selu" opset 6 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-1.725899, -1.111331, 0.0, 0.5253505, 3.152103]> : tensor<5xf32>
  return
}

func.func @both() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Selu" opset 22 (%x) {alpha = 2.0, gamma = 3.0} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-5.890106, -3.792723, 0.0, 1.5, 9.0]> : tensor<5xf32>
  return
}
