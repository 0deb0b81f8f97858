// RUN: dynac-check %s
// y = sqrt(x), rounded correctly; NaN below 0.

func.func @values() {
  %x = check.input dense<[0.0, 2.0, 9.0, 1.0e-38, 0x7F800000, -1.0]> : tensor<6xf32>
  %y = model.node "onnx.Sqrt" opset 13 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[0.0, 1.414214, 3.0, 1.0e-19, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 2.0, 9.0, 0.0]> : tensor<4xf16>
  %y = model.node "onnx.Sqrt" opset 13 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0.0, 1.414, 3.0, 0.0]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[0.0, 2.0], [9.0, 1.0e-38]]> : tensor<2x2xf64>
  %y = model.node "onnx.Sqrt" opset 13 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[0.0, 1.414213562], [3.0, 1.0e-19]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<0x3xf32>
  %y = model.node "onnx.Sqrt" opset 13 (%x) {} : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.equal %y, dense<> : tensor<0x3xf32>
  return
}
