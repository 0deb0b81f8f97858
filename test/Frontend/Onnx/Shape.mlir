// RUN: dynac-check %s
// y = the extents of x, or of its axes from `start` to `end`.

func.func @all() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = model.node "onnx.Shape" opset 13 (%x) {} : (tensor<2x3x2xf32>) -> tensor<3xi64>
  check.equal %shape, dense<[2, 3, 2]> : tensor<3xi64>
  return
}

func.func @from_start() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = model.node "onnx.Shape" opset 15 (%x) {start = 1} : (tensor<2x3x2xf32>) -> tensor<2xi64>
  check.equal %shape, dense<[3, 2]> : tensor<2xi64>
  return
}

func.func @negative() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = model.node "onnx.Shape" opset 21 (%x) {start = -2, end = -1} : (tensor<2x3x2xf32>) -> tensor<1xi64>
  check.equal %shape, dense<[3]> : tensor<1xi64>
  return
}

func.func @clamped() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = model.node "onnx.Shape" opset 15 (%x) {start = -10, end = 10} : (tensor<2x3x2xf32>) -> tensor<3xi64>
  check.equal %shape, dense<[2, 3, 2]> : tensor<3xi64>
  return
}

func.func @scalar() {
  %x = check.input dense<1.0> : tensor<f32>
  %shape = model.node "onnx.Shape" opset 1 (%x) {} : (tensor<f32>) -> tensor<0xi64>
  check.equal %shape, dense<> : tensor<0xi64>
  return
}

func.func @empty_range() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = model.node "onnx.Shape" opset 15 (%x) {start = 2, end = 1} : (tensor<2x3x2xf32>) -> tensor<0xi64>
  check.equal %shape, dense<> : tensor<0xi64>
  return
}
