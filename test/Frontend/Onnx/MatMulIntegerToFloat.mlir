// RUN: dynac-check %s
// (a - a_zero) (b - b_zero) * a_scale * b_scale + bias.

func.func @bias() {
  %a = check.input dense<[[144, 15, 5, 54], [184, 106, 107, 154]]> : tensor<2x4xui8>
  %b = check.input dense<[[-111, 123], [-4, 99], [65, -66], [-51, 28]]> : tensor<4x2xi8>
  %as = check.input dense<0.02> : tensor<f32>
  %bs = check.input dense<[0.5, 0.25]> : tensor<2xf32>
  %az = check.input dense<7> : tensor<ui8>
  %bz = check.input dense<[0, 0]> : tensor<2xi8>
  %c = check.input dense<[1.5, 1.75]> : tensor<2xf32>
  %y = model.node "com.microsoft.MatMulIntegerToFloat" opset 1 (%a, %b, %as, %bs, %az, %bz, %c) {} :
    (tensor<2x4xui8>, tensor<4x2xi8>, tensor<f32>, tensor<2xf32>, tensor<ui8>, tensor<2xi8>, tensor<2xf32>) ->
    tensor<2x2xf32>
  check.close %y, dense<[[-176.15999, 97.204994], [-208.9, 147.19]]> : tensor<2x2xf32>
  return
}
