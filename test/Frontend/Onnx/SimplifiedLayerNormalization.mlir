// RUN: dynac-check %s
// x / sqrt(mean(x^2) + epsilon) * scale.

func.func @both() {
  %x = check.input dense<[[0.25, -1.5, -0.75, 0.0], [2.0, -1.0, 0.25, 0.0]]> : tensor<2x4xf32>
  %g = check.input dense<[0.0, 0.25, 0.75, -1.75]> : tensor<4xf32>
  %y, %i = model.node "onnx.SimplifiedLayerNormalization" opset 1 (%x, %g) {axis = -1, epsilon = 0.001} :
    (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>)
  check.close %y, dense<[[0.0, -0.44201848, -0.6630277, -0.0], [0.0, -0.22213447, 0.16660085, -0.0]]> :
    tensor<2x4xf32>
  check.close %i, dense<[[1.178716], [0.8885379]]> : tensor<2x1xf32>
  return
}
