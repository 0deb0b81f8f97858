// RUN: dynac-check %s
// x * logistic(alpha * x).

func.func @alpha() {
  %x = check.input dense<[2.0, 0.75, 0.5, -0.25]> : tensor<4xf32>
  %y = model.node "com.microsoft.QuickGelu" opset 1 (%x) {alpha = 1.5} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[1.9051483, 0.56618625, 0.33958936, -0.10183335]> : tensor<4xf32>
  return
}
