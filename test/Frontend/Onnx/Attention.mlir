// RUN: dynac-check %s
// Y = softmax(scale * Q K' + mask) V for each head, scale = 1 / sqrt(head size) by default.

func.func @plain() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v) {} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[3.58396, 4.58396], [1.837551, 2.837552]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @scale_and_float_mask() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %attn_mask = check.input dense<[[0.0, -1.0, 1.0], [0.0, 0.0, -2.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v, %attn_mask) {scale = 1.0} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[4.499006, 5.499006], [1.106011, 2.10601]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @bool_mask() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %attn_mask = check.input dense<[[true, false, true], [true, true, false]]> : tensor<2x3xi1>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v, %attn_mask) {} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xi1>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[3.679046, 4.679046], [1.111614, 2.111614]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @causal() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v) {is_causal = 1} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.0, 2.0], [1.111614, 2.111614]]]]> : tensor<1x1x2x2xf32>
  return
}

// Two heads of Q share one of K and V.
func.func @grouped_heads() {
  %q = check.input dense<[[[[1.0, 0.0]], [[0.0, 1.0]]]]> : tensor<1x2x1x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v) {} :
    (tensor<1x2x1x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x2x1x2xf32>
  check.close %y, dense<[[[[3.58396, 4.58396]], [[2.41604, 3.41604]]]]> : tensor<1x2x1x2xf32>
  return
}

func.func @three_dimensions() {
  %q = check.input dense<[[[1.0, 0.0, 0.0, 1.0]]]> : tensor<1x1x4xf32>
  %k = check.input dense<[[[1.0, 1.0, 2.0, 0.0], [0.0, -1.0, 1.0, 1.0]]]> : tensor<1x2x4xf32>
  %v = check.input dense<[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]> : tensor<1x2x4xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v) {q_num_heads = 2, kv_num_heads = 2} :
    (tensor<1x1x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x1x4xf32>
  check.close %y, dense<[[[2.320954, 3.320953, 5.679046, 6.679046]]]> : tensor<1x1x4xf32>
  return
}

func.func @softcap() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %y = model.node "onnx.Attention" opset 23 (%q, %k, %v) {softcap = 2.0} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[3.443197, 4.443196], [1.982127, 2.982126]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @cache() {
  %q = check.input dense<[[[[1.0, 0.0]]]]> : tensor<1x1x1x2xf32>
  %k = check.input dense<[[[[2.0, 0.0]]]]> : tensor<1x1x1x2xf32>
  %v = check.input dense<[[[[5.0, 6.0]]]]> : tensor<1x1x1x2xf32>
  %none = model.absent : !model.none
  %past_key = check.input dense<[[[[1.0, 1.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %past_value = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %y, %present_key, %present_value = model.node "onnx.Attention" opset 23 (%q, %k, %v, %none, %past_key, %past_value) {} :
    (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, !model.none, tensor<1x1x2x2xf32>,
     tensor<1x1x2x2xf32>) ->
    (tensor<1x1x1x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>)
  check.close %y, dense<[[[[3.58396, 4.58396]]]]> : tensor<1x1x1x2xf32>
  check.close %present_key, dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  check.close %present_value, dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  return
}

func.func @of_microsoft() {
  %x = check.input dense<[[[1.75, 1.5], [-0.75, -2.0], [1.25, 1.0]]]> : tensor<1x3x2xf32>
  %w = check.input dense<[[1.25, -2.0, -2.0, 0.0, -0.75, -0.25, 1.75, -1.25, 0.0, -0.75, -0.75, 1.25], [-1.5,
    -0.75, -1.5, -1.5, -1.0, 0.75, 0.25, -0.25, -1.5, 1.25, 1.25, -1.0]]> : tensor<2x12xf32>
  %b = check.input dense<[-1.75, -0.75, -1.5, 1.25, 0.0, 0.0, -1.0, 0.0, 2.0, -1.0, 1.25, -2.0]> : tensor<12xf32>
  %m = check.input dense<[[1, 1, 0]]> : tensor<1x3xi32>
  %y = model.node "com.microsoft.Attention" opset 1 (%x, %w, %b, %m) {num_heads = 2} : (tensor<1x3x2xf32>,
    tensor<2x12xf32>, tensor<12xf32>, tensor<1x3xi32>) -> tensor<1x3x4xf32>
  check.close %y, dense<[[[3.2726567, -2.1149557, -0.6875, -0.9375], [0.3789851, -0.7370167, 0.043434244,
    -1.0471401], [1.4265137, -1.2358398, -0.6875, -0.9375]]]> : tensor<1x3x4xf32>
  return
}

// Keys beyond an entry's number of them are not seen.
func.func @valid_keys() {
  %q = check.input dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32>
  %k = check.input dense<[[[[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %v = check.input dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]]> : tensor<1x1x3x2xf32>
  %none = model.absent : !model.none
  %count = check.input dense<[2]> : tensor<1xi64>
  %y = model.node "onnx.Attention" opset 24 (%q, %k, %v, %none, %none, %none, %count) {} :
    (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, !model.none, !model.none, !model.none, tensor<1xi64>) ->
    tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[1.6604769, 2.6604769], [1.1116144, 2.1116144]]]]> : tensor<1x1x2x2xf32>
  return
}
