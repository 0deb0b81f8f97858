// RUN: dynac-check %s
// y = (the sum of |x|^p over each window)^(1/p).

func.func @p_2_by_default() {
  %x = check.input dense<[[[3.0, -4.0, 0.0, 5.0]]]> : tensor<1x1x4xf32>
  %y = model.node "onnx.LpPool" opset 18 (%x) {kernel_shape = [2]} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  check.close %y, dense<[[[5.0, 4.0, 5.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @p_1() {
  %x = check.input dense<[[[3.0, -4.0, 0.0, 5.0]]]> : tensor<1x1x4xf32>
  %y = model.node "onnx.LpPool" opset 11 (%x) {kernel_shape = [2], strides = [2], p = 1} :
    (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  check.equal %y, dense<[[[7.0, 5.0]]]> : tensor<1x1x2xf32>
  return
}

func.func @pads_and_dilations() {
  %x = check.input dense<[[[3.0, 1.0, 4.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.LpPool" opset 18 (%x) {kernel_shape = [2], dilations = [2], pads = [1, 1]} :
    (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  check.close %y, dense<[[[1.0, 5.0, 1.0]]]> : tensor<1x1x3xf32>
  return
}
