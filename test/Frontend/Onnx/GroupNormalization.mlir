// RUN: dynac-check %s
// y = scale * (x - mean) / sqrt(var + epsilon) + bias over groups of channels; scale and bias for each channel, before version 21
// for each group.

func.func @per_channel() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x4x2xf32>
  %scale = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %bias = check.input dense<[0.0, 0.5, 1.0, 1.5]> : tensor<4xf32>
  %y = model.node "onnx.GroupNormalization" opset 21 (%x, %scale, %bias) {num_groups = 2} :
    (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>
  check.close %y, dense<[[[-1.341635, -0.4472118], [1.394424, 3.183271], [-3.024906, -0.3416354],
                         [3.288847, 6.866542]]]> : tensor<1x4x2xf32>
  return
}

func.func @per_group() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x4x2xf32>
  %scale = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %bias = check.input dense<[0.0, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.GroupNormalization" opset 18 (%x, %scale, %bias) {num_groups = 2} :
    (tensor<1x4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x4x2xf32>
  check.close %y, dense<[[[-1.341635, -0.4472118], [0.4472118, 1.341635], [-1.683271, 0.1055764],
                         [1.894424, 3.683271]]]> : tensor<1x4x2xf32>
  return
}
