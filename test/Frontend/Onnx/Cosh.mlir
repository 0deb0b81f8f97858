// RUN: dynac-check %s
// y = cosh(x) = (e^x + e^-x) / 2.

func.func @values() {
  %x = check.input dense<[-1.0, 0.0, 0.5, 3.0, 100.0]> : tensor<5xf32>
  %y = model.node "onnx.Cosh" opset 9 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[1.543081, 1.0, 1.127626, 10.06766, 0x7F800000]> : tensor<5xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 0.5, 3.0]> : tensor<4xf16>
  %y = model.node "onnx.Cosh" opset 9 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[1.543, 1.0, 1.128, 10.07]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}
