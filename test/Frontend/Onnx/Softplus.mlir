// RUN: dynac-check %s
// y = log(1 + e^x), without overflow.

func.func @values() {
  %x = check.input dense<[-100.0, -1.0, 0.0, 1.0, 100.0]> : tensor<5xf32>
  %y = model.node "onnx.Softplus" opset 22 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[0.0, 0.3132617, 0.6931472, 1.313262, 100.0]> : tensor<5xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 1.0]> : tensor<2xf16>
  %y = model.node "onnx.Softplus" opset 1 (%x) {} : (tensor<2xf16>) -> tensor<2xf16>
  check.close %y, dense<[0.6934, 1.313]> : tensor<2xf16> {rtol = 1.0e-3}
  return
}
