// RUN: dynac-check %s
// y = log(the sum of e^x over the axes), without overflow.

func.func @one_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.close %y, dense<[3.132845, 5.313274]> : tensor<2xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %axes = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x, %axes) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.close %y, dense<[[4.048587, 5.000911, 3.000123]]> : tensor<1x3xf32>
  return
}

// Without axes all are reduced.
func.func @all_axes() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
  check.close %y, dense<5.420327> : tensor<f32>
  return
}

func.func @axes_attribute() {
  %x = check.input dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ReduceLogSumExp" opset 11 (%x) {axes = [1], keepdims = 1} :
    (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[3.132845], [5.313274]]> : tensor<2x1xf32>
  return
}

// Of no elements.
func.func @empty() {
  %x = check.input dense<> : tensor<2x0x3xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<0xFF800000> : tensor<2x3xf32>
  return
}

func.func @large() {
  %x = check.input dense<[1000.0, 1000.0]> : tensor<2xf32>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
  check.close %y, dense<1000.693> : tensor<f32>
  return
}

func.func @minus_infinity() {
  %x = check.input dense<[0xFF800000, 0xFF800000]> : tensor<2xf32>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.ReduceLogSumExp" opset 18 (%x, %axes) {keepdims = 0} :
    (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
  check.close %y, dense<0xFF800000> : tensor<f32>
  return
}
