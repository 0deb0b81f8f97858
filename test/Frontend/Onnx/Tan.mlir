// RUN: dynac-check %s
// y = tan(x).

func.func @values() {
  %x = check.input dense<[0.0, 0.5, -1.0, 1.5, 100.0, 0x7F800000]> : tensor<6xf32>
  %y = model.node "onnx.Tan" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[0.0, 0.5463025, -1.557408, 14.10142, -0.5872139, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 0.5, -1.0, 1.5]> : tensor<4xf16>
  %y = model.node "onnx.Tan" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0.0, 0.5464, -1.558, 14.1]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[0.0, 0.5], [-1.0, 1.5]]> : tensor<2x2xf64>
  %y = model.node "onnx.Tan" opset 7 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[0.0, 0.5463024898], [-1.557407725, 14.10141995]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
