// RUN: dynac-check %s
// y = -1, 0 or 1; NaN stays NaN.

func.func @float() {
  %x = check.input dense<[-2.0, -0.0, 0.0, 0.1, 0x7F800000]> : tensor<5xf32>
  %y = model.node "onnx.Sign" opset 13 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.equal %y, dense<[-1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<5xf32>
  return
}

func.func @nan_values() {
  %x = check.input dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.Sign" opset 13 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[-7, 0, 9]> : tensor<3xi32>
  %y = model.node "onnx.Sign" opset 9 (%x) {} : (tensor<3xi32>) -> tensor<3xi32>
  check.equal %y, dense<[-1, 0, 1]> : tensor<3xi32>
  return
}

func.func @unsigned() {
  %x = check.input dense<[0, 200]> : tensor<2xui8>
  %y = model.node "onnx.Sign" opset 13 (%x) {} : (tensor<2xui8>) -> tensor<2xui8>
  check.equal %y, dense<[0, 1]> : tensor<2xui8>
  return
}
