// RUN: dynac-check %s
// y = x is no number.

func.func @values() {
  %x = check.input dense<[0x7FC00000, 0.0, 0x7F800000, 0xFF800000, 1.0]> : tensor<5xf32>
  %y = model.node "onnx.IsNaN" opset 9 (%x) {} : (tensor<5xf32>) -> tensor<5xi1>
  check.equal %y, dense<[true, false, false, false, false]> : tensor<5xi1>
  return
}

func.func @half() {
  %x = check.input dense<[0x7E00, 6.55e4]> : tensor<2xf16>
  %y = model.node "onnx.IsNaN" opset 13 (%x) {} : (tensor<2xf16>) -> tensor<2xi1>
  check.equal %y, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @version_20() {
  %x = check.input dense<[0x7FC0, 1.0]> : tensor<2xbf16>
  %y = model.node "onnx.IsNaN" opset 20 (%x) {} : (tensor<2xbf16>) -> tensor<2xi1>
  check.equal %y, dense<[true, false]> : tensor<2xi1>
  return
}
