// RUN: dynac-check %s
// y = atanh(x) = log((1 + x) / (1 - x)) / 2.

func.func @values() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.25, 1.0, 2.0]> : tensor<6xf32>
  %y = model.node "onnx.Atanh" opset 9 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[0xFF800000, -0.5493062, 0.0, 0.2554128, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.25]> : tensor<4xf16>
  %y = model.node "onnx.Atanh" opset 9 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0xFC00, -0.5493, 0.0, 0.2554]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, -0.5], [0.0, 0.25]]> : tensor<2x2xf64>
  %y = model.node "onnx.Atanh" opset 9 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[0xFFF0000000000000, -0.5493061443], [0.0, 0.2554128119]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
