// RUN: dynac-check %s
// y = x / the largest x, the sum of |x| or the root of the sum of squares of the row.

func.func @l1() {
  %x = check.input dense<[[1.0, -3.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.Normalizer" opset 1 (%x) {norm = "L1"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[0.25, -0.75]]> : tensor<1x2xf32>
  return
}

func.func @l2() {
  %x = check.input dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.Normalizer" opset 1 (%x) {norm = "L2"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[0.6, 0.8]]> : tensor<1x2xf32>
  return
}

func.func @largest() {
  %x = check.input dense<[[1.0, 4.0], [2.0, 8.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.Normalizer" opset 1 (%x) {norm = "MAX"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[0.25, 1.0], [0.25, 1.0]]> : tensor<2x2xf32>
  return
}

// A row of zeros stays; the largest element may be negative.
func.func @divisors() {
  %x = check.input dense<[[0.0, 0.0], [-1.0, -4.0]]> : tensor<2x2xf32>
  %a = model.node "ai.onnx.ml.Normalizer" opset 1 (%x) {norm = "MAX"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %a, dense<[[0.0, 0.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = model.node "ai.onnx.ml.Normalizer" opset 1 (%x) {norm = "L2"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %b, dense<[[0.0, 0.0], [-0.24253563, -0.97014250]]> : tensor<2x2xf32>
  return
}
