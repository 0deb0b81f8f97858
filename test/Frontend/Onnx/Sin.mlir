// RUN: dynac-check %s
// y = sin(x), also for arguments of many turns.

func.func @values() {
  %x = check.input dense<[0.0, 1.0, -2.0, 3.1415927, 100.0, 0x7F800000]> : tensor<6xf32>
  %y = model.node "onnx.Sin" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[0.0, 0.841471, -0.9092974, -8.742278e-8, -0.5063657, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 1.0, -2.0, 3.14]> : tensor<4xf16>
  %y = model.node "onnx.Sin" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0.0, 0.8413, -0.909, 0.0009675]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[0.0, 1.0], [-2.0, 3.1415927]]> : tensor<2x2xf64>
  %y = model.node "onnx.Sin" opset 7 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[0.0, 0.8414709848078965],
                         [-0.9092974268256817, -4.641020666628482e-8]]> : tensor<2x2xf64> {rtol = 1.0e-12}
  return
}
