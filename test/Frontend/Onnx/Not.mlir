// RUN: dynac-check %s
// y = !x.

func.func @values() {
  %x = check.input dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %y = model.node "onnx.Not" opset 1 (%x) {} : (tensor<2x2xi1>) -> tensor<2x2xi1>
  check.equal %y, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  return
}

func.func @scalar() {
  %x = check.input dense<true> : tensor<i1>
  %y = model.node "onnx.Not" opset 1 (%x) {} : (tensor<i1>) -> tensor<i1>
  check.equal %y, dense<false> : tensor<i1>
  return
}
