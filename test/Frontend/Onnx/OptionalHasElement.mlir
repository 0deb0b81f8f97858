// RUN: dynac-check %s
// A tensor is there; what is absent is not.

func.func @tensor() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.OptionalHasElement" opset 18 (%x) {} : (tensor<2xf32>) -> tensor<i1>
  check.equal %y, dense<true> : tensor<i1>
  return
}
