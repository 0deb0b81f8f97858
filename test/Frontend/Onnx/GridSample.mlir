// RUN: dynac-check %s
// y = x at the places of the grid, of which -1 and 1 are the borders.

func.func @bilinear() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %grid = check.input dense<[[[[-1.0, -1.0], [0.0, 0.0]], [[0.5, 0.5], [1.5, 0.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.GridSample" opset 16 (%x, %grid) {} :
    (tensor<1x1x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[0.25, 2.5], [4.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @nearest_border() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %grid = check.input dense<[[[[-1.0, -1.0], [0.0, 0.0]], [[0.5, 0.5], [1.5, 0.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.GridSample" opset 16 (%x, %grid) {mode = "nearest", padding_mode = "border"} :
    (tensor<1x1x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.0, 1.0], [4.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @align_corners() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %grid = check.input dense<[[[[-1.0, -1.0], [0.0, 0.0]], [[0.5, 0.5], [1.5, 0.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.GridSample" opset 16 (%x, %grid) {align_corners = 1} :
    (tensor<1x1x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.0, 2.5], [3.25, 2.25]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @reflection() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %grid = check.input dense<[[[[-1.0, -1.0], [0.0, 0.0]], [[0.5, 0.5], [1.5, 0.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.GridSample" opset 20 (%x, %grid) {mode = "linear", padding_mode = "reflection"} :
    (tensor<1x1x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.0, 2.5], [4.0, 3.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @cubic() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0],
                          [12.0, 13.0, 14.0, 15.0]]]]> : tensor<1x1x4x4xf32>
  %grid = check.input dense<[[[[0.1, -0.2]]]]> : tensor<1x1x1x2xf32>
  %y = model.node "onnx.GridSample" opset 20 (%x, %grid) {mode = "cubic"} :
    (tensor<1x1x4x4xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x1xf32>
  check.close %y, dense<[[[[6.202003]]]]> : tensor<1x1x1x1xf32>
  return
}
