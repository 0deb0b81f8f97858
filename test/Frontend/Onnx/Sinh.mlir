// RUN: dynac-check %s
// y = sinh(x) = (e^x - e^-x) / 2, exact near 0.

func.func @values() {
  %x = check.input dense<[-1.0, 0.0, 1.0e-4, 3.0, -89.0, 200.0]> : tensor<6xf32>
  %y = model.node "onnx.Sinh" opset 9 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[-1.175201, 0.0, 1.0e-4, 10.01787, -2.244806e38, 0x7F800000]> : tensor<6xf32> {atol = 1.0e-9}
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 0.0001, 3.0]> : tensor<4xf16>
  %y = model.node "onnx.Sinh" opset 9 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-1.175, 0.0, 0.0001, 10.016]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}
