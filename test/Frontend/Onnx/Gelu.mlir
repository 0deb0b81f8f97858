// RUN: dynac-check %s
// y = x / 2 * (1 + erf(x / sqrt(2))), or with approximate = "tanh"
// y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

func.func @exact() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Gelu" opset 20 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-0.000126685, -0.1586553, 0.0, 0.3457312, 2.99595]> : tensor<5xf32>
  return
}

func.func @approximate() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Gelu" opset 20 (%x) {approximate = "tanh"} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-7.024595e-5, -0.158808, 0.0, 0.345714, 2.996363]> : tensor<5xf32>
  return
}

func.func @half() {
  %x = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf16>
  %y = model.node "onnx.Gelu" opset 20 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[-0.1587, 0.0, 1.954]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}

func.func @unknown_approximation() attributes {check.invalid = "approximate"} {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Gelu" opset 20 (%x) {approximate = "sigmoid"} : (tensor<5xf32>) -> tensor<5xf32>
  return
}

func.func @of_microsoft() {
  %x = check.input dense<[-0.75, 1.0, -1.25, 0.75]> : tensor<4xf32>
  %y = model.node "com.microsoft.Gelu" opset 1 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[-0.16997051, 0.8413447, -0.13206221, 0.5800295]> : tensor<4xf32>
  return
}
