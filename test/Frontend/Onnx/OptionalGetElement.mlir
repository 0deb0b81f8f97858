// RUN: dynac-check %s
// The tensor itself.

func.func @tensor() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.OptionalGetElement" opset 18 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
