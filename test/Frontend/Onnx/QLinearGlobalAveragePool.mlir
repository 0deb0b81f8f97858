// RUN: dynac-check %s
// The mean of each channel of quantised numbers.

func.func @int8() {
  %x = check.input dense<[[[[-80, -114, 125], [2, 63, 66], [116, -120, -53]], [[123, -15, -27], [-62, -123, -117],
    [121, -124, -93]]]]> : tensor<1x2x3x3xi8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<i8>
  %ys = check.input dense<0.015> : tensor<f32>
  %yz = check.input dense<11> : tensor<i8>
  %y = model.node "com.microsoft.QLinearGlobalAveragePool" opset 1 (%x, %xs, %xz, %ys, %yz) {} :
    (tensor<1x2x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x1x1xi8>
  check.equal %y, dense<[[[[2]], [[-45]]]]> : tensor<1x2x1x1xi8>
  return
}
