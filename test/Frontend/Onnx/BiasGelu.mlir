// RUN: dynac-check %s
// gelu(x + bias).

func.func @vector() {
  %x = check.input dense<[[-1.0, 1.25, -2.0], [-0.75, 1.75, 1.5]]> : tensor<2x3xf32>
  %b = check.input dense<[-1.75, 1.5, 1.5]> : tensor<3xf32>
  %y = model.node "com.microsoft.BiasGelu" opset 1 (%x, %b) {} : (tensor<2x3xf32>, tensor<3xf32>) ->
    tensor<2x3xf32>
  check.close %y, dense<[[-0.008194327, 2.7418056, -0.15426877], [-0.015524104, 3.2481246, 2.9959502]]> :
    tensor<2x3xf32>
  return
}
