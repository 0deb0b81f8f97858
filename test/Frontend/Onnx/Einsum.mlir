// RUN: dynac-check %s
// y = the sum over all letters that the result has not of the products; without an arrow the result has the letters that occur once, sorted.

func.func @matrix_product() {
  %input0 = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %input1 = check.input dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0, %input1) {equation = "ij,jk->ik"} :
    (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[19.0, 22.0], [43.0, 50.0]]> : tensor<2x2xf32>
  return
}

func.func @transpose() {
  %input0 = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0) {equation = "ij->ji"} : (tensor<1x3xf32>) -> tensor<3x1xf32>
  check.equal %y, dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  return
}

func.func @diagonal_sum() {
  %input0 = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0) {equation = "ii->"} : (tensor<2x2xf32>) -> tensor<f32>
  check.equal %y, dense<5.0> : tensor<f32>
  return
}

func.func @outer() {
  %input0 = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %input1 = check.input dense<[3.0, 4.0]> : tensor<2xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0, %input1) {equation = "i,j"} :
    (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[3.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  return
}

func.func @batch() {
  %input0 = check.input dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %input1 = check.input dense<[[[1.0], [1.0]], [[2.0], [2.0]]]> : tensor<2x2x1xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0, %input1) {equation = "...ij,...jk->...ik"} :
    (tensor<2x1x2xf32>, tensor<2x2x1xf32>) -> tensor<2x1x1xf32>
  check.equal %y, dense<[[[3.0]], [[14.0]]]> : tensor<2x1x1xf32>
  return
}

func.func @three() {
  %input0 = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %input1 = check.input dense<[3.0, 4.0]> : tensor<2xf32>
  %input2 = check.input dense<[5.0, 6.0]> : tensor<2xf32>
  %y = model.node "onnx.Einsum" opset 12 (%input0, %input1, %input2) {equation = "i,i,i->i"} :
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[15.0, 48.0]> : tensor<2xf32>
  return
}
