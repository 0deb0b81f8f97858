// RUN: dynac-check %s
// y = x is an infinity, of a sign that detect_positive and detect_negative ask for.

func.func @both() {
  %x = check.input dense<[0x7F800000, 0xFF800000, 0x7FC00000, 3.0e38]> : tensor<4xf32>
  %y = model.node "onnx.IsInf" opset 10 (%x) {} : (tensor<4xf32>) -> tensor<4xi1>
  check.equal %y, dense<[true, true, false, false]> : tensor<4xi1>
  return
}

func.func @positive() {
  %x = check.input dense<[0x7F800000, 0xFF800000, 0.0]> : tensor<3xf32>
  %y = model.node "onnx.IsInf" opset 10 (%x) {detect_negative = 0} : (tensor<3xf32>) -> tensor<3xi1>
  check.equal %y, dense<[true, false, false]> : tensor<3xi1>
  return
}

func.func @negative() {
  %x = check.input dense<[0x7C00, 0xFC00, 0.0]> : tensor<3xf16>
  %y = model.node "onnx.IsInf" opset 20 (%x) {detect_positive = 0} : (tensor<3xf16>) -> tensor<3xi1>
  check.equal %y, dense<[false, true, false]> : tensor<3xi1>
  return
}

func.func @neither() {
  %x = check.input dense<[0x7FF0000000000000, 0xFFF0000000000000]> : tensor<2xf64>
  %y = model.node "onnx.IsInf" opset 10 (%x) {detect_positive = 0, detect_negative = 0} :
    (tensor<2xf64>) -> tensor<2xi1>
  check.equal %y, dense<[false, false]> : tensor<2xi1>
  return
}
