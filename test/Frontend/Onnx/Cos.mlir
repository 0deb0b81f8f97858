// RUN: dynac-check %s
// y = cos(x), also for arguments of many turns.

func.func @values() {
  %x = check.input dense<[0.0, 1.0, -2.0, 3.1415927, 100.0, 0x7F800000]> : tensor<6xf32>
  %y = model.node "onnx.Cos" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[1.0, 0.5403023, -0.4161468, -1.0, 0.8623189, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 1.0, -2.0, 3.14]> : tensor<4xf16>
  %y = model.node "onnx.Cos" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[1.0, 0.5405, -0.4163, -1.0]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[0.0, 1.0], [-2.0, 3.1415927]]> : tensor<2x2xf64>
  %y = model.node "onnx.Cos" opset 7 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[1.0, 0.5403023059], [-0.4161468365, -1.0]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
