// RUN: dynac-check %s
// y = asinh(x) = log(x + sqrt(x^2 + 1)), exact near 0.

func.func @values() {
  %x = check.input dense<[-10.0, -1.0, 0.0, 1.0e-6, 2.0, 1000.0]> : tensor<6xf32>
  %y = model.node "onnx.Asinh" opset 9 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[-2.998223, -0.8813736, 0.0, 1.0e-6, 1.443635, 7.600903]> : tensor<6xf32> {atol = 1.0e-9}
  return
}

func.func @half() {
  %x = check.input dense<[-1.0e1, -1.0, 0.0, 1.0e-6]> : tensor<4xf16>
  %y = model.node "onnx.Asinh" opset 9 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-2.998, -0.8813, 0.0, 1.0e-6]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}
