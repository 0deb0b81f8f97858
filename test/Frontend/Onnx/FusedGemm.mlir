// RUN: dynac-check %s
// activation(alpha * a' b' + beta * c).

func.func @leaky() {
  %a = check.input dense<[[-1.0, -0.25, -1.0], [2.0, -1.25, 1.75]]> : tensor<2x3xf32>
  %b = check.input dense<[[1.25, 1.5, -1.75], [-0.5, 0.5, 0.0]]> : tensor<2x3xf32>
  %c = check.input dense<[0.75, 0.75]> : tensor<2xf32>
  %y = model.node "com.microsoft.FusedGemm" opset 1 (%a, %b, %c) {alpha = 0.5, beta = 2.0, transB = 1, activation =
    "LeakyRelu", activation_alpha = 0.1} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[1.5625, 1.6875], [0.28125, 0.6875]]> : tensor<2x2xf32>
  return
}
