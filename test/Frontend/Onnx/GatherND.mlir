// RUN: dynac-check %s
// y = x at tuples of indices, one for each row of the last axis of `indices`.

func.func @elements() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>
  %y = model.node "onnx.GatherND" opset 13 (%x, %indices) {} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  check.equal %y, dense<[3.0, 6.0]> : tensor<2xf32>
  return
}

func.func @rows() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[[1], [0]]> : tensor<2x1xi64>
  %y = model.node "onnx.GatherND" opset 11 (%x, %indices) {} : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<[[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  return
}

func.func @batch_dims() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %indices = check.input dense<[[2], [0]]> : tensor<2x1xi64>
  %y = model.node "onnx.GatherND" opset 12 (%x, %indices) {batch_dims = 1} :
    (tensor<2x3x2xf32>, tensor<2x1xi64>) -> tensor<2x2xf32>
  check.equal %y, dense<[[4.0, 5.0], [6.0, 7.0]]> : tensor<2x2xf32>
  return
}

func.func @one_tuple() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[1, 1]> : tensor<2xi64>
  %y = model.node "onnx.GatherND" opset 13 (%x, %indices) {} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  check.equal %y, dense<5.0> : tensor<f32>
  return
}
