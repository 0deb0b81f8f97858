// RUN: dynac-check %s
// y = x * sigmoid(alpha * x).

func.func @alpha_by_default() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Swish" opset 24 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-0.07194484, -0.2689414, 0.0, 0.3112297, 2.857722]> : tensor<5xf32>
  return
}

func.func @alpha() {
  %x = check.input dense<[-4.0, -1.0, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = model.node "onnx.Swish" opset 24 (%x) {alpha = 2.0} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-0.001341401, -0.1192029, 0.0, 0.3655293, 2.992582]> : tensor<5xf32>
  return
}
