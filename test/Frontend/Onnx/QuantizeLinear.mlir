// RUN: dynac-check %s
// y = saturate(round(x / y_scale) + y_zero_point), halves to even.

func.func @unsigned() {
  %x = check.input dense<[-1.0, 0.0, 1.5, 2.5, 300.0]> : tensor<5xf32>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<10> : tensor<ui8>
  %y = model.node "onnx.QuantizeLinear" opset 13 (%x, %y_scale, %y_zero_point) {} :
    (tensor<5xf32>, tensor<f32>, tensor<ui8>) -> tensor<5xui8>
  check.equal %y, dense<[9, 10, 12, 12, 255]> : tensor<5xui8>
  return
}

func.func @signed() {
  %x = check.input dense<[-200.0, -0.5, 0.5, 1.5]> : tensor<4xf32>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<0> : tensor<i8>
  %y = model.node "onnx.QuantizeLinear" opset 10 (%x, %y_scale, %y_zero_point) {} :
    (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  check.equal %y, dense<[-128, 0, 0, 2]> : tensor<4xi8>
  return
}

func.func @per_axis() {
  %x = check.input dense<[[1.0, 2.0], [10.0, 20.0]]> : tensor<2x2xf32>
  %y_scale = check.input dense<[1.0, 10.0]> : tensor<2xf32>
  %y_zero_point = check.input dense<[0, 100]> : tensor<2xui8>
  %y = model.node "onnx.QuantizeLinear" opset 13 (%x, %y_scale, %y_zero_point) {axis = 0} :
    (tensor<2x2xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x2xui8>
  check.equal %y, dense<[[1, 2], [101, 102]]> : tensor<2x2xui8>
  return
}

func.func @zero_by_default() {
  %x = check.input dense<[0.0, 5.0, 1000.0]> : tensor<3xf32>
  %y_scale = check.input dense<2.0> : tensor<f32>
  %y = model.node "onnx.QuantizeLinear" opset 13 (%x, %y_scale) {} : (tensor<3xf32>, tensor<f32>) -> tensor<3xui8>
  check.equal %y, dense<[0, 2, 255]> : tensor<3xui8>
  return
}

func.func @blocks() {
  %x = check.input dense<[[2.0, 4.0, 30.0, 40.0]]> : tensor<1x4xf32>
  %y_scale = check.input dense<[[2.0, 10.0]]> : tensor<1x2xf32>
  %y_zero_point = check.input dense<[[0, 1]]> : tensor<1x2xi8>
  %y = model.node "onnx.QuantizeLinear" opset 21 (%x, %y_scale, %y_zero_point) {block_size = 2, axis = 1} :
    (tensor<1x4xf32>, tensor<1x2xf32>, tensor<1x2xi8>) -> tensor<1x4xi8>
  check.equal %y, dense<[[1, 2, 4, 5]]> : tensor<1x4xi8>
  return
}

func.func @int4() {
  %x = check.input dense<[-10.0, -3.0, 4.0, 9.0]> : tensor<4xf32>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<0> : tensor<i4>
  %y = model.node "onnx.QuantizeLinear" opset 21 (%x, %y_scale, %y_zero_point) {} :
    (tensor<4xf32>, tensor<f32>, tensor<i4>) -> tensor<4xi4>
  check.equal %y, dense<[-8, -3, 4, 7]> : tensor<4xi4>
  return
}

func.func @float8() {
  %x = check.input dense<[0.3, 1000.0]> : tensor<2xf32>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<0.0> : tensor<f8E4M3FN>
  %y = model.node "onnx.QuantizeLinear" opset 19 (%x, %y_scale, %y_zero_point) {} :
    (tensor<2xf32>, tensor<f32>, tensor<f8E4M3FN>) -> tensor<2xf8E4M3FN>
  check.equal %y, dense<[0.3, 4.5e2]> : tensor<2xf8E4M3FN>
  return
}

func.func @int16_of_microsoft() {
  %x = check.input dense<[0.25, 1.75, 1.75, 0.0]> : tensor<4xf32>
  %s = check.input dense<0.001> : tensor<f32>
  %z = check.input dense<5> : tensor<i16>
  %y = model.node "com.microsoft.QuantizeLinear" opset 1 (%x, %s, %z) {} : (tensor<4xf32>, tensor<f32>,
    tensor<i16>) -> tensor<4xi16>
  check.equal %y, dense<[255, 1755, 1755, 5]> : tensor<4xi16>
  return
}
