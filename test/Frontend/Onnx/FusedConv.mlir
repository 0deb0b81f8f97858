// RUN: dynac-check %s
// activation(conv(x) + b + z).

func.func @with_sum() {
  %x = check.input dense<[[[[0.75, -1.75, 2.0], [0.25, 1.75, -1.0], [-0.5, 1.5, -1.25]], [[-1.75, -0.5, 0.75],
    [-1.5, 1.5, -0.75], [-1.25, 0.25, 1.75]]]]> : tensor<1x2x3x3xf32>
  %w = check.input dense<[[[[1.75, 1.5], [-0.75, -2.0]], [[1.25, 1.0], [1.25, -2.0]]], [[[-2.0, 0.0], [-0.75,
    -0.25]], [[1.75, -1.25], [0.0, -0.75]]]]> : tensor<2x2x2x2xf32>
  %b = check.input dense<[-0.75, 1.25]> : tensor<2xf32>
  %z = check.input dense<[[[[-1.5, -0.75], [-1.5, -1.5]], [[-1.0, 0.75], [0.25, -0.25]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "com.microsoft.FusedConv" opset 1 (%x, %w, %b, %z) {activation = "Relu"} : (tensor<1x2x3x3xf32>,
    tensor<2x2x2x2xf32>, tensor<2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  check.close %y, dense<[[[[0.0, 2.625], [0.0, 0.0]], [[0.0, 3.1875], [0.0, 0.0]]]]> : tensor<1x2x2x2xf32>
  return
}

func.func @clipped() {
  %x = check.input dense<[[[[-1.5, 1.25, 1.25], [-1.0, -1.75, -0.75], [-1.5, 1.25, 0.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.input dense<[[[[0.0, -1.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %y = model.node "com.microsoft.FusedConv" opset 1 (%x, %w) {activation = "Clip", activation_params = [-0.5, 0.5]}
    : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[-0.5, -0.5], [0.5, 0.5]]]]> : tensor<1x1x2x2xf32>
  return
}
