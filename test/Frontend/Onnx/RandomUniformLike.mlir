// RUN: dynac-check %s
// y = low + (high - low) * u of the shape and, without dtype, the type of x; u uniform in [0, 1).

func.func @shape_and_type() {
  %x = check.input dense<0.0> : tensor<2x3xf64>
  %y = model.node "onnx.RandomUniformLike" opset 1 (%x) {low = 2.0, high = 2.0} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  check.equal %y, dense<2.0> : tensor<2x3xf64>
  return
}

func.func @within_the_bounds() {
  %x = check.input dense<7> : tensor<50xi32>
  %y = model.node "onnx.RandomUniformLike" opset 22 (%x) {dtype = 1} : (tensor<50xi32>) -> tensor<50xf32>
  %rounded = model.node "onnx.Floor" opset 13 (%y) {} : (tensor<50xf32>) -> tensor<50xf32>
  check.equal %rounded, dense<0.0> : tensor<50xf32>
  return
}

// As RandomUniform of the same seed.
func.func @seed() {
  %x = check.input dense<0.0> : tensor<20xf32>
  %a = model.node "onnx.RandomUniformLike" opset 1 (%x) {seed = 7.0} : (tensor<20xf32>) -> tensor<20xf32>
  %b = model.node "onnx.RandomUniform" opset 1 () {seed = 7.0, shape = [20]} : () -> tensor<20xf32>
  %same = model.node "onnx.Equal" opset 13 (%a, %b) {} : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
  check.equal %same, dense<true> : tensor<20xi1>
  return
}
