// RUN: dynac-check %s
// Pairs (a, b) of each head become (a * cos - b * sin, a * sin + b * cos); pairs are halves, or neighbours if interleaved.

func.func @halves() {
  %x = check.input dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  %cos_cache = check.input dense<[[[0.6]]]> : tensor<1x1x1xf32>
  %sin_cache = check.input dense<[[[0.8]]]> : tensor<1x1x1xf32>
  %y = model.node "onnx.RotaryEmbedding" opset 23 (%x, %cos_cache, %sin_cache) {} :
    (tensor<1x1x1x2xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1x2xf32>
  check.close %y, dense<[[[[-1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  return
}

func.func @positions() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  %cos_cache = check.input dense<[[1.0, 0.0], [0.6, 0.8]]> : tensor<2x2xf32>
  %sin_cache = check.input dense<[[0.0, 1.0], [0.8, 0.6]]> : tensor<2x2xf32>
  %position_ids = check.input dense<[[1]]> : tensor<1x1xi64>
  %y = model.node "onnx.RotaryEmbedding" opset 23 (%x, %cos_cache, %sin_cache, %position_ids) {} :
    (tensor<1x1x1x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1xi64>) -> tensor<1x1x1x4xf32>
  check.close %y, dense<[[[[-1.8, -0.8, 2.6, 4.4]]]]> : tensor<1x1x1x4xf32>
  return
}

func.func @interleaved() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  %cos_cache = check.input dense<[[[0.6, 0.8]]]> : tensor<1x1x2xf32>
  %sin_cache = check.input dense<[[[0.8, 0.6]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.RotaryEmbedding" opset 23 (%x, %cos_cache, %sin_cache) {interleaved = 1} :
    (tensor<1x1x1x4xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1x4xf32>
  check.close %y, dense<[[[[-1.0, 2.0, 0.0, 5.0]]]]> : tensor<1x1x1x4xf32>
  return
}

func.func @part_of_the_head() {
  %x = check.input dense<[[[[1.0, 2.0, 5.0, 6.0]]]]> : tensor<1x1x1x4xf32>
  %cos_cache = check.input dense<[[[0.6]]]> : tensor<1x1x1xf32>
  %sin_cache = check.input dense<[[[0.8]]]> : tensor<1x1x1xf32>
  %y = model.node "onnx.RotaryEmbedding" opset 23 (%x, %cos_cache, %sin_cache) {rotary_embedding_dim = 2} :
    (tensor<1x1x1x4xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1x4xf32>
  check.close %y, dense<[[[[-1.0, 2.0, 5.0, 6.0]]]]> : tensor<1x1x1x4xf32>
  return
}

func.func @three_dimensions() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %cos_cache = check.input dense<[[[0.6]]]> : tensor<1x1x1xf32>
  %sin_cache = check.input dense<[[[0.8]]]> : tensor<1x1x1xf32>
  %y = model.node "onnx.RotaryEmbedding" opset 23 (%x, %cos_cache, %sin_cache) {num_heads = 2} :
    (tensor<1x1x4xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  check.close %y, dense<[[[-1.0, 2.0, -1.4, 4.8]]]> : tensor<1x1x4xf32>
  return
}

func.func @of_microsoft() {
  %x = check.input dense<[[[1.0, -0.25, -1.0, 0.75, -1.5, 1.25, -0.25, 1.75], [-1.0, -0.5, 1.5, 1.0, -2.0, -0.75,
    -2.0, 1.5]]]> : tensor<1x2x8xf32>
  %p = check.input dense<[[1, 3]]> : tensor<1x2xi64>
  %c = check.input dense<[[-0.25, -1.25], [1.0, 1.5], [-1.75, 0.0], [-0.5, 1.0]]> : tensor<4x2xf32>
  %s = check.input dense<[[1.75, 0.25], [1.0, -0.75], [0.25, 0.0], [1.0, -2.0]]> : tensor<4x2xf32>
  %y = model.node "com.microsoft.RotaryEmbedding" opset 1 (%x, %p, %c, %s) {} : (tensor<1x2x8xf32>,
    tensor<1x2xi64>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<1x2x8xf32>
  check.close %y, dense<[[[2.0, 0.1875, 0.0, 1.3125, -1.25, 3.1875, -1.75, 1.6875], [-1.0, 1.5, -1.75, 2.0, 3.0,
    2.25, -1.0, 3.0]]]> : tensor<1x2x8xf32>
  return
}

func.func @of_microsoft_from_an_offset() {
  %x = check.input dense<[[[[-1.0, -2.0, 2.0, 0.25], [0.0, 0.0, -2.0, 1.5]]]]> : tensor<1x1x2x4xf32>
  %p = check.input dense<[1]> : tensor<1xi64>
  %c = check.input dense<[[1.5, -2.0], [0.5, 0.25], [-0.5, 0.0], [1.5, 0.5]]> : tensor<4x2xf32>
  %s = check.input dense<[[0.0, 1.0], [0.75, 0.0], [1.5, 0.25], [0.5, 0.0]]> : tensor<4x2xf32>
  %y = model.node "com.microsoft.RotaryEmbedding" opset 1 (%x, %p, %c, %s) {interleaved = 1} :
    (tensor<1x1x2x4xf32>, tensor<1xi64>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<1x1x2x4xf32>
  check.close %y, dense<[[[[1.0, -1.75, 0.5, 0.0625], [-0.0, 0.0, -0.375, -0.5]]]]> : tensor<1x1x2x4xf32>
  return
}
