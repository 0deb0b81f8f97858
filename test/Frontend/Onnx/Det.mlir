// RUN: dynac-check %s
// y = the determinant of each matrix of the last two axes.

func.func @matrix() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.Det" opset 11 (%x) {} : (tensor<2x2xf32>) -> tensor<f32>
  check.close %y, dense<-2.0> : tensor<f32>
  return
}

func.func @batch() {
  %x = check.input dense<[[[2.0, 0.0], [0.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]]> : tensor<2x2x2xf32>
  %y = model.node "onnx.Det" opset 22 (%x) {} : (tensor<2x2x2xf32>) -> tensor<2xf32>
  check.close %y, dense<[6.0, 0.0]> : tensor<2xf32>
  return
}

// The first pivot is 0.
func.func @pivot() {
  %x = check.input dense<[[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf32>
  %y = model.node "onnx.Det" opset 11 (%x) {} : (tensor<3x3xf32>) -> tensor<f32>
  check.close %y, dense<-6.0> : tensor<f32>
  return
}
