// RUN: dynac-check %s
// y = 1 / (1 + e^-x).

func.func @values() {
  %x = check.input dense<[0xFF800000, -100.0, -1.0, 0.0, 2.0, 100.0, 0x7FC00000]> : tensor<7xf32>
  %y = model.node "onnx.Sigmoid" opset 13 (%x) {} : (tensor<7xf32>) -> tensor<7xf32>
  check.close %y, dense<[0.0, 0.0, 0.2689414, 0.5, 0.8807971, 1.0, 0x7FC00000]> : tensor<7xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf16>
  %y = model.node "onnx.Sigmoid" opset 13 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[0.2688, 0.5, 0.8804]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[-1.0, 3.0]> : tensor<2xf64>
  %y = model.node "onnx.Sigmoid" opset 13 (%x) {} : (tensor<2xf64>) -> tensor<2xf64>
  check.close %y, dense<[0.2689414213699951, 0.9525741268224334]> : tensor<2xf64> {rtol = 1.0e-12}
  return
}
