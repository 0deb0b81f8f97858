// RUN: dynac-check %s
// y = e^x: 0 and infinity beyond the range.

func.func @values() {
  %x = check.input dense<[0xFF800000, -200.0, -1.0, 0.0, 1.0, 88.0, 89.0, 0x7FC00000]> : tensor<8xf32>
  %y = model.node "onnx.Exp" opset 13 (%x) {} : (tensor<8xf32>) -> tensor<8xf32>
  check.close %y, dense<[0.0, 0.0, 0.3678795, 1.0, 2.718282, 1.651636e38, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 1.0]> : tensor<3xf16>
  %y = model.node "onnx.Exp" opset 13 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[0.368, 1.0, 2.719]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, 0.0, 1.0]]> : tensor<1x3xf64>
  %y = model.node "onnx.Exp" opset 13 (%x) {} : (tensor<1x3xf64>) -> tensor<1x3xf64>
  check.close %y, dense<[[0.36787944117144233, 1.0, 2.718281828459045]]> : tensor<1x3xf64> {rtol = 1.0e-12}
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<0x3xf32>
  %y = model.node "onnx.Exp" opset 13 (%x) {} : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.equal %y, dense<> : tensor<0x3xf32>
  return
}
