// RUN: dynac-check %s
// grid[n, h, w] = theta[n] * (x, y, 1), x and y from -1 to 1 over the size, at pixels' corners or centres.

func.func @corners() {
  %theta = check.input dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]> : tensor<1x2x3xf32>
  %size = check.constant dense<[1, 1, 2, 3]> : tensor<4xi64>
  %grid = model.node "onnx.AffineGrid" opset 20 (%theta, %size) {align_corners = 1} :
    (tensor<1x2x3xf32>, tensor<4xi64>) -> tensor<1x2x3x2xf32>
  check.equal %grid, dense<[[[[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]], [[-1.0, 1.0], [0.0, 1.0],
                            [1.0, 1.0]]]]> : tensor<1x2x3x2xf32>
  return
}

func.func @centres() {
  %theta = check.input dense<[[[2.0, 0.0, 1.0], [0.0, 1.0, -1.0]]]> : tensor<1x2x3xf32>
  %size = check.constant dense<[1, 1, 2, 2]> : tensor<4xi64>
  %grid = model.node "onnx.AffineGrid" opset 20 (%theta, %size) {} :
    (tensor<1x2x3xf32>, tensor<4xi64>) -> tensor<1x2x2x2xf32>
  check.equal %grid, dense<[[[[0.0, -1.5], [2.0, -1.5]], [[0.0, -0.5], [2.0, -0.5]]]]> : tensor<1x2x2x2xf32>
  return
}

func.func @three_dimensions() {
  %theta = check.input dense<[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5]]]> : tensor<1x3x4xf32>
  %size = check.constant dense<[1, 1, 1, 1, 2]> : tensor<5xi64>
  %grid = model.node "onnx.AffineGrid" opset 20 (%theta, %size) {align_corners = 0} :
    (tensor<1x3x4xf32>, tensor<5xi64>) -> tensor<1x1x1x2x3xf32>
  check.equal %grid, dense<[[[[[-0.5, 0.0, 0.5], [0.5, 0.0, 0.5]]]]]> : tensor<1x1x1x2x3xf32>
  return
}

func.func @one_place_between_corners() {
  %theta = check.input dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]> : tensor<1x2x3xf32>
  %size = check.constant dense<[1, 1, 1, 2]> : tensor<4xi64>
  %grid = model.node "onnx.AffineGrid" opset 20 (%theta, %size) {align_corners = 1} :
    (tensor<1x2x3xf32>, tensor<4xi64>) -> tensor<1x1x2x2xf32>
  check.equal %grid, dense<[[[[-1.0, -1.0], [1.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  return
}
