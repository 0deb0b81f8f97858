// RUN: dynac-check %s
// y = 2/sqrt(pi) * integral of e^(-t^2) for t from 0 to x.

func.func @values() {
  %x = check.input dense<[0xFF800000, -1.0, -0.1, 0.0, 0.5, 2.0, 4.0]> : tensor<7xf32>
  %y = model.node "onnx.Erf" opset 13 (%x) {} : (tensor<7xf32>) -> tensor<7xf32>
  check.close %y, dense<[-1.0, -0.8427008, -0.1124629, 0.0, 0.5204999, 0.9953223, 1.0]> : tensor<7xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, -0.1, 0.0, 0.5]> : tensor<4xf16>
  %y = model.node "onnx.Erf" opset 13 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[-0.843, -0.1124, 0.0, 0.5205]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}

func.func @double() {
  %x = check.input dense<[[-1.0, -0.1], [0.0, 0.5]]> : tensor<2x2xf64>
  %y = model.node "onnx.Erf" opset 13 (%x) {} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.close %y, dense<[[-0.8427007929, -0.112462916], [0.0, 0.5204998778]]> : tensor<2x2xf64> {rtol = 1.0e-9}
  return
}
