// RUN: dynac-check %s
// Y = prob_mod(softmax(score_mod(scale * Q K'))) V for each head; both modifiers are graphs, scale = 1 / sqrt(head size).

func.func @plain() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %y = model.node "ai.onnx.preview.FlexAttention" opset 1 (%q, %k, %v) {} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[3.58396, 4.58396], [1.837552, 2.837552]]]]> : tensor<1x1x2x2xf32>
  return
}

// The scores lose 1, which changes nothing, the probabilities are halved, which halves the result.
func.func @modified() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %one = check.constant dense<1.0> : tensor<f32>
  %half = check.constant dense<0.5> : tensor<f32>
  %y = model.node "ai.onnx.preview.FlexAttention" opset 1 (%q, %k, %v) {scale = 1.0}
    graphs ["score_mod", "prob_mod"] {
  ^bb0(%scores: tensor<1x1x2x3xf32>):
    %s = model.node "onnx.Sub" opset 14 (%scores, %one) {} : (tensor<1x1x2x3xf32>, tensor<f32>) -> tensor<1x1x2x3xf32>
    model.output ["s"](%s : tensor<1x1x2x3xf32>)
  }, {
  ^bb0(%probs: tensor<1x1x2x3xf32>):
    %p = model.node "onnx.Mul" opset 14 (%probs, %half) {} : (tensor<1x1x2x3xf32>, tensor<f32>) -> tensor<1x1x2x3xf32>
    model.output ["p"](%p : tensor<1x1x2x3xf32>)
  } : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.920512, 2.420512], [0.7504971, 1.250497]]]]> : tensor<1x1x2x2xf32>
  return
}
