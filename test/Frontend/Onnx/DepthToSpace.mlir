// RUN: dynac-check %s
// Blocks of channels become blocks of pixels; mode DCR has the block first in the channels, CRD last.

func.func @dcr() {
  %x = check.input dense<[[[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]],
                          [[7.0]]]]> : tensor<1x8x1x1xf32>
  %y = model.node "onnx.DepthToSpace" opset 13 (%x) {blocksize = 2} : (tensor<1x8x1x1xf32>) -> tensor<1x2x2x2xf32>
  check.equal %y, dense<[[[[0.0, 2.0], [4.0, 6.0]], [[1.0, 3.0], [5.0, 7.0]]]]> : tensor<1x2x2x2xf32>
  return
}

func.func @crd() {
  %x = check.input dense<[[[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]],
                          [[7.0]]]]> : tensor<1x8x1x1xf32>
  %y = model.node "onnx.DepthToSpace" opset 11 (%x) {blocksize = 2, mode = "CRD"} :
    (tensor<1x8x1x1xf32>) -> tensor<1x2x2x2xf32>
  check.equal %y, dense<[[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]]> : tensor<1x2x2x2xf32>
  return
}

func.func @two_pixels() {
  %x = check.input dense<[[[[0.0, 1.0]], [[2.0, 3.0]], [[4.0, 5.0]], [[6.0, 7.0]]]]> : tensor<1x4x1x2xf32>
  %y = model.node "onnx.DepthToSpace" opset 1 (%x) {blocksize = 2} : (tensor<1x4x1x2xf32>) -> tensor<1x1x2x4xf32>
  check.equal %y, dense<[[[[0.0, 2.0, 1.0, 3.0], [4.0, 6.0, 5.0, 7.0]]]]> : tensor<1x1x2x4xf32>
  return
}
