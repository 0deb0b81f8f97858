// RUN: dynac-check %s
// z = sigmoid(X Wz' + H Rz'), r = sigmoid(X Wr' + H Rr'), h = tanh(X Wh' + (r * H) Rh'), H = (1 - z) * h + z * H;
// with linear_before_reset h = tanh(X Wh' + r * (H Rh')).

func.func @forward() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0]]]> : tensor<1x3x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5]]]> : tensor<1x3x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, -0.1, -0.2, -0.3]]> : tensor<1x6xf32>
  %y, %y_h = model.node "onnx.GRU" opset 22 (%x, %w, %r, %b) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[-0.4740614]]], [[[-0.763096]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[-0.763096]]]> : tensor<1x1x1xf32>
  return
}

func.func @linear_before_reset() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0]]]> : tensor<1x3x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5]]]> : tensor<1x3x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, -0.1, -0.2, -0.3]]> : tensor<1x6xf32>
  %y, %y_h = model.node "onnx.GRU" opset 14 (%x, %w, %r, %b) {hidden_size = 1, linear_before_reset = 1} :
    (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[-0.4418084]]], [[[-0.724507]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[-0.724507]]]> : tensor<1x1x1xf32>
  return
}

func.func @reverse() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0]]]> : tensor<1x3x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5]]]> : tensor<1x3x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, -0.1, -0.2, -0.3]]> : tensor<1x6xf32>
  %y, %y_h = model.node "onnx.GRU" opset 7 (%x, %w, %r, %b) {hidden_size = 1, direction = "reverse"} :
    (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[-0.6585383]]], [[[-0.6147574]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[-0.6585383]]]> : tensor<1x1x1xf32>
  return
}

func.func @initial_state() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0]]]> : tensor<1x3x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5]]]> : tensor<1x3x1xf32>
  %none = model.absent : !model.none
  %initial_h = check.input dense<[[[0.5]]]> : tensor<1x1x1xf32>
  %y = model.node "onnx.GRU" opset 14 (%x, %w, %r, %none, %none, %initial_h) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>, !model.none, !model.none, tensor<1x1x1xf32>) ->
    tensor<2x1x1x1xf32>
  check.close %y, dense<[[[[-0.2848129]]], [[[-0.706815]]]]> : tensor<2x1x1x1xf32>
  return
}

// An entry that has ended keeps its state, and gives 0.
func.func @sequence_lens() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0]]]> : tensor<1x3x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5]]]> : tensor<1x3x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, -0.1, -0.2, -0.3]]> : tensor<1x6xf32>
  %lens = check.input dense<[1]> : tensor<1xi32>
  %y, %y_h = model.node "onnx.GRU" opset 22 (%x, %w, %r, %b, %lens) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>, tensor<1xi32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[-0.4740614]]], [[[0.0]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[-0.4740614]]]> : tensor<1x1x1xf32>
  return
}
