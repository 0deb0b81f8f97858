// RUN: dynac-check %s
// x, or alpha * x below 0, of quantised numbers.

func.func @int8() {
  %x = check.input dense<[-87, -28, 48, -14]> : tensor<4xi8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<i8>
  %ys = check.input dense<0.015> : tensor<f32>
  %yz = check.input dense<11> : tensor<i8>
  %y = model.node "com.microsoft.QLinearLeakyRelu" opset 1 (%x, %xs, %xz, %ys, %yz) {alpha = 0.2} : (tensor<4xi8>,
    tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  check.equal %y, dense<[-14, 2, 66, 5]> : tensor<4xi8>
  return
}
