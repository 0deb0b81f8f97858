// RUN: dynac-check %s
// softmax of quantised numbers.

func.func @uint8() {
  %x = check.input dense<[[63, 30, 16, 125], [49, 149, 173, 97]]> : tensor<2x4xui8>
  %xs = check.input dense<0.02> : tensor<f32>
  %xz = check.input dense<7> : tensor<ui8>
  %ys = check.input dense<0.00390625> : tensor<f32>
  %yz = check.input dense<0> : tensor<ui8>
  %y = model.node "com.microsoft.QLinearSoftmax" opset 1 (%x, %xs, %xz, %ys, %yz) {axis = -1, opset = 13} :
    (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  check.equal %y, dense<[[48, 25, 19, 165], [11, 82, 133, 29]]> : tensor<2x4xui8>
  return
}
