// RUN: dynac-check %s
// y = tanh(x), 1 for large x and exact near 0.

func.func @values() {
  %x = check.input dense<[0xFF800000, -1.0, 0.0, 1.0e-4, 0.5, 50.0]> : tensor<6xf32>
  %y = model.node "onnx.Tanh" opset 13 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[-1.0, -0.7615942, 0.0, 1.0e-4, 0.4621172, 1.0]> : tensor<6xf32> {atol = 1.0e-9}
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 0.0001, 0.5]> : tensor<4xf16>
  %y = model.node "onnx.Tanh" opset 13 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-0.7617, 0.0, 0.0001, 0.4622]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, 0.0], [0.0001, 0.5]]> : tensor<2x2xf64>
  %y = model.node "onnx.Tanh" opset 13 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[-0.761594156, 0.0], [9.999999967e-5, 0.4621171573]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<0x3xf32>
  %y = model.node "onnx.Tanh" opset 13 (%x) {} : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.equal %y, dense<> : tensor<0x3xf32>
  return
}
