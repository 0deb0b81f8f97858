// RUN: dynac-check %s
// present_cache = past_cache with `update` written along `axis` from write_indices[batch] on.

func.func @linear() {
  %past_cache = check.input dense<0.0> : tensor<2x4x1xf32>
  %update = check.input dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %write_indices = check.input dense<[1, 0]> : tensor<2xi64>
  %y = model.node "onnx.TensorScatter" opset 24 (%past_cache, %update, %write_indices) {axis = 1} :
    (tensor<2x4x1xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<2x4x1xf32>
  check.equal %y, dense<[[[0.0], [1.0], [2.0], [0.0]], [[3.0], [4.0], [0.0], [0.0]]]> : tensor<2x4x1xf32>
  return
}

func.func @circular() {
  %past_cache = check.input dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %update = check.input dense<[[[8.0], [9.0]]]> : tensor<1x2x1xf32>
  %write_indices = check.input dense<[2]> : tensor<1xi64>
  %y = model.node "onnx.TensorScatter" opset 24 (%past_cache, %update, %write_indices) {axis = 1, mode = "circular"} :
    (tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1xi64>) -> tensor<1x3x1xf32>
  check.equal %y, dense<[[[9.0], [2.0], [8.0]]]> : tensor<1x3x1xf32>
  return
}

// Without indices at 0; axis -2 by default.
func.func @from_the_start() {
  %past_cache = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %update = check.input dense<[[[7.0, 7.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.TensorScatter" opset 24 (%past_cache, %update) {} :
    (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
  check.equal %y, dense<[[[7.0, 7.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  return
}
