// RUN: dynac-check %s
// y = the largest of the operands; NaN wins.

func.func @three() {
  %a = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %b = check.input dense<[4.0, 2.0]> : tensor<2xf32>
  %c = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %max = model.node "onnx.Max" opset 13 (%a, %b, %c) {} :
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %max, dense<[4.0, 5.0]> : tensor<2xf32>
  return
}

func.func @one() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %max = model.node "onnx.Max" opset 8 (%a) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %max, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [4.0]]> : tensor<2x1xf32>
  %b = check.input dense<[2.0, 3.0]> : tensor<2xf32>
  %max = model.node "onnx.Max" opset 13 (%a, %b) {} : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.equal %max, dense<[[2.0, 3.0], [4.0, 4.0]]> : tensor<2x2xf32>
  return
}

func.func @not_a_number() {
  %a = check.input dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = check.input dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %max = model.node "onnx.Max" opset 13 (%a, %b) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %max, dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  return
}

func.func @integer() {
  %a = check.input dense<[-128, 5]> : tensor<2xi8>
  %b = check.input dense<[3, 127]> : tensor<2xi8>
  %max = model.node "onnx.Max" opset 12 (%a, %b) {} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  check.equal %max, dense<[3, 127]> : tensor<2xi8>
  return
}

func.func @unsigned() {
  %a = check.input dense<[200, 5]> : tensor<2xui8>
  %b = check.input dense<[100, 6]> : tensor<2xui8>
  %max = model.node "onnx.Max" opset 13 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  check.equal %max, dense<[200, 6]> : tensor<2xui8>
  return
}
