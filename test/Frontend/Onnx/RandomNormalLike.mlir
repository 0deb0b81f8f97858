// RUN: dynac-check %s
// y = mean + scale * z of the shape and, without dtype, the type of x; z of the standard normal distribution.

func.func @shape_and_type() {
  %x = check.input dense<0.0> : tensor<2x3xf64>
  %y = model.node "onnx.RandomNormalLike" opset 1 (%x) {mean = 3.0, scale = 0.0} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  check.equal %y, dense<3.0> : tensor<2x3xf64>
  return
}

// As RandomNormal of the same seed.
func.func @seed() {
  %x = check.input dense<1> : tensor<5xi64>
  %a = model.node "onnx.RandomNormalLike" opset 22 (%x) {seed = 7.0, dtype = 1} : (tensor<5xi64>) -> tensor<5xf32>
  %b = model.node "onnx.RandomNormal" opset 22 () {seed = 7.0, shape = [5]} : () -> tensor<5xf32>
  %same = model.node "onnx.Equal" opset 13 (%a, %b) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.equal %same, dense<true> : tensor<5xi1>
  return
}
