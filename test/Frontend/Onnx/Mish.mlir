// RUN: dynac-check %s
// y = x * tanh(log(1 + e^x)).

func.func @values() {
  %x = check.input dense<[-20.0, -1.0, 0.0, 1.0, 100.0]> : tensor<5xf32>
  %y = model.node "onnx.Mish" opset 18 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-4.122307e-8, -0.3034015, 0.0, 0.8650984, 100.0]> : tensor<5xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf16>
  %y = model.node "onnx.Mish" opset 22 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[-0.3035, 0.0, 1.944]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}
