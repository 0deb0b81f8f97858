// RUN: dynac-check %s
// y = x as the type of the second operand.

func.func @to_integer() {
  %x = check.input dense<[1.7, -2.5]> : tensor<2xf32>
  %target_type = check.input dense<0> : tensor<i32>
  %y = model.node "onnx.CastLike" opset 15 (%x, %target_type) {} : (tensor<2xf32>, tensor<i32>) -> tensor<2xi32>
  check.equal %y, dense<[1, -2]> : tensor<2xi32>
  return
}

func.func @to_float() {
  %x = check.input dense<[1, -2]> : tensor<2xi64>
  %target_type = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf16>
  %y = model.node "onnx.CastLike" opset 19 (%x, %target_type) {} : (tensor<2xi64>, tensor<3xf16>) -> tensor<2xf16>
  check.equal %y, dense<[1.0, -2.0]> : tensor<2xf16>
  return
}

func.func @to_bool() {
  %x = check.input dense<[0, 5]> : tensor<2xi32>
  %target_type = check.input dense<> : tensor<0xi1>
  %y = model.node "onnx.CastLike" opset 21 (%x, %target_type) {} : (tensor<2xi32>, tensor<0xi1>) -> tensor<2xi1>
  check.equal %y, dense<[false, true]> : tensor<2xi1>
  return
}
