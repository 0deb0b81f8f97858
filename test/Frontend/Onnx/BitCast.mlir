// RUN: dynac-check %s
// y = the bits of x as another type of the same width.

func.func @float_to_integer() {
  %x = check.input dense<[1.0, -0.0]> : tensor<2xf32>
  %y = model.node "onnx.BitCast" opset 26 (%x) {to = 6} : (tensor<2xf32>) -> tensor<2xi32>
  check.equal %y, dense<[1065353216, -2147483648]> : tensor<2xi32>
  return
}

func.func @integer_to_float() {
  %x = check.input dense<[15360, 31744]> : tensor<2xui16>
  %y = model.node "onnx.BitCast" opset 26 (%x) {to = 10} : (tensor<2xui16>) -> tensor<2xf16>
  check.equal %y, dense<[1.0, 0x7C00]> : tensor<2xf16>
  return
}
