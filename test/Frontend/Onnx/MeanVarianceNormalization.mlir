// RUN: dynac-check %s
// y = (x - mean) / sqrt(var) over the axes [0, 2, 3] unless others are given.

func.func @axes_by_default() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.MeanVarianceNormalization" opset 13 (%x) {} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  check.close %y, dense<[[[[-1.341641, -0.4472136], [0.4472136, 1.341641]], [[-1.183216, -0.5070925],
                         [0.1690308, 1.521278]]]]> : tensor<1x2x2x2xf32> {atol = 1.0e-5}
  return
}

func.func @axes() {
  %x = check.input dense<[[1.0, 3.0], [2.0, 6.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.MeanVarianceNormalization" opset 9 (%x) {axes = [1]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[-1.0, 1.0], [-1.0, 1.0]]> : tensor<2x2xf32> {atol = 1.0e-5}
  return
}
