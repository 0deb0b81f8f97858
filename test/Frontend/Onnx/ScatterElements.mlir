// RUN: dynac-check %s
// y = x, and y[indices[i][j]][j] = updates[i][j] for axis 0, and so on; `reduction` combines with what was there.

func.func @axis_0() {
  %x = check.input dense<0.0> : tensor<2x3xf32>
  %indices = check.input dense<[[1, 0, 1]]> : tensor<1x3xi64>
  %updates = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = model.node "onnx.ScatterElements" opset 16 (%x, %indices, %updates) {} :
    (tensor<2x3xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.equal %y, dense<[[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]> : tensor<2x3xf32>
  return
}

func.func @axis_1() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %indices = check.input dense<[[2, -3]]> : tensor<1x2xi64>
  %updates = check.input dense<[[9.0, 8.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.ScatterElements" opset 13 (%x, %indices, %updates) {axis = 1} :
    (tensor<1x3xf32>, tensor<1x2xi64>, tensor<1x2xf32>) -> tensor<1x3xf32>
  check.equal %y, dense<[[8.0, 2.0, 9.0]]> : tensor<1x3xf32>
  return
}

// The same place twice.
func.func @add() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %indices = check.input dense<[[1, 1]]> : tensor<1x2xi64>
  %updates = check.input dense<[[10.0, 20.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.ScatterElements" opset 18 (%x, %indices, %updates) {axis = -1, reduction = "add"} :
    (tensor<1x3xf32>, tensor<1x2xi64>, tensor<1x2xf32>) -> tensor<1x3xf32>
  check.equal %y, dense<[[1.0, 32.0, 3.0]]> : tensor<1x3xf32>
  return
}

func.func @mul() {
  %x = check.input dense<[2, 3]> : tensor<2xi32>
  %indices = check.input dense<[0, 0]> : tensor<2xi64>
  %updates = check.input dense<[5, 7]> : tensor<2xi32>
  %y = model.node "onnx.ScatterElements" opset 16 (%x, %indices, %updates) {reduction = "mul"} :
    (tensor<2xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2xi32>
  check.equal %y, dense<[70, 3]> : tensor<2xi32>
  return
}

func.func @max() {
  %x = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %indices = check.input dense<[0, 1]> : tensor<2xi64>
  %updates = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterElements" opset 18 (%x, %indices, %updates) {reduction = "max"} :
    (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[3.0, 5.0]> : tensor<2xf32>
  return
}

func.func @min() {
  %x = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %indices = check.input dense<[0, 1]> : tensor<2xi64>
  %updates = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterElements" opset 18 (%x, %indices, %updates) {reduction = "min"} :
    (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 3.0]> : tensor<2xf32>
  return
}
