// RUN: dynac-check %s
// i, o, f = sigmoid(X W' + H R' + P * C), c = tanh(X Wc' + H Rc'), C = f * C + i * c, H = o * tanh(C); gates in the order i o f c.

func.func @forward() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0], [0.3, 0.6]]]> : tensor<1x4x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5], [0.1]]]> : tensor<1x4x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, 0.4, -0.1, -0.2, 0.3, 0.0]]> : tensor<1x8xf32>
  %y, %y_h, %y_c = model.node "onnx.LSTM" opset 22 (%x, %w, %r, %b) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x4x2xf32>, tensor<1x4x1xf32>, tensor<1x8xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[0.2154399]]], [[[0.1186074]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[0.1186074]]]> : tensor<1x1x1xf32>
  check.close %y_c, dense<[[[0.2290246]]]> : tensor<1x1x1xf32>
  return
}

func.func @peepholes_and_states() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0], [0.3, 0.6]]]> : tensor<1x4x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5], [0.1]]]> : tensor<1x4x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, 0.4, -0.1, -0.2, 0.3, 0.0]]> : tensor<1x8xf32>
  %none = model.absent : !model.none
  %initial_h = check.input dense<[[[0.5]]]> : tensor<1x1x1xf32>
  %initial_c = check.input dense<[[[-0.5]]]> : tensor<1x1x1xf32>
  %p = check.input dense<[[0.5, -0.5, 1.0]]> : tensor<1x3xf32>
  %y, %y_h, %y_c = model.node "onnx.LSTM" opset 14 (%x, %w, %r, %b, %none, %initial_h, %initial_c, %p)
    {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x4x2xf32>, tensor<1x4x1xf32>, tensor<1x8xf32>, !model.none, tensor<1x1x1xf32>,
     tensor<1x1x1xf32>, tensor<1x3xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[0.1385007]]], [[[0.1001672]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[0.1001672]]]> : tensor<1x1x1xf32>
  check.close %y_c, dense<[[[0.2067037]]]> : tensor<1x1x1xf32>
  return
}

func.func @reverse() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0], [0.3, 0.6]]]> : tensor<1x4x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5], [0.1]]]> : tensor<1x4x1xf32>
  %unused0, %y_h, %y_c = model.node "onnx.LSTM" opset 7 (%x, %w, %r) {hidden_size = 1, direction = "reverse"} :
    (tensor<2x1x2xf32>, tensor<1x4x2xf32>, tensor<1x4x1xf32>) -> (!model.none, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y_h, dense<[[[0.2048023]]]> : tensor<1x1x1xf32>
  check.close %y_c, dense<[[[0.3417303]]]> : tensor<1x1x1xf32>
  return
}

func.func @batch_first() {
  %x = check.input dense<[[[1.0, 2.0], [-1.0, 0.5]]]> : tensor<1x2x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0], [0.3, 0.6]]]> : tensor<1x4x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5], [0.1]]]> : tensor<1x4x1xf32>
  %y = model.node "onnx.LSTM" opset 14 (%x, %w, %r) {hidden_size = 1, layout = 1} :
    (tensor<1x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x1xf32>) -> tensor<1x2x1x1xf32>
  check.close %y, dense<[[[[0.2048023]], [[0.0336382]]]]> : tensor<1x2x1x1xf32>
  return
}

// An entry that has ended keeps its state, and gives 0.
func.func @sequence_lens() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5], [0.1, 0.2], [1.0, -1.0], [0.3, 0.6]]]> : tensor<1x4x2xf32>
  %r = check.input dense<[[[0.25], [0.5], [-0.5], [0.1]]]> : tensor<1x4x1xf32>
  %b = check.input dense<[[0.1, 0.2, 0.3, 0.4, -0.1, -0.2, 0.3, 0.0]]> : tensor<1x8xf32>
  %lens = check.input dense<[1]> : tensor<1xi32>
  %y, %y_h = model.node "onnx.LSTM" opset 22 (%x, %w, %r, %b, %lens) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x4x2xf32>, tensor<1x4x1xf32>, tensor<1x8xf32>, tensor<1xi32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[0.2154399]]], [[[0.0]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[0.2154399]]]> : tensor<1x1x1xf32>
  return
}
