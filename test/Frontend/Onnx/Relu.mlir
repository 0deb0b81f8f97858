// RUN: dynac-check %s
// y = max(x, 0), NaN stays NaN.

func.func @float() {
  %x = check.input dense<[-1.0, 0.0, 2.5, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %y = model.node "onnx.Relu" opset 14 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.equal %y, dense<[0.0, 0.0, 2.5, 0x7F800000, 0.0, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[-128, -1, 0, 127]> : tensor<4xi8>
  %y = model.node "onnx.Relu" opset 14 (%x) {} : (tensor<4xi8>) -> tensor<4xi8>
  check.equal %y, dense<[0, 0, 0, 127]> : tensor<4xi8>
  return
}

func.func @half() {
  %x = check.input dense<[[-1.0], [3.0]]> : tensor<2x1xf16>
  %y = model.node "onnx.Relu" opset 6 (%x) {} : (tensor<2x1xf16>) -> tensor<2x1xf16>
  check.equal %y, dense<[[0.0], [3.0]]> : tensor<2x1xf16>
  return
}
