// RUN: dynac-check %s
// y = x as a matrix: its rows are the axes before `axis`.

func.func @axis_by_default() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %y = model.node "onnx.Flatten" opset 13 (%x) {} : (tensor<2x3x2xf32>) -> tensor<2x6xf32>
  check.equal %y, dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]> : tensor<2x6xf32>
  return
}

func.func @axis_0() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Flatten" opset 9 (%x) {axis = 0} : (tensor<2x3xf32>) -> tensor<1x6xf32>
  check.equal %y, dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]> : tensor<1x6xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %y = model.node "onnx.Flatten" opset 11 (%x) {axis = -1} : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
  check.equal %y, dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0], [10.0, 11.0]]> : tensor<6x2xf32>
  return
}

func.func @all_axes() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Flatten" opset 13 (%x) {axis = 2} : (tensor<2x3xf32>) -> tensor<6x1xf32>
  check.equal %y, dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]> : tensor<6x1xf32>
  return
}
