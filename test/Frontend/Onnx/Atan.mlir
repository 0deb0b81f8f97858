// RUN: dynac-check %s
// y = atan(x).

func.func @values() {
  %x = check.input dense<[0xFF800000, -1.0, 0.0, 0.5, 10.0, 0x7F800000]> : tensor<6xf32>
  %y = model.node "onnx.Atan" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[-1.570796, -0.7853982, 0.0, 0.4636476, 1.471128, 1.570796]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 0.5, 1.0e1]> : tensor<4xf16>
  %y = model.node "onnx.Atan" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-0.785, 0.0, 0.4636, 1.471]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, 0.0], [0.5, 10.0]]> : tensor<2x2xf64>
  %y = model.node "onnx.Atan" opset 7 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[-0.7853981634, 0.0], [0.463647609, 1.471127674]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
