// RUN: dynac-check %s
// y = the number of elements of x.

func.func @values() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %size = model.node "onnx.Size" opset 13 (%x) {} : (tensor<2x3x2xf32>) -> tensor<i64>
  check.equal %size, dense<12> : tensor<i64>
  return
}

func.func @scalar() {
  %x = check.input dense<1.0> : tensor<f32>
  %size = model.node "onnx.Size" opset 1 (%x) {} : (tensor<f32>) -> tensor<i64>
  check.equal %size, dense<1> : tensor<i64>
  return
}

func.func @empty() {
  %x = check.input dense<> : tensor<3x0xi32>
  %size = model.node "onnx.Size" opset 13 (%x) {} : (tensor<3x0xi32>) -> tensor<i64>
  check.equal %size, dense<0> : tensor<i64>
  return
}
