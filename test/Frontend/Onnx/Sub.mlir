// RUN: dynac-check %s
// y = a - b; integers wrap.

func.func @broadcast() {
  %a = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %b = check.input dense<[[1.0], [0.5]]> : tensor<2x1xf32>
  %c = model.node "onnx.Sub" opset 14 (%a, %b) {} : (tensor<1x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  check.equal %c, dense<[[0.0, 1.0, 2.0], [0.5, 1.5, 2.5]]> : tensor<2x3xf32>
  return
}

func.func @integer_wraps() {
  %a = check.input dense<[-128, 3]> : tensor<2xi8>
  %b = check.input dense<[1, 5]> : tensor<2xi8>
  %c = model.node "onnx.Sub" opset 14 (%a, %b) {} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  check.equal %c, dense<[127, -2]> : tensor<2xi8>
  return
}

func.func @unsigned_wraps() {
  %a = check.input dense<[1]> : tensor<1xui8>
  %b = check.input dense<[2]> : tensor<1xui8>
  %c = model.node "onnx.Sub" opset 14 (%a, %b) {} : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  check.equal %c, dense<[255]> : tensor<1xui8>
  return
}

func.func @infinities() {
  %a = check.input dense<[0x7FF0000000000000, 1.0]> : tensor<2xf64>
  %b = check.input dense<[0x7FF0000000000000, 0xFFF0000000000000]> : tensor<2xf64>
  %c = model.node "onnx.Sub" opset 7 (%a, %b) {} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  check.equal %c, dense<[0x7FF8000000000000, 0x7FF0000000000000]> : tensor<2xf64>
  return
}
