// RUN: dynac-check %s
// y = x / (bias + alpha / size * the sum of x^2 over `size` channels around)^beta.

func.func @size_3() {
  %x = check.input dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %y = model.node "onnx.LRN" opset 13 (%x) {size = 3, alpha = 1.0, beta = 0.5, bias = 1.0} :
    (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  check.close %y, dense<[[[[0.6123725]], [[0.840168]], [[0.9185587]], [[1.309307]]]]> : tensor<1x4x1x1xf32>
  return
}

// By default alpha 1e-4, beta 0.75, bias 1; of an even size the longer side is above.
func.func @even_size() {
  %x = check.input dense<[[[[100.0]], [[50.0]]]]> : tensor<1x2x1x1xf32>
  %y = model.node "onnx.LRN" opset 1 (%x) {size = 2} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  check.close %y, dense<[[[[69.48003]], [[45.7726]]]]> : tensor<1x2x1x1xf32>
  return
}
