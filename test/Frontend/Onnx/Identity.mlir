// RUN: dynac-check %s
// y = x.

func.func @float() {
  %x = check.input dense<[[1.0, 0x7FC00000], [-0.0, 0x7F800000]]> : tensor<2x2xf32>
  %y = model.node "onnx.Identity" opset 16 (%x) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[1.0, 0x7FC00000], [-0.0, 0x7F800000]]> : tensor<2x2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  %y = model.node "onnx.Identity" opset 14 (%x) {} : (tensor<2xi64>) -> tensor<2xi64>
  check.equal %y, dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  return
}

func.func @bool() {
  %x = check.input dense<[true, false]> : tensor<2xi1>
  %y = model.node "onnx.Identity" opset 13 (%x) {} : (tensor<2xi1>) -> tensor<2xi1>
  check.equal %y, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<2x0xf16>
  %y = model.node "onnx.Identity" opset 13 (%x) {} : (tensor<2x0xf16>) -> tensor<2x0xf16>
  check.equal %y, dense<> : tensor<2x0xf16>
  return
}

func.func @scalar() {
  %x = check.input dense<3.0> : tensor<f32>
  %y = model.node "onnx.Identity" opset 1 (%x) {} : (tensor<f32>) -> tensor<f32>
  check.equal %y, dense<3.0> : tensor<f32>
  return
}
