// RUN: dynac-check %s
// y = (x - zero_point) * scale

func.func @uint8() {
  %x = check.input dense<[0, 3, 128, 255]> : tensor<4xui8>
  %scale = check.constant dense<2.0> : tensor<f32>
  %zero = check.constant dense<128> : tensor<ui8>
  %y = model.node "onnx.DequantizeLinear" opset 13 (%x, %scale, %zero) {}
      : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  check.equal %y, dense<[-256.0, -250.0, 0.0, 254.0]> : tensor<4xf32>
  return
}

func.func @int4_per_axis() {
  %x = check.input dense<[[-8, 7, 1], [0, -1, 2]]> : tensor<2x3xi4>
  %scale = check.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %zero = check.constant dense<[1, -1]> : tensor<2xi4>
  %y = model.node "onnx.DequantizeLinear" opset 21 (%x, %scale, %zero) {axis = 0}
      : (tensor<2x3xi4>, tensor<2xf32>, tensor<2xi4>) -> tensor<2x3xf32>
  check.equal %y, dense<[[-9.0, 6.0, 0.0], [0.5, 0.0, 1.5]]> : tensor<2x3xf32>
  return
}

func.func @uint2_blocks() {
  %x = check.input dense<[[0, 1], [2, 3], [3, 1]]> : tensor<3x2xui2>
  %scale = check.constant dense<[[1.0, 10.0], [2.0, 20.0]]> : tensor<2x2xf32>
  %zero = check.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xui2>
  %y = model.node "onnx.DequantizeLinear" opset 25 (%x, %scale, %zero) {axis = 0, block_size = 2}
      : (tensor<3x2xui2>, tensor<2x2xf32>, tensor<2x2xui2>) -> tensor<3x2xf32>
  check.equal %y, dense<[[-1.0, 10.0], [1.0, 30.0], [6.0, 0.0]]> : tensor<3x2xf32>
  return
}

// The product in f32, rounded once to the scale's type.
func.func @half() {
  %x = check.input dense<[3, -3]> : tensor<2xi8>
  %scale = check.constant dense<0.0999755859375> : tensor<f16>
  %y = model.node "onnx.DequantizeLinear" opset 19 (%x, %scale) {} : (tensor<2xi8>, tensor<f16>) -> tensor<2xf16>
  check.equal %y, dense<[0.2998046875, -0.2998046875]> : tensor<2xf16>
  return
}
