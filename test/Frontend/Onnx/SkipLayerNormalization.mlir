// RUN: dynac-check %s
// Layer normalisation of input + skip + bias; the last output is that sum.

func.func @all() {
  %x = check.input dense<[[[2.0, -1.25, -0.5, 0.5], [0.75, -1.75, -1.5, 0.75]]]> : tensor<1x2x4xf32>
  %s = check.input dense<[[[1.5, 0.5, 1.75, -0.5], [-0.75, 1.25, -2.0, -1.25]]]> : tensor<1x2x4xf32>
  %g = check.input dense<[-1.25, -0.5, -1.5, 1.25]> : tensor<4xf32>
  %b = check.input dense<[1.5, -0.5, -2.0, 1.0]> : tensor<4xf32>
  %c = check.input dense<[-1.75, 0.5, -1.5, 1.75]> : tensor<4xf32>
  %y = model.node "com.microsoft.SkipLayerNormalization" opset 1 (%x, %s, %g, %b, %c) {epsilon = 0.001} :
    (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  check.close %y, dense<[[[0.25062454, -0.00024980307, -0.50074935, 2.2493753], [1.6995742, -0.79270893,
    0.31506157, 2.3970199]]]> : tensor<1x2x4xf32>
  return
}

func.func @skip_without_batch() {
  %x = check.input dense<[[[0.75, 2.0, 0.5, 1.0], [-0.5, 1.25, -1.75, -1.5]], [[-0.5, 1.0, 0.0, 1.5], [2.0, -0.5,
    -0.25, 0.25]]]> : tensor<2x2x4xf32>
  %s = check.input dense<[[0.5, 0.0, 0.5, 2.0], [1.0, -0.75, -0.25, -0.5]]> : tensor<2x4xf32>
  %g = check.input dense<[-1.5, -2.0, 1.25, -0.25]> : tensor<4xf32>
  %y = model.node "com.microsoft.SkipLayerNormalization" opset 1 (%x, %s, %g) {epsilon = 0.001} :
    (tensor<2x2x4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x2x4xf32>
  check.close %y, dense<[[[1.0834517, -0.48153412, -1.3041549, -0.3812145], [-1.4995203, -1.9993603, -1.2496002,
    0.24992004]], [[1.392331, 0.37128827, -0.6961655, -0.4176993], [-2.5305083, 1.8403697, -0.57511556,
    0.07668207]]]> : tensor<2x2x4xf32>
  return
}
