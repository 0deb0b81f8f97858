// RUN: dynac-check %s
// alpha * a_scale * b_scale * ((a - a_zero) (b - b_zero) + c).

func.func @to_float() {
  %a = check.input dense<[[112, 64, 115, 49], [41, 82, 246, 23]]> : tensor<2x4xui8>
  %as = check.input dense<0.02> : tensor<f32>
  %az = check.input dense<7> : tensor<ui8>
  %b = check.input dense<[[11, 111], [-10, -35], [14, -83], [50, -128]]> : tensor<4x2xi8>
  %bs = check.input dense<[0.5, 0.25]> : tensor<2xf32>
  %bz = check.input dense<[0, 0]> : tensor<2xi8>
  %c = check.input dense<[9, -99]> : tensor<2xi32>
  %y = model.node "com.microsoft.QGemm" opset 1 (%a, %as, %az, %b, %bs, %bz, %c) {} : (tensor<2x4xui8>,
    tensor<f32>, tensor<ui8>, tensor<4x2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2xi32>) -> tensor<2x2xf32>
  check.close %y, dense<[[42.059998, -23.894999], [37.79, -104.174995]]> : tensor<2x2xf32>
  return
}

func.func @quantised() {
  %a = check.input dense<[[112, 64, 115, 49], [41, 82, 246, 23]]> : tensor<2x4xui8>
  %as = check.input dense<0.02> : tensor<f32>
  %az = check.input dense<7> : tensor<ui8>
  %b = check.input dense<[[11, 111], [-10, -35], [14, -83], [50, -128]]> : tensor<4x2xi8>
  %bs = check.input dense<[0.5, 0.25]> : tensor<2xf32>
  %bz = check.input dense<[0, 0]> : tensor<2xi8>
  %c = check.input dense<[9, -99]> : tensor<2xi32>
  %ys = check.input dense<4.0> : tensor<f32>
  %yz = check.input dense<100> : tensor<ui8>
  %y = model.node "com.microsoft.QGemm" opset 1 (%a, %as, %az, %b, %bs, %bz, %c, %ys, %yz) {} : (tensor<2x4xui8>,
    tensor<f32>, tensor<ui8>, tensor<4x2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2xi32>, tensor<f32>, tensor<ui8>)
    -> tensor<2x2xui8>
  check.equal %y, dense<[[111, 94], [109, 74]]> : tensor<2x2xui8>
  return
}
