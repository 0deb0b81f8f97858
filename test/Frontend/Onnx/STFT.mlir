// RUN: dynac-check %s
// The DFT of each frame of the signal, one frame every frame_step samples, times the window.

func.func @onesided() {
  %signal = check.input dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]]> : tensor<1x6x1xf32>
  %frame_step = check.constant dense<2> : tensor<i64>
  %none = model.absent : !model.none
  %frame_length = check.constant dense<4> : tensor<i64>
  %y = model.node "onnx.STFT" opset 17 (%signal, %frame_step, %none, %frame_length) {} :
    (tensor<1x6x1xf32>, tensor<i64>, !model.none, tensor<i64>) -> tensor<1x2x3x2xf32>
  check.close %y, dense<[[[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]], [[18.0, 0.0], [-2.0, 2.0],
                         [-2.0, 0.0]]]]> : tensor<1x2x3x2xf32> {atol = 1.0e-5}
  return
}

func.func @window() {
  %signal = check.input dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %frame_step = check.constant dense<2> : tensor<i64>
  %window = check.input dense<[1.0, 0.5]> : tensor<2xf32>
  %y = model.node "onnx.STFT" opset 17 (%signal, %frame_step, %window) {onesided = 0} :
    (tensor<1x4x1xf32>, tensor<i64>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  check.close %y, dense<[[[[2.0, 0.0], [0.0, 0.0]], [[5.0, 0.0], [1.0, 0.0]]]]> : tensor<1x2x2x2xf32> {atol = 1.0e-5}
  return
}
