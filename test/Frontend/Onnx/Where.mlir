// RUN: dynac-check %s
// y = condition ? x : y.

func.func @same_shape() {
  %condition = check.input dense<[true, false]> : tensor<2xi1>
  %x = check.input dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %y = check.input dense<[0x7FC00000, 2.0]> : tensor<2xf32>
  %result = model.node "onnx.Where" opset 16 (%condition, %x, %y) {} :
    (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %result, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %condition = check.input dense<[[true], [false]]> : tensor<2x1xi1>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = check.input dense<9.0> : tensor<f32>
  %result = model.node "onnx.Where" opset 9 (%condition, %x, %y) {} :
    (tensor<2x1xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.equal %result, dense<[[1.0, 2.0], [9.0, 9.0]]> : tensor<2x2xf32>
  return
}

func.func @integer() {
  %condition = check.input dense<[true, false]> : tensor<2xi1>
  %x = check.input dense<[1, 2]> : tensor<2xi64>
  %y = check.input dense<[3, 4]> : tensor<2xi64>
  %result = model.node "onnx.Where" opset 16 (%condition, %x, %y) {} :
    (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  check.equal %result, dense<[1, 4]> : tensor<2xi64>
  return
}

func.func @bool() {
  %condition = check.input dense<[true, false]> : tensor<2xi1>
  %x = check.input dense<[false, false]> : tensor<2xi1>
  %y = check.input dense<[true, true]> : tensor<2xi1>
  %result = model.node "onnx.Where" opset 16 (%condition, %x, %y) {} :
    (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  check.equal %result, dense<[false, true]> : tensor<2xi1>
  return
}
