// RUN: dynac-check %s
// logistic of quantised numbers.

func.func @int8() {
  %x = check.input dense<[-65, -56, 92, -45]> : tensor<4xi8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<i8>
  %ys = check.input dense<0.00390625> : tensor<f32>
  %yz = check.input dense<-128> : tensor<i8>
  %y = model.node "com.microsoft.QLinearSigmoid" opset 1 (%x, %xs, %xz, %ys, %yz) {} : (tensor<4xi8>, tensor<f32>,
    tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  check.equal %y, dense<[-79, -71, 88, -61]> : tensor<4xi8>
  return
}
