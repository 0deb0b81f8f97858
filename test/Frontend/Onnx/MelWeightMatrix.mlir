// RUN: dynac-check %s
// Triangles at equal steps of mel(f) = 2595 log10(1 + f / 700).

func.func @eight_bins() {
  %bands = check.constant dense<2> : tensor<i64>
  %length = check.constant dense<16> : tensor<i64>
  %rate = check.constant dense<8192> : tensor<i64>
  %low = check.input dense<0.0> : tensor<f32>
  %high = check.input dense<4000.0> : tensor<f32>
  %y = model.node "onnx.MelWeightMatrix" opset 17 (%bands, %length, %rate, %low, %high) {} :
    (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<9x2xf32>
  check.close %y, dense<[[1.0000000, 0.0000000], [0.5000000, 0.5000000], [0.0000000, 1.0000000], [0.0000000, 0.5000000], [0.0000000, 0.0000000], [0.0000000, 0.0000000], [0.0000000, 0.0000000], [0.0000000, 0.0000000], [0.0000000, 0.0000000]]> : tensor<9x2xf32>
  return
}
