// RUN: dynac-check %s
// y = on_value at the index along the new axis, off_value elsewhere; an index outside [-depth, depth) has no 1.

func.func @last_axis() {
  %indices = check.input dense<[0, 2, -1]> : tensor<3xi64>
  %depth = check.constant dense<3> : tensor<i64>
  %values = check.input dense<[0.0, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.OneHot" opset 11 (%indices, %depth, %values) {} :
    (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf32>
  return
}

func.func @axis_0() {
  %indices = check.input dense<[1, 0]> : tensor<2xi64>
  %depth = check.constant dense<[2]> : tensor<1xi64>
  %values = check.input dense<[5, 7]> : tensor<2xi32>
  %y = model.node "onnx.OneHot" opset 9 (%indices, %depth, %values) {axis = 0} :
    (tensor<2xi64>, tensor<1xi64>, tensor<2xi32>) -> tensor<2x2xi32>
  check.equal %y, dense<[[5, 7], [7, 5]]> : tensor<2x2xi32>
  return
}

func.func @outside() {
  %indices = check.input dense<[3, -4, 1]> : tensor<3xi64>
  %depth = check.constant dense<3> : tensor<i64>
  %values = check.input dense<[0.0, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.OneHot" opset 11 (%indices, %depth, %values) {} :
    (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<3x3xf32>
  return
}

func.func @float_indices() {
  %indices = check.input dense<[1.0, 0.0]> : tensor<2xf32>
  %depth = check.constant dense<2.0> : tensor<f32>
  %values = check.input dense<[false, true]> : tensor<2xi1>
  %y = model.node "onnx.OneHot" opset 11 (%indices, %depth, %values) {} :
    (tensor<2xf32>, tensor<f32>, tensor<2xi1>) -> tensor<2x2xi1>
  check.equal %y, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  return
}
