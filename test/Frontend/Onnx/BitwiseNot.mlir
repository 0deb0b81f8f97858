// RUN: dynac-check %s
// y = ~x.

func.func @signed() {
  %x = check.input dense<[0, -1, 5]> : tensor<3xi32>
  %y = model.node "onnx.BitwiseNot" opset 18 (%x) {} : (tensor<3xi32>) -> tensor<3xi32>
  check.equal %y, dense<[-1, 0, -6]> : tensor<3xi32>
  return
}

func.func @unsigned() {
  %x = check.input dense<[0, 15, 255]> : tensor<3xui8>
  %y = model.node "onnx.BitwiseNot" opset 18 (%x) {} : (tensor<3xui8>) -> tensor<3xui8>
  check.equal %y, dense<[255, 240, 0]> : tensor<3xui8>
  return
}

func.func @wide() {
  %x = check.input dense<[0, 1]> : tensor<2xui64>
  %y = model.node "onnx.BitwiseNot" opset 18 (%x) {} : (tensor<2xui64>) -> tensor<2xui64>
  check.equal %y, dense<[18446744073709551615, 18446744073709551614]> : tensor<2xui64>
  return
}
