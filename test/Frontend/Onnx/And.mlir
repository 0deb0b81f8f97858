// RUN: dynac-check %s
// y = a & b.

func.func @table() {
  %a = check.input dense<[false, false, true, true]> : tensor<4xi1>
  %b = check.input dense<[false, true, false, true]> : tensor<4xi1>
  %c = model.node "onnx.And" opset 7 (%a, %b) {} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.equal %c, dense<[false, false, false, true]> : tensor<4xi1>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[true], [false]]> : tensor<2x1xi1>
  %b = check.input dense<[true, false]> : tensor<2xi1>
  %c = model.node "onnx.And" opset 7 (%a, %b) {} : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  check.equal %c, dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  return
}

func.func @scalars() {
  %a = check.input dense<true> : tensor<i1>
  %b = check.input dense<false> : tensor<i1>
  %c = model.node "onnx.And" opset 7 (%a, %b) {} : (tensor<i1>, tensor<i1>) -> tensor<i1>
  check.equal %c, dense<false> : tensor<i1>
  return
}
