// RUN: dynac-check %s
// y = x without axes of extent 1.

func.func @axes() {
  %x = check.input dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %squeezed = model.node "onnx.Squeeze" opset 13 (%x, %axes) {} :
    (tensor<1x2x1xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  check.equal %squeezed, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

func.func @negative_axes() {
  %x = check.input dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %axes = check.constant dense<[-1, 0]> : tensor<2xi64>
  %squeezed = model.node "onnx.Squeeze" opset 13 (%x, %axes) {} : (tensor<1x2x1xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.equal %squeezed, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// Without axes all of extent 1.
func.func @all() {
  %x = check.input dense<[[[5.0]]]> : tensor<1x1x1xf32>
  %squeezed = model.node "onnx.Squeeze" opset 13 (%x) {} : (tensor<1x1x1xf32>) -> tensor<f32>
  check.equal %squeezed, dense<5.0> : tensor<f32>
  return
}

func.func @attribute() {
  %x = check.input dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %squeezed = model.node "onnx.Squeeze" opset 11 (%x) {axes = [2]} : (tensor<1x2x1xf32>) -> tensor<1x2xf32>
  check.equal %squeezed, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  return
}

func.func @extent_2() attributes {check.invalid = "axis 1"} {
  %x = check.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %axes = check.constant dense<[1]> : tensor<1xi64>
  %squeezed = model.node "onnx.Squeeze" opset 13 (%x, %axes) {} : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return
}
