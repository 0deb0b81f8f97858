// RUN: dynac-check %s
// a, quantised as DynamicQuantizeLinear does, times the quantised b.

func.func @bias() {
  %a = check.input dense<[[0.0, -1.75, 2.0, 1.5], [1.0, -0.5, -1.5, 1.25]]> : tensor<2x4xf32>
  %b = check.input dense<[[-76, -46], [93, 32], [-52, 1], [28, -102]]> : tensor<4x2xi8>
  %bs = check.input dense<0.02> : tensor<f32>
  %bz = check.input dense<3> : tensor<i8>
  %c = check.input dense<[-1.0, 1.0]> : tensor<2xf32>
  %y = model.node "com.microsoft.DynamicQuantizeMatMul" opset 1 (%a, %b, %bs, %bz, %c) {} : (tensor<2x4xf32>,
    tensor<4x2xi8>, tensor<f32>, tensor<i8>, tensor<2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[-5.6, -3.245], [-1.205, -2.8349998]]> : tensor<2x2xf32> {rtol = 1.0e-4}
  return
}
