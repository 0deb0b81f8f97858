// RUN: dynac-check %s
// y = x, and at each tuple of indices the updates; `reduction` combines with what was there.

func.func @elements() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %indices = check.input dense<[[3], [0]]> : tensor<2x1xi64>
  %updates = check.input dense<[9.0, 8.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterND" opset 16 (%x, %indices, %updates) {} :
    (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  check.equal %y, dense<[8.0, 2.0, 3.0, 9.0]> : tensor<4xf32>
  return
}

func.func @rows() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %indices = check.input dense<[[1]]> : tensor<1x1xi64>
  %updates = check.input dense<[[7.0, 8.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.ScatterND" opset 11 (%x, %indices, %updates) {} :
    (tensor<2x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[1.0, 2.0], [7.0, 8.0]]> : tensor<2x2xf32>
  return
}

func.func @add() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %indices = check.input dense<[[0], [0]]> : tensor<2x1xi64>
  %updates = check.input dense<[10.0, 20.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterND" opset 16 (%x, %indices, %updates) {reduction = "add"} :
    (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[31.0, 2.0]> : tensor<2xf32>
  return
}

func.func @mul() {
  %x = check.input dense<[[2, 3]]> : tensor<1x2xi64>
  %indices = check.input dense<[[0, 1]]> : tensor<1x2xi64>
  %updates = check.input dense<[5]> : tensor<1xi64>
  %y = model.node "onnx.ScatterND" opset 18 (%x, %indices, %updates) {reduction = "mul"} :
    (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1xi64>) -> tensor<1x2xi64>
  check.equal %y, dense<[[2, 15]]> : tensor<1x2xi64>
  return
}

func.func @max() {
  %x = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %indices = check.input dense<[[0], [1]]> : tensor<2x1xi64>
  %updates = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterND" opset 18 (%x, %indices, %updates) {reduction = "max"} :
    (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[3.0, 5.0]> : tensor<2xf32>
  return
}

func.func @min() {
  %x = check.input dense<[1.0, 5.0]> : tensor<2xf32>
  %indices = check.input dense<[[0], [1]]> : tensor<2x1xi64>
  %updates = check.input dense<[3.0, 3.0]> : tensor<2xf32>
  %y = model.node "onnx.ScatterND" opset 18 (%x, %indices, %updates) {reduction = "min"} :
    (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 3.0]> : tensor<2xf32>
  return
}

func.func @negative() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %indices = check.input dense<[[-1]]> : tensor<1x1xi64>
  %updates = check.input dense<[0.0]> : tensor<1xf32>
  %y = model.node "onnx.ScatterND" opset 16 (%x, %indices, %updates) {} :
    (tensor<3xf32>, tensor<1x1xi64>, tensor<1xf32>) -> tensor<3xf32>
  check.equal %y, dense<[1.0, 2.0, 0.0]> : tensor<3xf32>
  return
}

// Of several updates of one place the last counts.
func.func @the_last_counts() {
  %x = check.input dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
  %indices = check.input dense<[[1], [2], [1]]> : tensor<3x1xi64>
  %updates = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = model.node "onnx.ScatterND" opset 18 (%x, %indices, %updates) {} :
    (tensor<3xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<3xf32>
  check.equal %y, dense<[0.0, 3.0, 2.0]> : tensor<3xf32>
  return
}
