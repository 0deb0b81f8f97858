// RUN: dynac-check %s
// y = scale * (x - mean) / sqrt(var + epsilon) + B over each image of each channel.

func.func @two_channels() {
  %x = check.input dense<[[[1.0, 3.0], [0.0, 4.0]]]> : tensor<1x2x2xf32>
  %scale = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[0.0, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.InstanceNormalization" opset 22 (%x, %scale, %b) {epsilon = 0.0} :
    (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
  check.close %y, dense<[[[-1.0, 1.0], [-1.0, 3.0]]]> : tensor<1x2x2xf32>
  return
}

func.func @image() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]]]> : tensor<1x2x2x2xf32>
  %scale = check.input dense<[1.0, 1.0]> : tensor<2xf32>
  %b = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %y = model.node "onnx.InstanceNormalization" opset 6 (%x, %scale, %b) {} :
    (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  check.close %y, dense<[[[[-1.341635, -0.4472118], [0.4472118, 1.341635]], [[-1.183213, -0.5070914],
                         [0.1690305, 1.521274]]]]> : tensor<1x2x2x2xf32>
  return
}
