// RUN: dynac-check %s
// The indices of what is not 0: one column for each, in row-major order.

func.func @matrix() {
  %x = check.input dense<[[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.NonZero" opset 13 (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xi64>
  check.equal %y, dense<[[0, 0, 1], [0, 2, 2]]> : tensor<2x3xi64>
  return
}

func.func @vector() {
  %x = check.input dense<[0, -1, 0, 4]> : tensor<4xi64>
  %y = model.node "onnx.NonZero" opset 9 (%x) {} : (tensor<4xi64>) -> tensor<1x2xi64>
  check.equal %y, dense<[[1, 3]]> : tensor<1x2xi64>
  return
}

func.func @bool() {
  %x = check.input dense<[[true, false]]> : tensor<1x2xi1>
  %y = model.node "onnx.NonZero" opset 13 (%x) {} : (tensor<1x2xi1>) -> tensor<2x1xi64>
  check.equal %y, dense<[[0], [0]]> : tensor<2x1xi64>
  return
}

func.func @none() {
  %x = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %y = model.node "onnx.NonZero" opset 13 (%x) {} : (tensor<2xf32>) -> tensor<1x0xi64>
  check.equal %y, dense<> : tensor<1x0xi64>
  return
}
