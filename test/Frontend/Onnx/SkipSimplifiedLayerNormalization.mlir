// RUN: dynac-check %s
// The same by the root of the mean square.

func.func @all() {
  %x = check.input dense<[[[-0.75, 0.5, 0.25, 1.75], [0.5, 1.75, 0.25, -0.75]]]> : tensor<1x2x4xf32>
  %s = check.input dense<[[[-0.75, 2.0, 0.25, -1.25], [1.5, 1.25, -2.0, -1.5]]]> : tensor<1x2x4xf32>
  %g = check.input dense<[0.75, -0.5, -0.75, -1.75]> : tensor<4xf32>
  %c = check.input dense<[-1.25, 1.5, 1.5, 1.5]> : tensor<4xf32>
  %y = model.node "com.microsoft.SkipSimplifiedLayerNormalization" opset 1 (%x, %s, %g, %c) {epsilon = 0.001} :
    (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  check.close %y, dense<[[[-0.7341938, -0.71194553, -0.53395915, -1.2459047], [0.24295452, -0.97181803, 0.08098484,
    0.5668939]]]> : tensor<1x2x4xf32>
  return
}
