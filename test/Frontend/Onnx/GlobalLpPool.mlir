// RUN: dynac-check %s
// y = (the sum of |x|^p over all axes after the channels)^(1/p).

func.func @p_2_by_default() {
  %x = check.input dense<[[[[3.0, -4.0]]]]> : tensor<1x1x1x2xf32>
  %y = model.node "onnx.GlobalLpPool" opset 2 (%x) {} : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x1xf32>
  check.close %y, dense<[[[[5.0]]]]> : tensor<1x1x1x1xf32>
  return
}

func.func @p_1() {
  %x = check.input dense<[[[1.0, -5.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.GlobalLpPool" opset 22 (%x) {p = 1} : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  check.close %y, dense<[[[9.0]]]> : tensor<1x1x1xf32>
  return
}
