// RUN: dynac-check %s
// S = e^g * S + beta * k (v - S' k)', o = scale * S' q at each step; "linear" has neither g nor beta nor - S' k.

func.func @linear() {
  %query = check.input dense<[[[1.0, 2.0], [0.5, -1.0]]]> : tensor<1x2x2xf32>
  %key = check.input dense<[[[0.6, 0.8], [1.0, 0.0]]]> : tensor<1x2x2xf32>
  %value = check.input dense<[[[1.0, 2.0], [3.0, -1.0]]]> : tensor<1x2x2xf32>
  %y, %present_state = model.node "onnx.LinearAttention" opset 27 (%query, %key, %value)
    {update_rule = "linear", q_num_heads = 1, kv_num_heads = 1} :
    (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x1x2x2xf32>)
  check.close %y, dense<[[[1.555635, 3.11127], [0.7071068, -1.06066]]]> : tensor<1x2x2xf32>
  check.close %present_state, dense<[[[[3.6, 0.2], [0.8, 1.6]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @gated() {
  %query = check.input dense<[[[1.0, 2.0], [0.5, -1.0]]]> : tensor<1x2x2xf32>
  %key = check.input dense<[[[0.6, 0.8], [1.0, 0.0]]]> : tensor<1x2x2xf32>
  %value = check.input dense<[[[1.0, 2.0], [3.0, -1.0]]]> : tensor<1x2x2xf32>
  %past_state = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %decay = check.input dense<[[[-0.1], [-0.5]]]> : tensor<1x2x1xf32>
  %y, %present_state = model.node "onnx.LinearAttention" opset 27 (%query, %key, %value, %past_state, %decay)
    {update_rule = "gated", q_num_heads = 1, kv_num_heads = 1} :
    (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1xf32>) ->
    (tensor<1x2x2xf32>, tensor<1x1x2x2xf32>)
  check.close %y, dense<[[[2.195452, 5.670537], [1.040253, -1.558572]]]> : tensor<1x2x2xf32>
  check.close %present_state, dense<[[[[3.91273, -0.2721632], [0.4852245, 2.068072]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @delta() {
  %query = check.input dense<[[[1.0, 2.0], [0.5, -1.0]]]> : tensor<1x2x2xf32>
  %key = check.input dense<[[[0.6, 0.8], [1.0, 0.0]]]> : tensor<1x2x2xf32>
  %value = check.input dense<[[[1.0, 2.0], [3.0, -1.0]]]> : tensor<1x2x2xf32>
  %none = model.absent : !model.none
  %beta = check.input dense<[[[0.5], [1.0]]]> : tensor<1x2x1xf32>
  %y, %present_state = model.node "onnx.LinearAttention" opset 27 (%query, %key, %value, %none, %none, %beta)
    {update_rule = "delta", q_num_heads = 1, kv_num_heads = 1, scale = 1.0} :
    (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, !model.none, !model.none, tensor<1x2x1xf32>) ->
    (tensor<1x2x2xf32>, tensor<1x1x2x2xf32>)
  check.close %y, dense<[[[1.1, 2.2], [1.1, -1.3]]]> : tensor<1x2x2xf32>
  check.close %present_state, dense<[[[[3.0, -1.0], [0.4, 0.8]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @gated_delta() {
  %query = check.input dense<[[[1.0, 2.0], [0.5, -1.0]]]> : tensor<1x2x2xf32>
  %key = check.input dense<[[[0.6, 0.8], [1.0, 0.0]]]> : tensor<1x2x2xf32>
  %value = check.input dense<[[[1.0, 2.0], [3.0, -1.0]]]> : tensor<1x2x2xf32>
  %past_state = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %decay = check.input dense<[[[-0.1], [-0.5]]]> : tensor<1x2x1xf32>
  %beta = check.input dense<[[[0.5], [1.0]]]> : tensor<1x2x1xf32>
  %y, %present_state = model.node "onnx.LinearAttention" opset 27 (%query, %key, %value, %past_state, %decay, %beta)
    {q_num_heads = 1, kv_num_heads = 1} :
    (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1xf32>,
     tensor<1x2x1xf32>) ->
    (tensor<1x2x2xf32>, tensor<1x1x2x2xf32>)
  check.close %y, dense<[[[0.9953551, 2.988824], [0.9822438, -1.224432]]]> : tensor<1x2x2xf32>
  check.close %present_state, dense<[[[[3.0, -1.0], [0.1108975, 1.231608]]]]> : tensor<1x1x2x2xf32>
  return
}
