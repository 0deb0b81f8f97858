// RUN: dynac-check %s
// y = the product over the axes.

func.func @one_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceProd" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.close %y, dense<[-6.0, -120.0]> : tensor<2xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.ReduceProd" opset 18 (%x, %axes) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.close %y, dense<[[4.0, -10.0, -18.0]]> : tensor<1x3xf32>
  return
}

// Without axes all are reduced.
func.func @all_axes() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceProd" opset 18 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
  check.close %y, dense<720.0> : tensor<f32>
  return
}

func.func @axes_attribute() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceProd" opset 11 (%x) {axes = [1], keepdims = 1} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[-6.0], [-120.0]]> : tensor<2x1xf32>
  return
}

// With noop_with_empty_axes no axes mean no reduction.
func.func @nothing_to_do() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<> : tensor<0xi64>
  %y = model.node "onnx.ReduceProd" opset 18 (%x, %axes) {noop_with_empty_axes = 1} :
    (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
  check.close %y, dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  return
}

// Of no elements.
func.func @empty() {
  %x = check.input dense<> : tensor<2x0x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceProd" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<1.0> : tensor<2x3xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.ReduceProd" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xi32>, tensor<1xi64>) -> tensor<3xi32>
  check.equal %y, dense<[4, -10, -18]> : tensor<3xi32>
  return
}
