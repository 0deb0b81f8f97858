// RUN: dynac-check %s
// y = the sum over the axes by the number of elements.

func.func @one_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceMean" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.close %y, dense<[0.6666667, 1.0]> : tensor<2xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.ReduceMean" opset 18 (%x, %axes) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.close %y, dense<[[2.5, 1.5, -1.5]]> : tensor<1x3xf32>
  return
}

// Without axes all are reduced.
func.func @all_axes() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceMean" opset 18 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
  check.close %y, dense<0.8333333> : tensor<f32>
  return
}

func.func @axes_attribute() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceMean" opset 11 (%x) {axes = [1], keepdims = 1} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[0.6666667], [1.0]]> : tensor<2x1xf32>
  return
}

// With noop_with_empty_axes no axes mean no reduction.
func.func @nothing_to_do() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<> : tensor<0xi64>
  %y = model.node "onnx.ReduceMean" opset 18 (%x, %axes) {noop_with_empty_axes = 1} :
    (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
  check.close %y, dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  return
}

// The sum does not fit in f16, the mean does.
func.func @half() {
  %x = check.input dense<[6.0e4, 6.0e4]> : tensor<2xf16>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.ReduceMean" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2xf16>, tensor<1xi64>) -> tensor<f16>
  check.equal %y, dense<6.0e4> : tensor<f16>
  return
}
