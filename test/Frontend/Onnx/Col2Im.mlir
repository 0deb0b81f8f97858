// RUN: dynac-check %s
// y[p * stride + w - pad] += x[w, p]: columns of windows summed into an image.

func.func @no_overlap() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %image_shape = check.constant dense<[1, 4]> : tensor<2xi64>
  %block_shape = check.constant dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.Col2Im" opset 18 (%x, %image_shape, %block_shape) {strides = [1, 2]} :
    (tensor<1x2x2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x1x4xf32>
  check.equal %y, dense<[[[[1.0, 3.0, 2.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  return
}

func.func @overlap() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %image_shape = check.constant dense<[1, 3]> : tensor<2xi64>
  %block_shape = check.constant dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.Col2Im" opset 18 (%x, %image_shape, %block_shape) {} :
    (tensor<1x2x2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x1x3xf32>
  check.equal %y, dense<[[[[1.0, 5.0, 4.0]]]]> : tensor<1x1x1x3xf32>
  return
}

func.func @pads() {
  %x = check.input dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %image_shape = check.constant dense<[1, 2]> : tensor<2xi64>
  %block_shape = check.constant dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.Col2Im" opset 18 (%x, %image_shape, %block_shape) {pads = [0, 1, 0, 1]} :
    (tensor<1x2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x1x2xf32>
  check.equal %y, dense<[[[[6.0, 8.0]]]]> : tensor<1x1x1x2xf32>
  return
}

// Dilated blocks at strides, in an image whose sizes only the run knows.
func.func @run_time_shapes() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %image_shape = check.input dense<[1, 5]> : tensor<2xi64>
  %block_shape = check.input dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.Col2Im" opset 18 (%x, %image_shape, %block_shape) {strides = [1, 2], dilations = [1, 2]} :
    (tensor<1x2x2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x1x5xf32>
  check.equal %y, dense<[[[[1.0, 0.0, 5.0, 0.0, 4.0]]]]> : tensor<1x1x1x5xf32>
  return
}
