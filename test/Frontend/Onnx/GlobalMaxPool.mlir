// RUN: dynac-check %s
// y = the largest element over all axes after the channels.

func.func @image() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]], [[-1.0, -2.0], [-3.0, -6.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.GlobalMaxPool" opset 22 (%x) {} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32>
  check.equal %y, dense<[[[[4.0]], [[-1.0]]]]> : tensor<1x2x1x1xf32>
  return
}

func.func @line() {
  %x = check.input dense<[[[1.0, 5.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.GlobalMaxPool" opset 1 (%x) {} : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  check.equal %y, dense<[[[5.0]]]> : tensor<1x1x1xf32>
  return
}
