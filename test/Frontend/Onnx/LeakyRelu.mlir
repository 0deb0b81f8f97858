// RUN: dynac-check %s
// y = x where x >= 0, otherwise alpha * x.

func.func @alpha_by_default() {
  %x = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.LeakyRelu" opset 16 (%x) {} : (tensor<3xf32>) -> tensor<3xf32>
  check.close %y, dense<[-0.01, 0.0, 2.0]> : tensor<3xf32>
  return
}

func.func @alpha() {
  %x = check.input dense<[[-4.0], [8.0]]> : tensor<2x1xf32>
  %y = model.node "onnx.LeakyRelu" opset 6 (%x) {alpha = 0.25} : (tensor<2x1xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[-1.0], [8.0]]> : tensor<2x1xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf16>
  %y = model.node "onnx.LeakyRelu" opset 16 (%x) {alpha = 0.5} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[-0.5, 0.0, 2.0]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}
