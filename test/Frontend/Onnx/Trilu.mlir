// RUN: dynac-check %s
// y = the upper or lower triangle of the last two axes, from diagonal k on; zeros elsewhere.

func.func @upper() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  %y = model.node "onnx.Trilu" opset 14 (%x) {} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[1.0, 2.0, 3.0], [0.0, 5.0, 6.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf32>
  return
}

func.func @lower() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  %y = model.node "onnx.Trilu" opset 14 (%x) {upper = 0} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[1.0, 0.0, 0.0], [4.0, 5.0, 0.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  return
}

func.func @above_the_diagonal() {
  %x = check.input dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %k = check.constant dense<1> : tensor<i64>
  %y = model.node "onnx.Trilu" opset 14 (%x, %k) {} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  check.equal %y, dense<[[0, 2, 3], [0, 0, 6]]> : tensor<2x3xi64>
  return
}

func.func @lower_and_below() {
  %x = check.input dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi64>
  %k = check.constant dense<-1> : tensor<i64>
  %y = model.node "onnx.Trilu" opset 14 (%x, %k) {upper = 0} : (tensor<3x3xi64>, tensor<i64>) -> tensor<3x3xi64>
  check.equal %y, dense<[[0, 0, 0], [4, 0, 0], [7, 8, 0]]> : tensor<3x3xi64>
  return
}

func.func @batch() {
  %x = check.input dense<true> : tensor<2x2x2xi1>
  %y = model.node "onnx.Trilu" opset 14 (%x) {} : (tensor<2x2x2xi1>) -> tensor<2x2x2xi1>
  check.equal %y, dense<[[[true, true], [false, true]], [[true, true], [false, true]]]> : tensor<2x2x2xi1>
  return
}
