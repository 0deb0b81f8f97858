// RUN: dynac-check %s
// y = mean + scale * z, z of the standard normal distribution.

// Of 4000 samples the mean is off by 0.03 and the mean of squares by 0.09 (one standard deviation).
func.func @moments() {
  %y = model.node "onnx.RandomNormal" opset 22 () {mean = 1.0, scale = 2.0, shape = [4000]} : () -> tensor<4000xf32>
  %one = check.constant dense<1.0> : tensor<f32>
  %mean = model.node "onnx.ReduceMean" opset 18 (%y) {keepdims = 0} : (tensor<4000xf32>) -> tensor<f32>
  %centred = model.node "onnx.Sub" opset 14 (%y, %one) {} : (tensor<4000xf32>, tensor<f32>) -> tensor<4000xf32>
  %squares = model.node "onnx.Mul" opset 14 (%centred, %centred) {} :
    (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xf32>
  %variance = model.node "onnx.ReduceMean" opset 18 (%squares) {keepdims = 0} : (tensor<4000xf32>) -> tensor<f32>
  check.close %mean, dense<1.0> : tensor<f32> {atol = 0.25}
  check.close %variance, dense<4.0> : tensor<f32> {atol = 0.7}
  return
}

func.func @no_width() {
  %y = model.node "onnx.RandomNormal" opset 1 () {mean = 3.0, scale = 0.0, shape = [2, 2], dtype = 11} : () -> tensor<2x2xf64>
  check.equal %y, dense<3.0> : tensor<2x2xf64>
  return
}

// The same seed gives the same numbers.
func.func @seed() {
  %a = model.node "onnx.RandomNormal" opset 1 () {seed = 7.0, shape = [5]} : () -> tensor<5xf32>
  %b = model.node "onnx.RandomNormal" opset 1 () {seed = 7.0, shape = [5]} : () -> tensor<5xf32>
  %same = model.node "onnx.Equal" opset 13 (%a, %b) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.equal %same, dense<true> : tensor<5xi1>
  return
}
