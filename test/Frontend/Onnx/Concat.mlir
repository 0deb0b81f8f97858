// RUN: dynac-check %s
// y = the operands one after the other along `axis`.

func.func @rows() {
  %input0 = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %input1 = check.input dense<[[7.0, 8.0, 9.0]]> : tensor<1x3xf32>
  %y = model.node "onnx.Concat" opset 13 (%input0, %input1) {axis = 0} :
    (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  return
}

func.func @negative_axis() {
  %input0 = check.input dense<[[1], [2]]> : tensor<2x1xi64>
  %input1 = check.input dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>
  %input2 = check.input dense<[[7], [8]]> : tensor<2x1xi64>
  %y = model.node "onnx.Concat" opset 13 (%input0, %input1, %input2) {axis = -1} :
    (tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
  check.equal %y, dense<[[1, 3, 4, 7], [2, 5, 6, 8]]> : tensor<2x4xi64>
  return
}

func.func @one() {
  %input0 = check.input dense<[1.0]> : tensor<1xf32>
  %y = model.node "onnx.Concat" opset 4 (%input0) {axis = 0} : (tensor<1xf32>) -> tensor<1xf32>
  check.equal %y, dense<[1.0]> : tensor<1xf32>
  return
}

func.func @empty() {
  %input0 = check.input dense<> : tensor<0xf32>
  %input1 = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Concat" opset 13 (%input0, %input1) {axis = 0} :
    (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @bool() {
  %input0 = check.input dense<[true]> : tensor<1xi1>
  %input1 = check.input dense<[false]> : tensor<1xi1>
  %y = model.node "onnx.Concat" opset 13 (%input0, %input1) {axis = 0} : (tensor<1xi1>, tensor<1xi1>) -> tensor<2xi1>
  check.equal %y, dense<[true, false]> : tensor<2xi1>
  return
}
