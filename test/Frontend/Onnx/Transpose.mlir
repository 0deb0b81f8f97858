// RUN: dynac-check %s
// y[i] = x[i permuted]: axis a of y is axis perm[a] of x.

func.func @reversed_by_default() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %transposed = model.node "onnx.Transpose" opset 13 (%x) {} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  check.equal %transposed, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf32>
  return
}

func.func @perm() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %transposed = model.node "onnx.Transpose" opset 1 (%x) {perm = [1, 0, 2]} : (tensor<2x3x2xf32>) -> tensor<3x2x2xf32>
  check.equal %transposed, dense<[[[0.0, 1.0], [6.0, 7.0]], [[2.0, 3.0], [8.0, 9.0]], [[4.0, 5.0],
                                  [10.0, 11.0]]]> : tensor<3x2x2xf32>
  return
}

func.func @last_two() {
  %x = check.input dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi64>
  %transposed = model.node "onnx.Transpose" opset 21 (%x) {perm = [0, 2, 1]} :
    (tensor<1x2x2xi64>) -> tensor<1x2x2xi64>
  check.equal %transposed, dense<[[[1, 3], [2, 4]]]> : tensor<1x2x2xi64>
  return
}

func.func @scalar() {
  %x = check.input dense<1.0> : tensor<f32>
  %transposed = model.node "onnx.Transpose" opset 13 (%x) {} : (tensor<f32>) -> tensor<f32>
  check.equal %transposed, dense<1.0> : tensor<f32>
  return
}
