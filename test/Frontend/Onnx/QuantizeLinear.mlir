// RUN: dynac-check %s
// y = saturate(round_even(x / scale) + zero_point)

// Ties go to even, then the zero point is added, then it saturates.
func.func @order() {
  %x = check.input dense<[0.5, 1.5, 2.5, -0.5, -1.5, 300.0, -300.0]> : tensor<7xf32>
  %scale = check.constant dense<1.0> : tensor<f32>
  %zero = check.constant dense<1> : tensor<i8>
  %y = model.node "onnx.QuantizeLinear" opset 21 (%x, %scale, %zero) {}
      : (tensor<7xf32>, tensor<f32>, tensor<i8>) -> tensor<7xi8>
  check.equal %y, dense<[1, 3, 3, 1, -1, 127, -128]> : tensor<7xi8>
  return
}

func.func @half() {
  %x = check.input dense<[0.050018310546875, -0.050018310546875]> : tensor<2xf16>
  %scale = check.constant dense<0.0999755859375> : tensor<f16>
  %zero = check.constant dense<0> : tensor<i8>
  %y = model.node "onnx.QuantizeLinear" opset 19 (%x, %scale, %zero) {}
      : (tensor<2xf16>, tensor<f16>, tensor<i8>) -> tensor<2xi8>
  check.equal %y, dense<[1, -1]> : tensor<2xi8>
  return
}

// One scale per column of an odd number, into four bits.
func.func @per_axis() {
  %x = check.input dense<[[1.0, 8.0, -30.0], [-2.0, 100.0, 6.0]]> : tensor<2x3xf32>
  %scale = check.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %zero = check.constant dense<[0, 1, -1]> : tensor<3xi4>
  %y = model.node "onnx.QuantizeLinear" opset 21 (%x, %scale, %zero) {axis = -1}
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi4>) -> tensor<2x3xi4>
  check.equal %y, dense<[[1, 5, -8], [-2, 7, 1]]> : tensor<2x3xi4>
  return
}

// Blocks of two of five columns: the last one is not full.
func.func @blocks() {
  %x = check.input dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 6.0, 8.0, 10.0]]> : tensor<2x5xf32>
  %scale = check.constant dense<[[1.0, 2.0, 5.0], [2.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.QuantizeLinear" opset 21 (%x, %scale) {axis = 1, block_size = 2, output_dtype = 21}
      : (tensor<2x5xf32>, tensor<2x3xf32>) -> tensor<2x5xui4>
  check.equal %y, dense<[[1, 2, 2, 2, 1], [1, 2, 6, 8, 10]]> : tensor<2x5xui4>
  return
}

func.func @float4() {
  %x = check.input dense<[0.4, -1.3, 9.0]> : tensor<3xf32>
  %scale = check.constant dense<0.5> : tensor<f32>
  %q = model.node "onnx.QuantizeLinear" opset 23 (%x, %scale) {output_dtype = 23}
      : (tensor<3xf32>, tensor<f32>) -> tensor<3x!prim.f4E2M1>
  %y = model.node "onnx.DequantizeLinear" opset 23 (%q, %scale) {}
      : (tensor<3x!prim.f4E2M1>, tensor<f32>) -> tensor<3xf32>
  check.equal %y, dense<[0.5, -1.5, 3.0]> : tensor<3xf32>
  return
}
