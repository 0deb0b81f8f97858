// RUN: dynac-check %s
// y = a | b.

func.func @signed() {
  %a = check.input dense<[-1, 12, 0]> : tensor<3xi32>
  %b = check.input dense<[5, 10, -8]> : tensor<3xi32>
  %c = model.node "onnx.BitwiseOr" opset 18 (%a, %b) {} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.equal %c, dense<[-1, 14, -8]> : tensor<3xi32>
  return
}

func.func @unsigned() {
  %a = check.input dense<[240, 15]> : tensor<2xui8>
  %b = check.input dense<[60, 60]> : tensor<2xui8>
  %c = model.node "onnx.BitwiseOr" opset 18 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  check.equal %c, dense<[252, 63]> : tensor<2xui8>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1], [2]]> : tensor<2x1xui64>
  %b = check.input dense<[3, 6]> : tensor<2xui64>
  %c = model.node "onnx.BitwiseOr" opset 18 (%a, %b) {} : (tensor<2x1xui64>, tensor<2xui64>) -> tensor<2x2xui64>
  check.equal %c, dense<[[3, 7], [3, 6]]> : tensor<2x2xui64>
  return
}
