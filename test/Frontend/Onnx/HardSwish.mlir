// RUN: dynac-check %s
// y = x * max(0, min(1, x / 6 + 1/2)).

func.func @values() {
  %x = check.input dense<[-4.0, -3.0, -1.0, 0.0, 1.0, 3.0, 5.0]> : tensor<7xf32>
  %y = model.node "onnx.HardSwish" opset 14 (%x) {} : (tensor<7xf32>) -> tensor<7xf32>
  check.close %y, dense<[-0.0, -0.0, -0.3333333, 0.0, 0.6666667, 3.0, 5.0]> : tensor<7xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 1.5]> : tensor<2xf16>
  %y = model.node "onnx.HardSwish" opset 22 (%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  check.close %y, dense<[-0.3333, 1.125]> : tensor<2xf16> {rtol = 1.0e-3}
  return
}
