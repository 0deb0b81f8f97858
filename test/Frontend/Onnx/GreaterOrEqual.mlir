// RUN: dynac-check %s
// y = a >= b; NaN is not comparable.

func.func @float() {
  %a = check.input dense<[1.0, 2.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %b = check.input dense<[2.0, 2.0, 1.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %c = model.node "onnx.GreaterOrEqual" opset 16 (%a, %b) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.equal %c, dense<[false, true, true, false, true]> : tensor<5xi1>
  return
}

// Doubles would not tell these apart.
func.func @integer() {
  %a = check.input dense<[9007199254740993, -1]> : tensor<2xi64>
  %b = check.input dense<[9007199254740992, 0]> : tensor<2xi64>
  %c = model.node "onnx.GreaterOrEqual" opset 12 (%a, %b) {} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  check.equal %c, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @unsigned() {
  %a = check.input dense<[255, 1]> : tensor<2xui8>
  %b = check.input dense<[0, 1]> : tensor<2xui8>
  %c = model.node "onnx.GreaterOrEqual" opset 16 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  check.equal %c, dense<[true, true]> : tensor<2xi1>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %b = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = model.node "onnx.GreaterOrEqual" opset 16 (%a, %b) {} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.equal %c, dense<[[true, false, false], [true, true, true]]> : tensor<2x3xi1>
  return
}
