// RUN: dynac-check %s
// y = x / (the sum of |x|^p along `axis`)^(1/p).

func.func @p_2_by_default() {
  %x = check.input dense<[[3.0, 4.0], [6.0, -8.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.LpNormalization" opset 22 (%x) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[0.6, 0.8], [0.6, -0.8]]> : tensor<2x2xf32>
  return
}

func.func @p_1() {
  %x = check.input dense<[[1.0, 3.0], [-2.0, 2.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.LpNormalization" opset 1 (%x) {axis = 0, p = 1} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[0.3333333, 0.6], [-0.6666667, 0.4]]> : tensor<2x2xf32>
  return
}

func.func @zeros() {
  %x = check.input dense<[[0.0, 0.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.LpNormalization" opset 22 (%x) {} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[0.0, 0.0]]> : tensor<1x2xf32>
  return
}
