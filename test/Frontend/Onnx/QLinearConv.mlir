// RUN: dynac-check %s
// y = quantize(scale_x * scale_w / scale_y * conv(x - zero_x, w - zero_w) + zero_y); the bias has scale_x * scale_w.

// 0.25 * (0, 10, 20, 30): halves to even.
func.func @per_tensor() {
  %x = check.input dense<[[[[10, 20], [30, 40]]]]> : tensor<1x1x2x2xui8>
  %x_scale = check.input dense<0.5> : tensor<f32>
  %x_zero_point = check.input dense<10> : tensor<ui8>
  %w = check.input dense<[[[[2]]]]> : tensor<1x1x1x1xui8>
  %w_scale = check.input dense<0.25> : tensor<f32>
  %w_zero_point = check.input dense<1> : tensor<ui8>
  %y_scale = check.input dense<0.5> : tensor<f32>
  %y_zero_point = check.input dense<3> : tensor<ui8>
  %y = model.node "onnx.QLinearConv" opset 10 (%x, %x_scale, %x_zero_point, %w, %w_scale, %w_zero_point, %y_scale, %y_zero_point) {} :
    (tensor<1x1x2x2xui8>, tensor<f32>, tensor<ui8>, tensor<1x1x1x1xui8>, tensor<f32>, tensor<ui8>,
     tensor<f32>, tensor<ui8>) ->
    tensor<1x1x2x2xui8>
  check.equal %y, dense<[[[[3, 5], [8, 11]]]]> : tensor<1x1x2x2xui8>
  return
}

func.func @per_channel_and_bias() {
  %x = check.input dense<[[[4, 8]]]> : tensor<1x1x2xui8>
  %x_scale = check.input dense<1.0> : tensor<f32>
  %x_zero_point = check.input dense<0> : tensor<ui8>
  %w = check.input dense<[[[1]], [[-2]]]> : tensor<2x1x1xi8>
  %w_scale = check.input dense<[0.5, 0.25]> : tensor<2xf32>
  %w_zero_point = check.input dense<[0, 0]> : tensor<2xi8>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<100> : tensor<ui8>
  %b = check.input dense<[2, 4]> : tensor<2xi32>
  %y = model.node "onnx.QLinearConv" opset 10 (%x, %x_scale, %x_zero_point, %w, %w_scale, %w_zero_point, %y_scale, %y_zero_point, %b) {} :
    (tensor<1x1x2xui8>, tensor<f32>, tensor<ui8>, tensor<2x1x1xi8>, tensor<2xf32>, tensor<2xi8>, tensor<f32>,
     tensor<ui8>, tensor<2xi32>) ->
    tensor<1x2x2xui8>
  check.equal %y, dense<[[[103, 105], [99, 97]]]> : tensor<1x2x2xui8>
  return
}
