// RUN: dynac-check %s
// A convolution whose window positions are moved by offset, read bilinearly and times mask.

func.func @no_offset() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.constant dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %offset = check.input dense<0.0> : tensor<1x8x2x2xf32>
  %y = model.node "onnx.DeformConv" opset 19 (%x, %w, %offset) {} :
    (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[8.0, 12.0], [20.0, 24.0]]]]> : tensor<1x1x2x2xf32>
  return
}

// The first element of the first window half a column to the right.
func.func @half_a_pixel() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.constant dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %offset = check.input dense<[[[[0.0, 0.0], [0.0, 0.0]], [[0.5, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]],
                               [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]],
                               [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x8x2x2xf32>
  %y = model.node "onnx.DeformConv" opset 19 (%x, %w, %offset) {} :
    (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[8.5, 12.0], [20.0, 24.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @mask_and_bias() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.constant dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %offset = check.input dense<0.0> : tensor<1x8x2x2xf32>
  %b = check.input dense<[1.0]> : tensor<1xf32>
  %mask = check.input dense<0.5> : tensor<1x4x2x2xf32>
  %y = model.node "onnx.DeformConv" opset 22 (%x, %w, %offset, %b, %mask) {} :
    (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x8x2x2xf32>, tensor<1xf32>, tensor<1x4x2x2xf32>) ->
    tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[5.0, 7.0], [11.0, 13.0]]]]> : tensor<1x1x2x2xf32>
  return
}
