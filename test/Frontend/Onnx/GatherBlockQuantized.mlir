// RUN: dynac-check %s
// Rows of a table of codes in blocks: (code - zero point) * scale.

// Two codes in a byte, the low bits first; 8 is zero.
func.func @bytes() {
  %table = check.input dense<[[0x21, 0x43], [0x98, 0xFA]]> : tensor<2x2xui8>
  %index = check.input dense<[1, -2]> : tensor<2xi64>
  %scales = check.input dense<[[1.0], [0.5]]> : tensor<2x1xf32>
  %y = model.node "com.microsoft.GatherBlockQuantized" opset 1 (%table, %index, %scales) {block_size = 16} :
    (tensor<2x2xui8>, tensor<2xi64>, tensor<2x1xf32>) -> tensor<2x4xf32>
  check.equal %y, dense<[[0.0, 0.5, 1.0, 3.5], [-7.0, -6.0, -5.0, -4.0]]> : tensor<2x4xf32>
  return
}

func.func @int4() {
  %table = check.input dense<[[-8, 7, 1], [0, -1, 2]]> : tensor<2x3xi4>
  %index = check.input dense<[[0], [1]]> : tensor<2x1xi32>
  %scales = check.input dense<[[1.0, 2.0], [0.5, 4.0]]> : tensor<2x2xf32>
  %zero = check.input dense<[[1, 0], [0, 1]]> : tensor<2x2xi4>
  %y = model.node "com.microsoft.GatherBlockQuantized" opset 1 (%table, %index, %scales, %zero)
    {block_size = 2, quantize_axis = 1} :
    (tensor<2x3xi4>, tensor<2x1xi32>, tensor<2x2xf32>, tensor<2x2xi4>) -> tensor<2x1x3xf32>
  check.equal %y, dense<[[[-9.0, 6.0, 2.0]], [[0.0, -0.5, 4.0]]]> : tensor<2x1x3xf32>
  return
}
