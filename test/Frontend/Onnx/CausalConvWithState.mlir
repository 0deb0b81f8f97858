// RUN: dynac-check %s
// y[t] = the sum of w[i] * x[t - k + 1 + i], the past state before x and zeros without one; the new state is the end of both.

func.func @no_state() {
  %x = check.input dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %weight = check.constant dense<[[[1.0, 10.0]], [[2.0, -1.0]]]> : tensor<2x1x2xf32>
  %y, %present_state = model.node "onnx.CausalConvWithState" opset 27 (%x, %weight) {} :
    (tensor<1x2x3xf32>, tensor<2x1x2xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x1xf32>)
  check.equal %y, dense<[[[10.0, 21.0, 32.0], [-4.0, 3.0, 4.0]]]> : tensor<1x2x3xf32>
  check.equal %present_state, dense<[[[3.0], [6.0]]]> : tensor<1x2x1xf32>
  return
}

func.func @state_and_bias() {
  %x = check.input dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %weight = check.constant dense<[[[1.0, 10.0]], [[2.0, -1.0]]]> : tensor<2x1x2xf32>
  %bias = check.input dense<[100.0, 0.0]> : tensor<2xf32>
  %past_state = check.input dense<[[[5.0], [7.0]]]> : tensor<1x2x1xf32>
  %y, %present_state = model.node "onnx.CausalConvWithState" opset 27 (%x, %weight, %bias, %past_state) {} :
    (tensor<1x2x3xf32>, tensor<2x1x2xf32>, tensor<2xf32>, tensor<1x2x1xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x1xf32>)
  check.equal %y, dense<[[[115.0, 121.0, 132.0], [10.0, 3.0, 4.0]]]> : tensor<1x2x3xf32>
  check.equal %present_state, dense<[[[3.0], [6.0]]]> : tensor<1x2x1xf32>
  return
}

func.func @silu() {
  %x = check.input dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %weight = check.constant dense<[[[0.5, 1.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.CausalConvWithState" opset 27 (%x, %weight) {activation = "silu"} :
    (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  check.close %y, dense<[[[0.7310586, 2.310354]]]> : tensor<1x1x2xf32>
  return
}
