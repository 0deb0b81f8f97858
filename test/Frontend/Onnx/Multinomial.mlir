// RUN: dynac-check %s
// y[b] = sample_size classes drawn with the probabilities softmax(x[b]).

// Only one class of each row is possible.
func.func @certain() {
  %x = check.input dense<[[0xFF800000, 0.0, 0xFF800000], [2.0, 0xFF800000, 0xFF800000]]> : tensor<2x3xf32>
  %y = model.node "onnx.Multinomial" opset 7 (%x) {sample_size = 4} : (tensor<2x3xf32>) -> tensor<2x4xi32>
  check.equal %y, dense<[[1, 1, 1, 1], [0, 0, 0, 0]]> : tensor<2x4xi32>
  return
}

// 0 with probability 3/4, 1 with 1/4; of 2000 samples the mean is off by 0.01 (one standard deviation).
func.func @mean() {
  %x = check.input dense<[[1.0986123, 0.0]]> : tensor<1x2xf32>
  %y = model.node "onnx.Multinomial" opset 22 (%x) {sample_size = 2000, dtype = 7} : (tensor<1x2xf32>) -> tensor<1x2000xi64>
  %samples = model.node "onnx.Cast" opset 13 (%y) {to = 1} : (tensor<1x2000xi64>) -> tensor<1x2000xf32>
  %mean = model.node "onnx.ReduceMean" opset 18 (%samples) {keepdims = 0} : (tensor<1x2000xf32>) -> tensor<f32>
  check.close %mean, dense<0.25> : tensor<f32> {atol = 0.08}
  return
}
