// RUN: dynac-check %s
// y[i][j] = x[index[i][j]][j] for axis 0, and so on.

func.func @axis_0() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[[1, 0, 1]]> : tensor<1x3xi64>
  %y = model.node "onnx.GatherElements" opset 13 (%x, %indices) {} :
    (tensor<2x3xf32>, tensor<1x3xi64>) -> tensor<1x3xf32>
  check.equal %y, dense<[[4.0, 2.0, 6.0]]> : tensor<1x3xf32>
  return
}

func.func @axis_1() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[[2, -1], [0, -3]]> : tensor<2x2xi32>
  %y = model.node "onnx.GatherElements" opset 11 (%x, %indices) {axis = 1} :
    (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[3.0, 3.0], [4.0, 4.0]]> : tensor<2x2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[1, 2, 3]> : tensor<3xi8>
  %indices = check.input dense<[2, 2]> : tensor<2xi64>
  %y = model.node "onnx.GatherElements" opset 13 (%x, %indices) {axis = -1} :
    (tensor<3xi8>, tensor<2xi64>) -> tensor<2xi8>
  check.equal %y, dense<[3, 3]> : tensor<2xi8>
  return
}
