// RUN: dynac-check %s
// softmax(scale * q k' + masks) v per head.

func.func @with_bias() {
  %q = check.input dense<[[[0.75, 1.25, -2.0, 1.25], [-0.25, 0.0, 0.5, -1.0]]]> : tensor<1x2x4xf32>
  %k = check.input dense<[[[2.0, -2.0, -1.0, -0.5], [0.25, -0.5, -1.5, -2.0], [-2.0, -2.0, -1.5, 2.0]]]> :
    tensor<1x3x4xf32>
  %v = check.input dense<[[[-1.25, 0.75, 1.0, -1.25], [-1.0, -0.25, -1.0, 2.0], [-1.25, 1.75, 1.25, 1.5]]]> :
    tensor<1x3x4xf32>
  %b = check.input dense<[-1.75, -0.5, 0.5, 0.0, 0.75, 0.75, 0.75, -1.75, 2.0, 0.25, 1.75, -1.0]> : tensor<12xf32>
  %y = model.node "com.microsoft.MultiHeadAttention" opset 1 (%q, %k, %v, %b) {num_heads = 2} : (tensor<1x2x4xf32>,
    tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<12xf32>) -> tensor<1x2x4xf32>
  check.close %y, dense<[[[0.8247051, 1.3632277, 2.9252872, 0.3509753], [0.7559394, 1.9490857, 1.4710048,
    -0.051445123]]]> : tensor<1x2x4xf32>
  return
}

func.func @causal() {
  %q = check.input dense<[[[-0.5, 1.5, -1.25, -1.75], [-0.5, 0.75, -1.5, 1.5], [-0.75, -1.25, 0.25, 1.75]]]> :
    tensor<1x3x4xf32>
  %k = check.input dense<[[[2.0, -2.0, -1.0, -0.5], [0.25, -0.5, -1.5, -2.0], [-2.0, -2.0, -1.5, 2.0]]]> :
    tensor<1x3x4xf32>
  %v = check.input dense<[[[-1.25, 0.75, 1.0, -1.25], [-1.0, -0.25, -1.0, 2.0], [-1.25, 1.75, 1.25, 1.5]]]> :
    tensor<1x3x4xf32>
  %y = model.node "com.microsoft.MultiHeadAttention" opset 1 (%q, %k, %v) {num_heads = 2, unidirectional = 1} :
    (tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  check.close %y, dense<[[[-1.25, 0.75, 1.0, -1.25], [-1.0488926, -0.054429695, 0.48563337, -0.41415423],
    [-1.2332276, 1.5159607, 1.2231936, 1.3744467]]]> : tensor<1x3x4xf32>
  return
}

// The last key is padding.
func.func @padding() {
  %q = check.input dense<[[[-0.5, 1.5, -1.25, -1.75], [-0.5, 0.75, -1.5, 1.5], [-0.75, -1.25, 0.25, 1.75]]]> :
    tensor<1x3x4xf32>
  %k = check.input dense<[[[2.0, -2.0, -1.0, -0.5], [0.25, -0.5, -1.5, -2.0], [-2.0, -2.0, -1.5, 2.0]]]> :
    tensor<1x3x4xf32>
  %v = check.input dense<[[[-1.25, 0.75, 1.0, -1.25], [-1.0, -0.25, -1.0, 2.0], [-1.25, 1.75, 1.25, 1.5]]]> :
    tensor<1x3x4xf32>
  %none = model.absent : !model.none
  %mask = check.input dense<[[1, 1, 0]]> : tensor<1x3xi32>
  %y = model.node "com.microsoft.MultiHeadAttention" opset 1 (%q, %k, %v, %none, %mask) {num_heads = 2} :
    (tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, !model.none, tensor<1x3xi32>) -> tensor<1x3x4xf32>
  check.close %y, dense<[[[-1.0247205, -0.15111798, -0.8174386, 1.7033378], [-1.0488926, -0.0544297, 0.48563337,
    -0.41415423], [-1.1495366, 0.34814635, 0.74970096, -0.843264]]]> : tensor<1x3x4xf32>
  return
}
