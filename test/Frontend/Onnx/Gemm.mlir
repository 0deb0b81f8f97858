// RUN: dynac-check %s
// y = alpha * A * B + beta * C, A and B transposed as said; C broadcasts.

func.func @plain() {
  %a = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = check.input dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.Gemm" opset 13 (%a, %b) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[19.0, 22.0], [43.0, 50.0]]> : tensor<2x2xf32>
  return
}

func.func @all_attributes() {
  %a = check.input dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = check.input dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32>
  %c = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Gemm" opset 13 (%a, %b, %c) {alpha = 0.5, beta = 2.0, transA = 1, transB = 1} :
    (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[7.5, 13.0], [9.0, 15.0]]> : tensor<2x2xf32>
  return
}

func.func @column() {
  %a = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %b = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %c = check.input dense<[[10.0]]> : tensor<1x1xf32>
  %y = model.node "onnx.Gemm" opset 11 (%a, %b, %c) {} :
    (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  check.equal %y, dense<[[17.0, 20.0]]> : tensor<1x2xf32>
  return
}

func.func @integer() {
  %a = check.input dense<[[1, 2]]> : tensor<1x2xi32>
  %b = check.input dense<[[3], [4]]> : tensor<2x1xi32>
  %c = check.input dense<5> : tensor<i32>
  %y = model.node "onnx.Gemm" opset 13 (%a, %b, %c) {} :
    (tensor<1x2xi32>, tensor<2x1xi32>, tensor<i32>) -> tensor<1x1xi32>
  check.equal %y, dense<[[16]]> : tensor<1x1xi32>
  return
}

func.func @half() {
  %a = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf16>
  %b = check.input dense<[[1.0], [0.5]]> : tensor<2x1xf16>
  %c = check.input dense<[0.0]> : tensor<1xf16>
  %y = model.node "onnx.Gemm" opset 9 (%a, %b, %c) {} :
    (tensor<1x2xf16>, tensor<2x1xf16>, tensor<1xf16>) -> tensor<1x1xf16>
  check.equal %y, dense<[[2.0]]> : tensor<1x1xf16>
  return
}
