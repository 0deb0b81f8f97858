// RUN: dynac-check %s
// scale = (max(x, 0) - min(x, 0)) / 255, zero point = round(-min / scale), y = saturate(round(x / scale) + zero point).

func.func @both_signs() {
  %x = check.input dense<[-1.0, 0.0, 1.55]> : tensor<3xf32>
  %y, %y_scale, %y_zero_point = model.node "onnx.DynamicQuantizeLinear" opset 11 (%x) {} :
    (tensor<3xf32>) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>)
  check.equal %y, dense<[0, 100, 255]> : tensor<3xui8>
  check.close %y_scale, dense<0.01> : tensor<f32>
  check.equal %y_zero_point, dense<100> : tensor<ui8>
  return
}

// The range always holds 0.
func.func @positive() {
  %x = check.input dense<[0.0, 102.0, 255.0]> : tensor<3xf32>
  %y, %y_scale, %y_zero_point = model.node "onnx.DynamicQuantizeLinear" opset 11 (%x) {} :
    (tensor<3xf32>) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>)
  check.equal %y, dense<[0, 102, 255]> : tensor<3xui8>
  check.close %y_scale, dense<1.0> : tensor<f32>
  check.equal %y_zero_point, dense<0> : tensor<ui8>
  return
}
