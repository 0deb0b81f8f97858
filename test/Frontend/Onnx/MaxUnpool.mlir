// RUN: dynac-check %s
// y = zeros, and the elements of x at their indices in the flattened y.

func.func @plain() {
  %x = check.input dense<[[[[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x1x2x2xf32>
  %i = check.input dense<[[[[5, 7], [13, 15]]]]> : tensor<1x1x2x2xi64>
  %y = model.node "onnx.MaxUnpool" opset 11 (%x, %i) {kernel_shape = [2, 2], strides = [2, 2]} :
    (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  check.equal %y, dense<[[[[0.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0],
                         [0.0, 7.0, 0.0, 8.0]]]]> : tensor<1x1x4x4xf32>
  return
}

func.func @output_shape() {
  %x = check.input dense<[[[5.0, 6.0]]]> : tensor<1x1x2xf32>
  %i = check.input dense<[[[1, 3]]]> : tensor<1x1x2xi64>
  %output_shape = check.constant dense<[1, 1, 5]> : tensor<3xi64>
  %y = model.node "onnx.MaxUnpool" opset 9 (%x, %i, %output_shape) {kernel_shape = [2], strides = [2]} :
    (tensor<1x1x2xf32>, tensor<1x1x2xi64>, tensor<3xi64>) -> tensor<1x1x5xf32>
  check.equal %y, dense<[[[0.0, 5.0, 0.0, 6.0, 0.0]]]> : tensor<1x1x5xf32>
  return
}
