// RUN: dynac-check %s
// y = acos(x), NaN outside [-1, 1].

func.func @values() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.5, 1.0, 2.0]> : tensor<6xf32>
  %y = model.node "onnx.Acos" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[3.141593, 2.094395, 1.570796, 1.047198, 0.0, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.5]> : tensor<4xf16>
  %y = model.node "onnx.Acos" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[3.14, 2.094, 1.57, 1.047]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}
