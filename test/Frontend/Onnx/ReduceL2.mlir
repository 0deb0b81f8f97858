// RUN: dynac-check %s
// y = sqrt(the sum of x^2 over the axes).

func.func @one_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceL2" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.close %y, dense<[3.741657, 8.774964]> : tensor<2xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.ReduceL2" opset 18 (%x, %axes) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.close %y, dense<[[4.123106, 5.385165, 6.708204]]> : tensor<1x3xf32>
  return
}

// Without axes all are reduced.
func.func @all_axes() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceL2" opset 18 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
  check.close %y, dense<9.539392> : tensor<f32>
  return
}

func.func @axes_attribute() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceL2" opset 11 (%x) {axes = [1], keepdims = 1} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[3.741657], [8.774964]]> : tensor<2x1xf32>
  return
}

// Of no elements.
func.func @empty() {
  %x = check.input dense<> : tensor<2x0x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceL2" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<0.0> : tensor<2x3xf32>
  return
}

func.func @two_axes() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %axes = check.constant dense<[0, 2]> : tensor<2xi64>
  %y = model.node "onnx.ReduceL2" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x2x2xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.close %y, dense<[8.124039, 11.74734]> : tensor<2xf32>
  return
}
