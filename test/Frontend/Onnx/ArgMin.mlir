// RUN: dynac-check %s
// y = the index of the smallest element along `axis`, of equal ones the first or, with select_last_index, the last.

func.func @first() {
  %x = check.input dense<[[1.0, 3.0, 1.0], [5.0, 2.0, 2.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ArgMin" opset 13 (%x) {axis = 1} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  check.equal %y, dense<[[0], [1]]> : tensor<2x1xi64>
  return
}

func.func @last() {
  %x = check.input dense<[[1.0, 3.0, 1.0], [5.0, 2.0, 2.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ArgMin" opset 13 (%x) {axis = -1, select_last_index = 1, keepdims = 0} :
    (tensor<2x3xf32>) -> tensor<2xi64>
  check.equal %y, dense<[2, 2]> : tensor<2xi64>
  return
}

func.func @axis_0_by_default() {
  %x = check.input dense<[[1.0, 3.0, 1.0], [5.0, 2.0, 2.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.ArgMin" opset 11 (%x) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<3xi64>
  check.equal %y, dense<[0, 1, 0]> : tensor<3xi64>
  return
}

func.func @integer() {
  %x = check.input dense<[7, -9, 7, -9]> : tensor<4xi32>
  %y = model.node "onnx.ArgMin" opset 13 (%x) {keepdims = 0} : (tensor<4xi32>) -> tensor<i64>
  check.equal %y, dense<1> : tensor<i64>
  return
}

func.func @half() {
  %x = check.input dense<[[1.0], [2.0]]> : tensor<2x1xf16>
  %y = model.node "onnx.ArgMin" opset 13 (%x) {axis = 0} : (tensor<2x1xf16>) -> tensor<1x1xi64>
  check.equal %y, dense<[[0]]> : tensor<1x1xi64>
  return
}
