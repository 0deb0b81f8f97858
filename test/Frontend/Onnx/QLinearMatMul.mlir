// RUN: dynac-check %s
// y = quantize((a - zero_a) * scale_a * (b - zero_b) * scale_b / scale_y + zero_y).

func.func @unsigned() {
  %a = check.input dense<[[10, 20]]> : tensor<1x2xui8>
  %a_scale = check.input dense<0.5> : tensor<f32>
  %a_zero_point = check.input dense<10> : tensor<ui8>
  %b = check.input dense<[[3], [5]]> : tensor<2x1xui8>
  %b_scale = check.input dense<0.5> : tensor<f32>
  %b_zero_point = check.input dense<1> : tensor<ui8>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<100> : tensor<ui8>
  %y = model.node "onnx.QLinearMatMul" opset 10 (%a, %a_scale, %a_zero_point, %b, %b_scale, %b_zero_point, %y_scale, %y_zero_point) {} :
    (tensor<1x2xui8>, tensor<f32>, tensor<ui8>, tensor<2x1xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) ->
    tensor<1x1xui8>
  check.equal %y, dense<[[110]]> : tensor<1x1xui8>
  return
}

func.func @saturates() {
  %a = check.input dense<[[100, 100]]> : tensor<1x2xi8>
  %a_scale = check.input dense<1.0> : tensor<f32>
  %a_zero_point = check.input dense<0> : tensor<i8>
  %b = check.input dense<[[1], [1]]> : tensor<2x1xi8>
  %b_scale = check.input dense<1.0> : tensor<f32>
  %b_zero_point = check.input dense<0> : tensor<i8>
  %y_scale = check.input dense<1.0> : tensor<f32>
  %y_zero_point = check.input dense<0> : tensor<i8>
  %y = model.node "onnx.QLinearMatMul" opset 21 (%a, %a_scale, %a_zero_point, %b, %b_scale, %b_zero_point, %y_scale, %y_zero_point) {} :
    (tensor<1x2xi8>, tensor<f32>, tensor<i8>, tensor<2x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) ->
    tensor<1x1xi8>
  check.equal %y, dense<[[127]]> : tensor<1x1xi8>
  return
}
