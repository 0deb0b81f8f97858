// RUN: dynac-check %s
// y = low + (high - low) * u, u uniform in [0, 1).

func.func @within_the_bounds() {
  %low = check.constant dense<-1.0> : tensor<f32>
  %high = check.constant dense<3.0> : tensor<f32>
  %y = model.node "onnx.RandomUniform" opset 22 () {low = -1.0, high = 3.0, shape = [10, 100]} : () -> tensor<10x100xf32>
  %least = model.node "onnx.ReduceMin" opset 20 (%y) {keepdims = 0} : (tensor<10x100xf32>) -> tensor<f32>
  %greatest = model.node "onnx.ReduceMax" opset 20 (%y) {keepdims = 0} : (tensor<10x100xf32>) -> tensor<f32>
  %a = model.node "onnx.GreaterOrEqual" opset 16 (%least, %low) {} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %b = model.node "onnx.Less" opset 13 (%greatest, %high) {} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.equal %a, dense<true> : tensor<i1>
  check.equal %b, dense<true> : tensor<i1>
  // Of 1000 samples the mean is off by 0.037 (one standard deviation).
  %mean = model.node "onnx.ReduceMean" opset 18 (%y) {keepdims = 0} : (tensor<10x100xf32>) -> tensor<f32>
  check.close %mean, dense<1.0> : tensor<f32> {atol = 0.3}
  return
}

// The same seed gives the same numbers.
func.func @seed() {
  %a = model.node "onnx.RandomUniform" opset 1 () {seed = 7.0, shape = [20]} : () -> tensor<20xf32>
  %b = model.node "onnx.RandomUniform" opset 1 () {seed = 7.0, shape = [20]} : () -> tensor<20xf32>
  %c = model.node "onnx.RandomUniform" opset 1 () {seed = 8.0, shape = [20]} : () -> tensor<20xf32>
  %same = model.node "onnx.Equal" opset 13 (%a, %b) {} : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
  %other = model.node "onnx.Equal" opset 13 (%a, %c) {} : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
  %all = model.node "onnx.ReduceMin" opset 20 (%other) {keepdims = 0} : (tensor<20xi1>) -> tensor<i1>
  check.equal %same, dense<true> : tensor<20xi1>
  check.equal %all, dense<false> : tensor<i1>
  return
}

func.func @no_width() {
  %y = model.node "onnx.RandomUniform" opset 1 () {low = 2.0, high = 2.0, shape = [3], dtype = 11} : () -> tensor<3xf64>
  check.equal %y, dense<2.0> : tensor<3xf64>
  return
}
