// RUN: dynac-check %s
// y[k] = the sum over n of x[n] * e^(-2 pi i k n / N); inverse = 1 has + and 1 / N. The axis is an operand from version 20 on.

func.func @real() {
  %x = check.input dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %none = model.absent : !model.none
  %axis = check.constant dense<1> : tensor<i64>
  %y = model.node "onnx.DFT" opset 20 (%x, %none, %axis) {} :
    (tensor<1x4x1xf32>, !model.none, tensor<i64>) -> tensor<1x4x2xf32>
  check.close %y, dense<[[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0], [-2.0, -2.0]]]> : tensor<1x4x2xf32> {atol = 1.0e-5}
  return
}

func.func @inverse() {
  %x = check.input dense<[[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0], [-2.0, -2.0]]]> : tensor<1x4x2xf32>
  %none = model.absent : !model.none
  %axis = check.constant dense<1> : tensor<i64>
  %y = model.node "onnx.DFT" opset 20 (%x, %none, %axis) {inverse = 1} :
    (tensor<1x4x2xf32>, !model.none, tensor<i64>) -> tensor<1x4x2xf32>
  check.close %y, dense<[[[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]]]> : tensor<1x4x2xf32> {atol = 1.0e-5}
  return
}

func.func @onesided() {
  %x = check.input dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %y = model.node "onnx.DFT" opset 17 (%x) {axis = 1, onesided = 1} : (tensor<1x4x1xf32>) -> tensor<1x3x2xf32>
  check.close %y, dense<[[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]]]> : tensor<1x3x2xf32> {atol = 1.0e-5}
  return
}

// Padded with zeros.
func.func @length() {
  %x = check.input dense<[[[1.0], [1.0]]]> : tensor<1x2x1xf32>
  %dft_length = check.constant dense<4> : tensor<i64>
  %axis = check.constant dense<1> : tensor<i64>
  %y = model.node "onnx.DFT" opset 20 (%x, %dft_length, %axis) {} :
    (tensor<1x2x1xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4x2xf32>
  check.close %y, dense<[[[2.0, 0.0], [1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]]> : tensor<1x4x2xf32> {atol = 1.0e-5}
  return
}
