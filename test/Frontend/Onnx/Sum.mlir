// RUN: dynac-check %s
// y = the sum of the operands.

func.func @three() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[10.0, 20.0]> : tensor<2xf32>
  %c = check.input dense<[100.0, 200.0]> : tensor<2xf32>
  %sum = model.node "onnx.Sum" opset 13 (%a, %b, %c) {} :
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %sum, dense<[111.0, 222.0]> : tensor<2xf32>
  return
}

func.func @one() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %sum = model.node "onnx.Sum" opset 8 (%a) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %sum, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = check.input dense<[[10.0, 20.0]]> : tensor<1x2xf32>
  %c = check.input dense<100.0> : tensor<f32>
  %sum = model.node "onnx.Sum" opset 13 (%a, %b, %c) {} :
    (tensor<2x1xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.equal %sum, dense<[[111.0, 121.0], [112.0, 122.0]]> : tensor<2x2xf32>
  return
}

func.func @half() {
  %a = check.input dense<[1.0, 2.0]> : tensor<2xf16>
  %b = check.input dense<[3.0, 4.0]> : tensor<2xf16>
  %sum = model.node "onnx.Sum" opset 6 (%a, %b) {} : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  check.equal %sum, dense<[4.0, 6.0]> : tensor<2xf16>
  return
}

// Rounded once: 2048 + 1 alone would be 2048 again.
func.func @half_once() {
  %a = check.input dense<[2048.0]> : tensor<1xf16>
  %b = check.input dense<[1.0]> : tensor<1xf16>
  %sum = model.node "onnx.Sum" opset 13 (%a, %b, %b) {} :
    (tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  check.equal %sum, dense<[2050.0]> : tensor<1xf16>
  return
}
