// RUN: dynac-check %s
// y = a * b over the last two axes, the others broadcast; vectors are rows or columns.

func.func @matrices() {
  %a = check.input dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = check.input dense<[[1.0, 0.0, -1.0], [2.0, 1.0, 0.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.MatMul" opset 13 (%a, %b) {} : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[5.0, 2.0, -1.0], [11.0, 4.0, -3.0], [17.0, 6.0, -5.0]]> : tensor<3x3xf32>
  return
}

func.func @vectors() {
  %a = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = check.input dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %y = model.node "onnx.MatMul" opset 13 (%a, %b) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  check.equal %y, dense<32.0> : tensor<f32>
  return
}

func.func @vector_by_matrix() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.MatMul" opset 9 (%a, %b) {} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  check.equal %y, dense<[9.0, 12.0, 15.0]> : tensor<3xf32>
  return
}

// 2x1x2 by 2x1x2x1: 2x2x1x1.
func.func @batches() {
  %a = check.input dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = check.input dense<[[[[1.0], [1.0]]], [[[2.0], [0.0]]]]> : tensor<2x1x2x1xf32>
  %y = model.node "onnx.MatMul" opset 13 (%a, %b) {} : (tensor<2x1x2xf32>, tensor<2x1x2x1xf32>) -> tensor<2x2x1x1xf32>
  check.equal %y, dense<[[[[3.0]], [[7.0]]], [[[2.0]], [[6.0]]]]> : tensor<2x2x1x1xf32>
  return
}

func.func @integer() {
  %a = check.input dense<[[1, 2]]> : tensor<1x2xi32>
  %b = check.input dense<[[3], [-4]]> : tensor<2x1xi32>
  %y = model.node "onnx.MatMul" opset 9 (%a, %b) {} : (tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi32>
  check.equal %y, dense<[[-5]]> : tensor<1x1xi32>
  return
}

func.func @half() {
  %a = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf16>
  %b = check.input dense<[[0.5], [4.0]]> : tensor<2x1xf16>
  %y = model.node "onnx.MatMul" opset 13 (%a, %b) {} : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xf16>
  check.equal %y, dense<[[8.5]]> : tensor<1x1xf16>
  return
}

func.func @nothing_to_sum() {
  %a = check.input dense<> : tensor<2x0xf32>
  %b = check.input dense<> : tensor<0x2xf32>
  %y = model.node "onnx.MatMul" opset 13 (%a, %b) {} : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[0.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
  return
}
