// RUN: dynac-check %s
// Layer normalisation of the sum of word, position and segment embeddings.

func.func @masked() {
  %i = check.input dense<[[3, 3, 3], [1, 1, 1]]> : tensor<2x3xi32>
  %s = check.input dense<[[0, 0, 1], [0, 1, 0]]> : tensor<2x3xi32>
  %w = check.input dense<[[0.5, -0.75, -1.0, 1.75], [0.0, 1.75, -1.25, 0.0], [-0.75, -0.25, -2.0, 0.75], [-0.75,
    1.5, -1.25, -0.75]]> : tensor<4x4xf32>
  %p = check.input dense<[[-2.0, 1.25, 0.25, -0.5], [1.75, 0.5, 2.0, 1.0], [0.25, 0.0, -1.25, 0.75], [1.25, 0.75,
    -0.25, -2.0], [1.0, -2.0, 1.25, -1.5]]> : tensor<5x4xf32>
  %e = check.input dense<[[-0.75, -1.25, 0.25, -1.25], [-1.0, -2.0, 2.0, -1.25]]> : tensor<2x4xf32>
  %g = check.input dense<[-1.25, 0.5, -1.5, 1.75]> : tensor<4xf32>
  %b = check.input dense<[1.25, -0.75, -0.5, -0.5]> : tensor<4xf32>
  %m = check.input dense<[[1, 1, 0], [1, 1, 1]]> : tensor<2x3xi32>
  %y, %k, %z = model.node "com.microsoft.EmbedLayerNormalization" opset 1 (%i, %s, %w, %p, %e, %g, %b, %m) {epsilon
    = 0.001} : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<4x4xf32>, tensor<5x4xf32>, tensor<2x4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<2x3xi32>) -> (tensor<2x3x4xf32>, tensor<2xi32>, tensor<2x3x4xf32>)
  check.close %y, dense<[[[2.6898491, -0.009506166, -0.9442963, -1.5942852], [1.25, -0.42583004, -1.9587649,
    -3.3364873], [2.8213763, -0.2611274, -1.9666178, -1.7221814]], [[2.6511903, 0.034666598, -0.61209524,
    -1.4154444], [1.3871524, -1.0243049, -2.968744, -2.2281208], [1.0134227, -0.15067089, 1.865773, -0.1687918]]]>
    : tensor<2x3x4xf32>
  check.equal %k, dense<[2, 3]> : tensor<2xi32>
  check.close %z, dense<[[[-3.5, 1.5, -0.75, -2.5], [0.25, 0.75, 1.0, -1.0], [-1.5, -0.5, -0.5, -1.25]], [[-2.75,
    1.75, -0.75, -1.75], [0.75, 0.25, 2.75, -0.25], [-0.5, 0.5, -2.25, -0.5]]]> : tensor<2x3x4xf32>
  return
}
