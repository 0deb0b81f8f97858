// RUN: dynac-check %s
// y = 1 / x.

func.func @values() {
  %x = check.input dense<[1.0, -4.0, 3.0, 0.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %y = model.node "onnx.Reciprocal" opset 13 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[1.0, -0.25, 0.3333333, 0x7F800000, 0.0, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[1.0, -4.0, 3.0, 0.0]> : tensor<4xf16>
  %y = model.node "onnx.Reciprocal" opset 13 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[1.0, -0.25, 0.3333, 0x7C00]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[1.0, -4.0], [3.0, 0.0]]> : tensor<2x2xf64>
  %y = model.node "onnx.Reciprocal" opset 13 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[1.0, -0.25], [0.3333333333, 0x7FF0000000000000]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
