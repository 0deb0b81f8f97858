// RUN: dynac-check %s
// y = a * sigmoid(alpha * a) * b.

func.func @alpha_by_default() {
  %a = check.input dense<[-1.0, 0.0, 2.0]> : tensor<3xf32>
  %b = check.input dense<[3.0, 4.0, 5.0]> : tensor<3xf32>
  %y = model.node "onnx.SwiGLU" opset 28 (%a, %b) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  check.close %y, dense<[-0.8068243, 0.0, 8.807971]> : tensor<3xf32>
  return
}

func.func @alpha() {
  %a = check.input dense<[[1.0, -2.0]]> : tensor<1x2xf32>
  %b = check.input dense<[[2.0, 1.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.SwiGLU" opset 28 (%a, %b) {alpha = 1.5} :
    (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[1.635149, -0.09485175]]> : tensor<1x2xf32>
  return
}

func.func @half() {
  %a = check.input dense<[1.0]> : tensor<1xf16>
  %b = check.input dense<[2.0]> : tensor<1xf16>
  %y = model.node "onnx.SwiGLU" opset 28 (%a, %b) {} : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  check.close %y, dense<[1.462]> : tensor<1xf16> {rtol = 1.0e-3}
  return
}
