// RUN: dynac-check %s
// The tanh form of gelu(x + bias).

func.func @with_bias() {
  %x = check.input dense<[[-0.25, -0.5, 2.0], [2.0, 0.75, -0.5]]> : tensor<2x3xf32>
  %b = check.input dense<[-1.25, 1.75, -1.0]> : tensor<3xf32>
  %y = model.node "com.microsoft.FastGelu" opset 1 (%x, %b) {} : (tensor<2x3xf32>, tensor<3xf32>) ->
    tensor<2x3xf32>
  check.close %y, dense<[[-0.10042843, 1.1177142, 0.841192], [0.5799606, 2.4849157, -0.10042843]]> :
    tensor<2x3xf32>
  return
}

func.func @plain() {
  %x = check.input dense<[0.25, 0.75, -1.0]> : tensor<3xf32>
  %y = model.node "com.microsoft.FastGelu" opset 1 (%x) {} : (tensor<3xf32>) -> tensor<3xf32>
  check.close %y, dense<[0.14967535, 0.5799606, -0.15880796]> : tensor<3xf32>
  return
}
