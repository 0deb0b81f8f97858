// RUN: dynac-check %s
// y = the smallest integer that is not below x.

func.func @values() {
  %x = check.input dense<[-1.5, -0.2, 0.0, 1.1, 3.0, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %y = model.node "onnx.Ceil" opset 13 (%x) {} : (tensor<7xf32>) -> tensor<7xf32>
  check.equal %y, dense<[-1.0, -0.0, 0.0, 2.0, 3.0, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  return
}

// Beyond 2^23 there are no fractions.
func.func @large() {
  %x = check.input dense<[1.6777216e7, -8.388609e6]> : tensor<2xf32>
  %y = model.node "onnx.Ceil" opset 13 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.6777216e7, -8.388609e6]> : tensor<2xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-2.5, 0.25, 1.0e2]> : tensor<3xf16>
  %y = model.node "onnx.Ceil" opset 13 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.equal %y, dense<[-2.0, 1.0, 1.0e2]> : tensor<3xf16>
  return
}
