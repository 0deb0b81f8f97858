// RUN: dynac-check %s
// y = asin(x), NaN outside [-1, 1].

func.func @values() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.5, 1.0, -2.0]> : tensor<6xf32>
  %y = model.node "onnx.Asin" opset 7 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.close %y, dense<[-1.570796, -0.5235988, 0.0, 0.5235988, 1.570796, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, -0.5, 0.0, 0.5]> : tensor<4xf16>
  %y = model.node "onnx.Asin" opset 7 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-1.57, -0.5234, 0.0, 0.5234]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, -0.5], [0.0, 0.5]]> : tensor<2x2xf64>
  %y = model.node "onnx.Asin" opset 7 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[-1.570796327, -0.5235987756], [0.0, 0.5235987756]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
