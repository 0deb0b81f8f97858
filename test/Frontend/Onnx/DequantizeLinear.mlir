// RUN: dynac-check %s
// y = (x - x_zero_point) * x_scale.

func.func @unsigned() {
  %x = check.input dense<[0, 128, 255]> : tensor<3xui8>
  %x_scale = check.input dense<0.5> : tensor<f32>
  %x_zero_point = check.input dense<128> : tensor<ui8>
  %y = model.node "onnx.DequantizeLinear" opset 13 (%x, %x_scale, %x_zero_point) {} :
    (tensor<3xui8>, tensor<f32>, tensor<ui8>) -> tensor<3xf32>
  check.equal %y, dense<[-64.0, 0.0, 63.5]> : tensor<3xf32>
  return
}

func.func @no_zero_point() {
  %x = check.input dense<[-128, 3]> : tensor<2xi8>
  %x_scale = check.input dense<2.0> : tensor<f32>
  %y = model.node "onnx.DequantizeLinear" opset 10 (%x, %x_scale) {} : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  check.equal %y, dense<[-256.0, 6.0]> : tensor<2xf32>
  return
}

func.func @per_axis() {
  %x = check.input dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %x_scale = check.input dense<[1.0, 10.0]> : tensor<2xf32>
  %x_zero_point = check.input dense<[0, 1]> : tensor<2xi8>
  %y = model.node "onnx.DequantizeLinear" opset 13 (%x, %x_scale, %x_zero_point) {} :
    (tensor<2x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x2xf32>
  check.equal %y, dense<[[1.0, 10.0], [3.0, 30.0]]> : tensor<2x2xf32>
  return
}

func.func @bias() {
  %x = check.input dense<[1000000, -3]> : tensor<2xi32>
  %x_scale = check.input dense<0.25> : tensor<f32>
  %y = model.node "onnx.DequantizeLinear" opset 13 (%x, %x_scale) {} : (tensor<2xi32>, tensor<f32>) -> tensor<2xf32>
  check.equal %y, dense<[250000.0, -0.75]> : tensor<2xf32>
  return
}

func.func @blocks() {
  %x = check.input dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>
  %x_scale = check.input dense<[[1.0, 10.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.DequantizeLinear" opset 21 (%x, %x_scale) {axis = 1, block_size = 2} :
    (tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<1x4xf32>
  check.equal %y, dense<[[1.0, 2.0, 30.0, 40.0]]> : tensor<1x4xf32>
  return
}

func.func @int4() {
  %x = check.input dense<[-8, 7]> : tensor<2xi4>
  %x_scale = check.input dense<0.5> : tensor<f32>
  %x_zero_point = check.input dense<1> : tensor<i4>
  %y = model.node "onnx.DequantizeLinear" opset 21 (%x, %x_scale, %x_zero_point) {} :
    (tensor<2xi4>, tensor<f32>, tensor<i4>) -> tensor<2xf32>
  check.equal %y, dense<[-4.5, 3.0]> : tensor<2xf32>
  return
}

func.func @half() {
  %x = check.input dense<[2]> : tensor<1xui8>
  %x_scale = check.input dense<0.5> : tensor<f16>
  %y = model.node "onnx.DequantizeLinear" opset 19 (%x, %x_scale) {} : (tensor<1xui8>, tensor<f16>) -> tensor<1xf16>
  check.equal %y, dense<[1.0]> : tensor<1xf16>
  return
}

func.func @int16_of_microsoft() {
  %x = check.input dense<[5, -900, 30000]> : tensor<3xi16>
  %s = check.input dense<0.5> : tensor<f32>
  %z = check.input dense<5> : tensor<i16>
  %y = model.node "com.microsoft.DequantizeLinear" opset 1 (%x, %s, %z) {} : (tensor<3xi16>, tensor<f32>,
    tensor<i16>) -> tensor<3xf32>
  check.close %y, dense<[0.0, -452.5, 14997.5]> : tensor<3xf32>
  return
}
