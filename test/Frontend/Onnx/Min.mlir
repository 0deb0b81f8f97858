// RUN: dynac-check %s
// y = the smallest of the operands; NaN wins.

func.func @three() {
  %a = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %b = check.input dense<[4.0, 2.0]> : tensor<2xf32>
  %c = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %min = model.node "onnx.Min" opset 13 (%a, %b, %c) {} :
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %min, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @one() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %min = model.node "onnx.Min" opset 8 (%a) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %min, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [4.0]]> : tensor<2x1xf32>
  %b = check.input dense<[2.0, 3.0]> : tensor<2xf32>
  %min = model.node "onnx.Min" opset 13 (%a, %b) {} : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.equal %min, dense<[[1.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  return
}

func.func @not_a_number() {
  %a = check.input dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = check.input dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %min = model.node "onnx.Min" opset 13 (%a, %b) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %min, dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  return
}

func.func @integer() {
  %a = check.input dense<[-128, 5]> : tensor<2xi8>
  %b = check.input dense<[3, 127]> : tensor<2xi8>
  %min = model.node "onnx.Min" opset 12 (%a, %b) {} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  check.equal %min, dense<[-128, 5]> : tensor<2xi8>
  return
}

func.func @unsigned() {
  %a = check.input dense<[200, 5]> : tensor<2xui8>
  %b = check.input dense<[100, 6]> : tensor<2xui8>
  %min = model.node "onnx.Min" opset 13 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  check.equal %min, dense<[100, 5]> : tensor<2xui8>
  return
}
