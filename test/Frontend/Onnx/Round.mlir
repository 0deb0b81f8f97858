// RUN: dynac-check %s
// y = the nearest integer, halves to the even one.

func.func @halves() {
  %x = check.input dense<[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]> : tensor<6xf32>
  %y = model.node "onnx.Round" opset 11 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.equal %y, dense<[-2.0, -2.0, -0.0, 0.0, 2.0, 2.0]> : tensor<6xf32>
  return
}

func.func @others() {
  %x = check.input dense<[0.4999999, 2.7, -3.2, 1.6777216e7, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %y = model.node "onnx.Round" opset 22 (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
  check.equal %y, dense<[0.0, 3.0, -3.0, 1.6777216e7, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.5, 1.5, -1.25]> : tensor<3xf16>
  %y = model.node "onnx.Round" opset 11 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.equal %y, dense<[0.0, 2.0, -1.0]> : tensor<3xf16>
  return
}
