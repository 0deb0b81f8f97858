// RUN: dynac-check %s
// y = the sum of the operands by their number.

func.func @three() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[2.0, 4.0]> : tensor<2xf32>
  %c = check.input dense<[6.0, 6.0]> : tensor<2xf32>
  %mean = model.node "onnx.Mean" opset 13 (%a, %b, %c) {} :
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %mean, dense<[3.0, 4.0]> : tensor<2xf32>
  return
}

func.func @one() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = model.node "onnx.Mean" opset 8 (%a) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %mean, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = check.input dense<[[3.0, 5.0]]> : tensor<1x2xf32>
  %mean = model.node "onnx.Mean" opset 13 (%a, %b) {} : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  check.equal %mean, dense<[[2.0, 3.0], [2.5, 3.5]]> : tensor<2x2xf32>
  return
}
