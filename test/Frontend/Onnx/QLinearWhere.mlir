// RUN: dynac-check %s
// One or the other of quantised numbers.

func.func @uint8() {
  %c = check.input dense<[[true, false, true]]> : tensor<1x3xi1>
  %a = check.input dense<[[70, 106, 125], [7, 236, 107]]> : tensor<2x3xui8>
  %as = check.input dense<0.02> : tensor<f32>
  %az = check.input dense<7> : tensor<ui8>
  %b = check.input dense<[51, 50, 187]> : tensor<3xui8>
  %bs = check.input dense<0.03> : tensor<f32>
  %bz = check.input dense<5> : tensor<ui8>
  %cs = check.input dense<0.05> : tensor<f32>
  %cz = check.input dense<11> : tensor<ui8>
  %y = model.node "com.microsoft.QLinearWhere" opset 1 (%c, %a, %as, %az, %b, %bs, %bz, %cs, %cz) {} :
    (tensor<1x3xi1>, tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3xui8>, tensor<f32>, tensor<ui8>,
    tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  check.equal %y, dense<[[36, 38, 58], [11, 38, 51]]> : tensor<2x3xui8>
  return
}
