// RUN: dynac-check %s
// The mean of each window of quantised numbers.

func.func @pads() {
  %x = check.input dense<[[[[-80, -114, 125], [2, 63, 66], [116, -120, -53]], [[123, -15, -27], [-62, -123, -117],
    [121, -124, -93]]]]> : tensor<1x2x3x3xi8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<i8>
  %ys = check.input dense<0.015> : tensor<f32>
  %yz = check.input dense<11> : tensor<i8>
  %y = model.node "com.microsoft.QLinearAveragePool" opset 1 (%x, %xs, %xz, %ys, %yz) {kernel_shape = [2, 2], pads
    = [1, 1, 0, 0]} : (tensor<1x2x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x3x3xi8>
  check.equal %y, dense<[[[[-105, -128, 9], [-50, -41, 48], [80, 22, -13]], [[127, 74, -26], [42, -24, -92], [41,
    -61, -128]]]]> : tensor<1x2x3x3xi8>
  return
}

func.func @counted_pads() {
  %x = check.input dense<[[[[-80, -114, 125], [2, 63, 66], [116, -120, -53]], [[123, -15, -27], [-62, -123, -117],
    [121, -124, -93]]]]> : tensor<1x2x3x3xi8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<i8>
  %ys = check.input dense<0.015> : tensor<f32>
  %yz = check.input dense<11> : tensor<i8>
  %y = model.node "com.microsoft.QLinearAveragePool" opset 1 (%x, %xs, %xz, %ys, %yz) {kernel_shape = [2, 2], pads
    = [1, 1, 0, 0], count_include_pad = 1} : (tensor<1x2x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>)
    -> tensor<1x2x3x3xi8>
  check.equal %y, dense<[[[[-18, -58, 10], [-20, -41, 48], [46, 22, -13]], [[50, 42, -8], [27, -24, -92], [26, -61,
    -128]]]]> : tensor<1x2x3x3xi8>
  return
}
