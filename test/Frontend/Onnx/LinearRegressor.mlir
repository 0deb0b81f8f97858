// RUN: dynac-check %s
// y = x coefficients' + intercepts, then post_transform.

func.func @two_targets() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.LinearRegressor" opset 1 (%x)
    {coefficients = [1.0, 0.5, -1.0, 2.0], intercepts = [10.0, 20.0], targets = 2} :
    (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[12.0, 23.0], [15.0, 25.0]]> : tensor<2x2xf32>
  return
}

func.func @logistic() {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.LinearRegressor" opset 1 (%x)
    {coefficients = [0.5, -0.25], intercepts = [1.0], post_transform = "LOGISTIC"} :
    (tensor<1x2xf32>) -> tensor<1x1xf32>
  check.close %y, dense<[[0.7310586]]> : tensor<1x1xf32>
  return
}
