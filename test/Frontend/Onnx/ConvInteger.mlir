// RUN: dynac-check %s
// y = the convolution of x - x_zero_point with w - w_zero_point in i32.

func.func @zero_point() {
  %x = check.input dense<[[[[2, 3, 4], [5, 6, 7], [8, 9, 10]]]]> : tensor<1x1x3x3xui8>
  %w = check.constant dense<[[[[1, 1], [1, 1]]]]> : tensor<1x1x2x2xui8>
  %x_zero_point = check.input dense<1> : tensor<ui8>
  %y = model.node "onnx.ConvInteger" opset 10 (%x, %w, %x_zero_point) {} :
    (tensor<1x1x3x3xui8>, tensor<1x1x2x2xui8>, tensor<ui8>) -> tensor<1x1x2x2xi32>
  check.equal %y, dense<[[[[12, 16], [24, 28]]]]> : tensor<1x1x2x2xi32>
  return
}

func.func @signed_weights() {
  %x = check.input dense<[[[255, 0, 3]]]> : tensor<1x1x3xui8>
  %w = check.constant dense<[[[-128, 1]]]> : tensor<1x1x2xi8>
  %y = model.node "onnx.ConvInteger" opset 10 (%x, %w) {} : (tensor<1x1x3xui8>, tensor<1x1x2xi8>) -> tensor<1x1x2xi32>
  check.equal %y, dense<[[[-32640, 3]]]> : tensor<1x1x2xi32>
  return
}

func.func @padding_is_the_zero_point() {
  %x = check.input dense<[[[[2]]]]> : tensor<1x1x1x1xui8>
  %w = check.constant dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xui8>
  %x_zero_point = check.input dense<1> : tensor<ui8>
  %w_zero_point = check.input dense<1> : tensor<ui8>
  %y = model.node "onnx.ConvInteger" opset 10 (%x, %w, %x_zero_point, %w_zero_point) {pads = [1, 1, 1, 1]} :
    (tensor<1x1x1x1xui8>, tensor<1x1x2x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x1x2x2xi32>
  check.equal %y, dense<[[[[3, 2], [1, 0]]]]> : tensor<1x1x2x2xi32>
  return
}
