// RUN: dynac-check %s
// H[t] = f(X[t] * W' + H[t-1] * R' + Wb + Rb); Y holds every H[t], Y_h the last.

func.func @forward() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5]]]> : tensor<1x1x2xf32>
  %r = check.input dense<[[[0.25]]]> : tensor<1x1x1xf32>
  %b = check.input dense<[[0.1, 0.2]]> : tensor<1x2xf32>
  %y, %y_h = model.node "onnx.RNN" opset 22 (%x, %w, %r, %b) {hidden_size = 1} :
    (tensor<2x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x1xf32>, tensor<1x2xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[-0.1973753]]], [[[-0.4616009]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[-0.4616009]]]> : tensor<1x1x1xf32>
  return
}

func.func @relu_and_initial_state() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5]]]> : tensor<1x1x2xf32>
  %r = check.input dense<[[[0.25]]]> : tensor<1x1x1xf32>
  %none = model.absent : !model.none
  %initial_h = check.input dense<[[[4.0]]]> : tensor<1x1x1xf32>
  %y, %y_h = model.node "onnx.RNN" opset 7 (%x, %w, %r, %none, %none, %initial_h)
    {hidden_size = 1, activations = ["Relu"]} :
    (tensor<2x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x1xf32>, !model.none, !model.none, tensor<1x1x1xf32>) ->
    (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  check.close %y, dense<[[[[0.5]]], [[[0.0]]]]> : tensor<2x1x1x1xf32>
  check.close %y_h, dense<[[[0.0]]]> : tensor<1x1x1xf32>
  return
}

func.func @bidirectional() {
  %x = check.input dense<[[[1.0, 2.0]], [[-1.0, 0.5]]]> : tensor<2x1x2xf32>
  %w = check.input dense<[[[0.5, -0.5]], [[1.0, 0.0]]]> : tensor<2x1x2xf32>
  %r = check.input dense<[[[0.25]], [[-0.5]]]> : tensor<2x1x1xf32>
  %y, %y_h = model.node "onnx.RNN" opset 22 (%x, %w, %r) {hidden_size = 1, direction = "bidirectional"} :
    (tensor<2x1x2xf32>, tensor<2x1x2xf32>, tensor<2x1x1xf32>) -> (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>)
  check.close %y, dense<[[[[-0.4621172]], [[0.8811297]]], [[[-0.6990956]], [[-0.7615942]]]]> : tensor<2x2x1x1xf32>
  check.close %y_h, dense<[[[-0.6990956]], [[0.8811297]]]> : tensor<2x1x1xf32>
  return
}

// The first sequence is one step long: its H[1] is 0.
func.func @sequence_lens() {
  %x = check.input dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %w = check.input dense<[[[0.5]]]> : tensor<1x1x1xf32>
  %r = check.input dense<[[[0.25]]]> : tensor<1x1x1xf32>
  %none = model.absent : !model.none
  %sequence_lens = check.input dense<[1, 2]> : tensor<2xi32>
  %y, %y_h = model.node "onnx.RNN" opset 14 (%x, %w, %r, %none, %sequence_lens) {hidden_size = 1} :
    (tensor<2x2x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, !model.none, tensor<2xi32>) ->
    (tensor<2x1x2x1xf32>, tensor<1x2x1xf32>)
  check.close %y, dense<[[[[0.4621172], [0.7615941]]], [[[0.0], [0.9752785]]]]> : tensor<2x1x2x1xf32>
  check.close %y_h, dense<[[[0.4621172], [0.9752785]]]> : tensor<1x2x1xf32>
  return
}
