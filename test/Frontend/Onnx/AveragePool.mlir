// RUN: dynac-check %s
// y = the mean of each window; padding counts with count_include_pad only.

func.func @plain() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = model.node "onnx.AveragePool" opset 11 (%x) {kernel_shape = [2, 2]} :
    (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[3.0, 4.0], [6.0, 7.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @pads() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = model.node "onnx.AveragePool" opset 11 (%x) {kernel_shape = [2, 2], pads = [1, 1, 0, 0], strides = [2, 2]} :
    (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[1.0, 2.5], [5.5, 7.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @count_include_pad() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = model.node "onnx.AveragePool" opset 7 (%x)
    {kernel_shape = [2, 2], pads = [1, 1, 0, 0], strides = [2, 2], count_include_pad = 1} :
    (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[0.25, 1.25], [2.75, 7.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @ceil_mode() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %y = model.node "onnx.AveragePool" opset 19 (%x) {kernel_shape = [2], strides = [2], ceil_mode = 1} :
    (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[1.5, 3.5, 5.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @dilations() {
  %x = check.input dense<[[[1.0, 5.0, 2.0, 7.0, 3.0]]]> : tensor<1x1x5xf32>
  %y = model.node "onnx.AveragePool" opset 19 (%x) {kernel_shape = [2], dilations = [2]} :
    (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[1.5, 6.0, 2.5]]]> : tensor<1x1x3xf32>
  return
}

func.func @same_lower() {
  %x = check.input dense<[[[2.0, 4.0, 6.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.AveragePool" opset 7 (%x) {kernel_shape = [2], auto_pad = "SAME_LOWER"} :
    (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[2.0, 3.0, 5.0]]]> : tensor<1x1x3xf32>
  return
}
