// RUN: dynac-check %s
// y = a / b; the quotient of integers is cut towards 0.

func.func @float() {
  %a = check.input dense<[1.0, -1.0, 0.0, 7.0]> : tensor<4xf32>
  %b = check.input dense<[0.0, 0.0, 0.0, 2.0]> : tensor<4xf32>
  %c = model.node "onnx.Div" opset 14 (%a, %b) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  check.equal %c, dense<[0x7F800000, 0xFF800000, 0x7FC00000, 3.5]> : tensor<4xf32>
  return
}

func.func @integer() {
  %a = check.input dense<[7, -7, 7, -7]> : tensor<4xi32>
  %b = check.input dense<[2, 2, -2, -2]> : tensor<4xi32>
  %c = model.node "onnx.Div" opset 14 (%a, %b) {} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  check.equal %c, dense<[3, -3, -3, 3]> : tensor<4xi32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[3.0, 6.0]]> : tensor<1x2xf32>
  %b = check.input dense<[[3.0], [2.0]]> : tensor<2x1xf32>
  %c = model.node "onnx.Div" opset 14 (%a, %b) {} : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  check.equal %c, dense<[[1.0, 2.0], [1.5, 3.0]]> : tensor<2x2xf32>
  return
}

func.func @unsigned() {
  %a = check.input dense<[200]> : tensor<1xui8>
  %b = check.input dense<[7]> : tensor<1xui8>
  %c = model.node "onnx.Div" opset 14 (%a, %b) {} : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  check.equal %c, dense<[28]> : tensor<1xui8>
  return
}
