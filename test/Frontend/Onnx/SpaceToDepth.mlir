// RUN: dynac-check %s
// Blocks of pixels become channels.

func.func @one_channel() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]]]> : tensor<1x1x2x4xf32>
  %y = model.node "onnx.SpaceToDepth" opset 13 (%x) {blocksize = 2} : (tensor<1x1x2x4xf32>) -> tensor<1x4x1x2xf32>
  check.equal %y, dense<[[[[0.0, 2.0]], [[1.0, 3.0]], [[4.0, 6.0]], [[5.0, 7.0]]]]> : tensor<1x4x1x2xf32>
  return
}

func.func @two_channels() {
  %x = check.input dense<[[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]]> : tensor<1x2x2x2xf32>
  %y = model.node "onnx.SpaceToDepth" opset 1 (%x) {blocksize = 2} : (tensor<1x2x2x2xf32>) -> tensor<1x8x1x1xf32>
  check.equal %y, dense<[[[[0.0]], [[4.0]], [[1.0]], [[5.0]], [[2.0]], [[6.0]], [[3.0]],
                         [[7.0]]]]> : tensor<1x8x1x1xf32>
  return
}
