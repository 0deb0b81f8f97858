// RUN: dynac-check %s
// a + b of quantised numbers.

func.func @uint8() {
  %a = check.input dense<[[151, 157, 230], [63, 93, 141]]> : tensor<2x3xui8>
  %as = check.input dense<0.02> : tensor<f32>
  %az = check.input dense<7> : tensor<ui8>
  %b = check.input dense<[86, 172, 211]> : tensor<3xui8>
  %bs = check.input dense<0.03> : tensor<f32>
  %bz = check.input dense<5> : tensor<ui8>
  %cs = check.input dense<0.05> : tensor<f32>
  %cz = check.input dense<11> : tensor<ui8>
  %y = model.node "com.microsoft.QLinearAdd" opset 1 (%a, %as, %az, %b, %bs, %bz, %cs, %cz) {} : (tensor<2x3xui8>,
    tensor<f32>, tensor<ui8>, tensor<3xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  check.equal %y, dense<[[117, 171, 224], [82, 146, 188]]> : tensor<2x3xui8>
  return
}
