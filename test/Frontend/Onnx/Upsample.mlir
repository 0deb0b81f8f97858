// RUN: dynac-check %s
// y = x at y / scale, the nearest below or linear.

func.func @nearest() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %scales = check.constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32>
  %y = model.node "onnx.Upsample" opset 9 (%x, %scales) {} :
    (tensor<1x1x2x2xf32>, tensor<4xf32>) -> tensor<1x1x4x3xf32>
  check.equal %y, dense<[[[[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [3.0, 3.0, 4.0],
                         [3.0, 3.0, 4.0]]]]> : tensor<1x1x4x3xf32>
  return
}

func.func @linear() {
  %x = check.input dense<[[[[1.0, 3.0]]]]> : tensor<1x1x1x2xf32>
  %scales = check.constant dense<[1.0, 1.0, 1.0, 2.0]> : tensor<4xf32>
  %y = model.node "onnx.Upsample" opset 9 (%x, %scales) {mode = "linear"} :
    (tensor<1x1x1x2xf32>, tensor<4xf32>) -> tensor<1x1x1x4xf32>
  check.equal %y, dense<[[[[1.0, 2.0, 3.0, 3.0]]]]> : tensor<1x1x1x4xf32>
  return
}

func.func @attribute() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %y = model.node "onnx.Upsample" opset 7 (%x) {scales = [1.0, 1.0, 2.0]} : (tensor<1x1x4xf32>) -> tensor<1x1x8xf32>
  check.equal %y, dense<[[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]]]> : tensor<1x1x8xf32>
  return
}
