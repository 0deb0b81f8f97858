// RUN: dynac-check %s
// y = log(x): -infinity for 0, NaN below.

func.func @values() {
  %x = check.input dense<[0.0, 1.0e-30, 0.5, 1.0, 2.7182817, 0x7F800000, -1.0]> : tensor<7xf32>
  %y = model.node "onnx.Log" opset 13 (%x) {} : (tensor<7xf32>) -> tensor<7xf32>
  check.close %y, dense<[0xFF800000, -69.07755, -0.6931472, 0.0, 0.9999999, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 0.0, 0.5, 1.0]> : tensor<4xf16>
  %y = model.node "onnx.Log" opset 13 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0xFC00, 0xFC00, -0.6934, 0.0]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[0.0, 1.0e-30], [0.5, 1.0]]> : tensor<2x2xf64>
  %y = model.node "onnx.Log" opset 13 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[0xFFF0000000000000, -69.07755278982137],
                         [-0.6931471805599453, 0.0]]> : tensor<2x2xf64> {rtol = 1.0e-12}
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<0x3xf32>
  %y = model.node "onnx.Log" opset 13 (%x) {} : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.equal %y, dense<> : tensor<0x3xf32>
  return
}
