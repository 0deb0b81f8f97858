// RUN: dynac-check %s
// y = 1 with probability x, otherwise 0.

func.func @certain() {
  %x = check.input dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf32>
  %y = model.node "onnx.Bernoulli" opset 15 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  check.equal %y, dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf32>
  return
}

func.func @another_type() {
  %x = check.input dense<[[0.0], [1.0]]> : tensor<2x1xf64>
  %y = model.node "onnx.Bernoulli" opset 22 (%x) {dtype = 9, seed = 3.0} : (tensor<2x1xf64>) -> tensor<2x1xi1>
  check.equal %y, dense<[[false], [true]]> : tensor<2x1xi1>
  return
}

// Of 2000 samples the mean is off by 0.01 (one standard deviation).
func.func @mean() {
  %x = check.input dense<0.25> : tensor<2000xf32>
  %y = model.node "onnx.Bernoulli" opset 15 (%x) {} : (tensor<2000xf32>) -> tensor<2000xf32>
  %mean = model.node "onnx.ReduceMean" opset 18 (%y) {keepdims = 0} : (tensor<2000xf32>) -> tensor<f32>
  check.close %mean, dense<0.25> : tensor<f32> {atol = 0.08}
  return
}
