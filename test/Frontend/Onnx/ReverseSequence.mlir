// RUN: dynac-check %s
// y = x, the first sequence_lens[b] steps of batch b in reverse.

func.func @time_first() {
  %x = check.input dense<[[0.0, 4.0], [1.0, 5.0], [2.0, 6.0]]> : tensor<3x2xf32>
  %sequence_lens = check.input dense<[2, 3]> : tensor<2xi64>
  %y = model.node "onnx.ReverseSequence" opset 10 (%x, %sequence_lens) {} :
    (tensor<3x2xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  check.equal %y, dense<[[1.0, 6.0], [0.0, 5.0], [2.0, 4.0]]> : tensor<3x2xf32>
  return
}

func.func @batch_first() {
  %x = check.input dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %sequence_lens = check.input dense<[1, 3]> : tensor<2xi64>
  %y = model.node "onnx.ReverseSequence" opset 10 (%x, %sequence_lens) {batch_axis = 0, time_axis = 1} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<[[0.0, 1.0, 2.0], [5.0, 4.0, 3.0]]> : tensor<2x3xf32>
  return
}
