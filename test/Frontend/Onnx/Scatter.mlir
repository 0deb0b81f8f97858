// RUN: dynac-check %s
// y = x, and y[indices[i][j]][j] = updates[i][j] for axis 0, and so on.

func.func @axis_0() {
  %x = check.input dense<0.0> : tensor<2x3xf32>
  %indices = check.input dense<[[1, 0, 1]]> : tensor<1x3xi64>
  %updates = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = model.node "onnx.Scatter" opset 10 (%x, %indices, %updates) {} :
    (tensor<2x3xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.equal %y, dense<[[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]> : tensor<2x3xf32>
  return
}

func.func @axis_1() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %indices = check.input dense<[[2, -3]]> : tensor<1x2xi64>
  %updates = check.input dense<[[9.0, 8.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.Scatter" opset 10 (%x, %indices, %updates) {axis = 1} :
    (tensor<1x3xf32>, tensor<1x2xi64>, tensor<1x2xf32>) -> tensor<1x3xf32>
  check.equal %y, dense<[[8.0, 2.0, 9.0]]> : tensor<1x3xf32>
  return
}
