// RUN: dynac-check %s
// alpha * a' b', the last two axes swapped if so asked.

func.func @both_turned() {
  %a = check.input dense<[[[0.75, 1.25], [-2.0, 1.25], [-0.25, 0.0]], [[0.5, -1.0], [2.0, -2.0], [-1.0, -0.5]]]> :
    tensor<2x3x2xf32>
  %b = check.input dense<[[[0.25, -0.5, -1.5], [-2.0, -2.0, -2.0]], [[-1.5, 2.0, -1.25], [0.75, 1.0, -1.25]]]> :
    tensor<2x2x3xf32>
  %y = model.node "com.microsoft.FusedMatMul" opset 1 (%a, %b) {alpha = 0.5, transA = 1, transB = 1} :
    (tensor<2x3x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x2xf32>
  check.close %y, dense<[[[0.78125, 1.5], [-0.15625, -2.5]], [[2.25, 1.8125], [-0.9375, -1.0625]]]> :
    tensor<2x2x2xf32>
  return
}
