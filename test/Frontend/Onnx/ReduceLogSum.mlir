// RUN: dynac-check %s
// y = log(the sum over the axes).

func.func @one_axis() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSum" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.close %y, dense<[1.791759, 2.70805]> : tensor<2xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSum" opset 18 (%x, %axes) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.close %y, dense<[[1.609438, 1.94591, 2.197225]]> : tensor<1x3xf32>
  return
}

// Without axes all are reduced.
func.func @all_axes() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceLogSum" opset 18 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
  check.close %y, dense<3.044523> : tensor<f32>
  return
}

func.func @axes_attribute() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceLogSum" opset 11 (%x) {axes = [1], keepdims = 1} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[1.791759], [2.70805]]> : tensor<2x1xf32>
  return
}

// Of no elements.
func.func @empty() {
  %x = check.input dense<> : tensor<2x0x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSum" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<0xFF800000> : tensor<2x3xf32>
  return
}
