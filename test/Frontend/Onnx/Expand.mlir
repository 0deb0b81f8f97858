// RUN: dynac-check %s
// y = x broadcast with `shape`, which may be shorter or hold ones.

func.func @rows() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = check.constant dense<[3, 2]> : tensor<2xi64>
  %y = model.node "onnx.Expand" opset 13 (%x, %shape) {} : (tensor<2xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  check.equal %y, dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<3x2xf32>
  return
}

// Extents of x stay where the shape has 1.
func.func @both_ways() {
  %x = check.input dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %shape = check.constant dense<[2, 1, 3]> : tensor<3xi64>
  %y = model.node "onnx.Expand" opset 13 (%x, %shape) {} : (tensor<2x1xf32>, tensor<3xi64>) -> tensor<2x2x3xf32>
  check.equal %y, dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf32>
  return
}

func.func @shorter() {
  %x = check.input dense<[[1, 2]]> : tensor<1x2xi32>
  %shape = check.constant dense<[2]> : tensor<1xi64>
  %y = model.node "onnx.Expand" opset 8 (%x, %shape) {} : (tensor<1x2xi32>, tensor<1xi64>) -> tensor<1x2xi32>
  check.equal %y, dense<[[1, 2]]> : tensor<1x2xi32>
  return
}

func.func @scalar() {
  %x = check.input dense<true> : tensor<i1>
  %shape = check.constant dense<[2]> : tensor<1xi64>
  %y = model.node "onnx.Expand" opset 13 (%x, %shape) {} : (tensor<i1>, tensor<1xi64>) -> tensor<2xi1>
  check.equal %y, dense<[true, true]> : tensor<2xi1>
  return
}

func.func @empty() {
  %x = check.input dense<[[1.0]]> : tensor<1x1xf32>
  %shape = check.constant dense<[0, 1]> : tensor<2xi64>
  %y = model.node "onnx.Expand" opset 13 (%x, %shape) {} : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<0x1xf32>
  check.equal %y, dense<> : tensor<0x1xf32>
  return
}
