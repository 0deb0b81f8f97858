// RUN: dynac-check %s
// y = x / (1 + |x|).

func.func @values() {
  %x = check.input dense<[-3.0, 0.0, 0.5, 1.0e30]> : tensor<4xf32>
  %y = model.node "onnx.Softsign" opset 22 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[-0.75, 0.0, 0.3333333, 1.0]> : tensor<4xf32>
  return
}

func.func @half() {
  %x = check.input dense<[1.0, -1.0]> : tensor<2xf16>
  %y = model.node "onnx.Softsign" opset 1 (%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  check.close %y, dense<[0.5, -0.5]> : tensor<2xf16> {rtol = 1.0e-3}
  return
}
