// RUN: dynac-check %s
// Quantised tensors joined, each of a scale of its own.

func.func @uint8() {
  %ys = check.input dense<0.015> : tensor<f32>
  %yz = check.input dense<11> : tensor<ui8>
  %a = check.input dense<[[128], [14]]> : tensor<2x1xui8>
  %as = check.input dense<0.02> : tensor<f32>
  %az = check.input dense<7> : tensor<ui8>
  %b = check.input dense<[[140, 46], [116, 28]]> : tensor<2x2xui8>
  %bs = check.input dense<0.03> : tensor<f32>
  %bz = check.input dense<5> : tensor<ui8>
  %y = model.node "com.microsoft.QLinearConcat" opset 1 (%ys, %yz, %a, %as, %az, %b, %bs, %bz) {axis = 1} :
    (tensor<f32>, tensor<ui8>, tensor<2x1xui8>, tensor<f32>, tensor<ui8>, tensor<2x2xui8>, tensor<f32>,
    tensor<ui8>) -> tensor<2x3xui8>
  check.equal %y, dense<[[172, 255, 93], [20, 233, 57]]> : tensor<2x3xui8>
  return
}
