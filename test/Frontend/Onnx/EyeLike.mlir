// RUN: dynac-check %s
// y = ones on diagonal k, of the shape of x.

func.func @main_diagonal() {
  %x = check.input dense<0.0> : tensor<2x3xf32>
  %y = model.node "onnx.EyeLike" opset 9 (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.equal %y, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf32>
  return
}

func.func @above() {
  %x = check.input dense<0> : tensor<3x3xi32>
  %y = model.node "onnx.EyeLike" opset 9 (%x) {k = 1} : (tensor<3x3xi32>) -> tensor<3x3xi32>
  check.equal %y, dense<[[0, 1, 0], [0, 0, 1], [0, 0, 0]]> : tensor<3x3xi32>
  return
}

func.func @below() {
  %x = check.input dense<0.0> : tensor<3x2xf32>
  %y = model.node "onnx.EyeLike" opset 22 (%x) {k = -1, dtype = 7} : (tensor<3x2xf32>) -> tensor<3x2xi64>
  check.equal %y, dense<[[0, 0], [1, 0], [0, 1]]> : tensor<3x2xi64>
  return
}

func.func @outside() {
  %x = check.input dense<[[0.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.EyeLike" opset 9 (%x) {k = 5} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[0.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
  return
}
