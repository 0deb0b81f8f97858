// RUN: dynac-check %s
// Sum of coefficients * kernel(x, support vector) + rho; kernel_params are gamma, coef0 and degree.

func.func @rbf() {
  %x = check.input dense<[[1.0, -3.0, 2.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
  %y = model.node "ai.onnx.ml.SVMRegressor" opset 1 (%x) {kernel_type = "RBF", kernel_params = [0.5, 0.0, 3.0],
    n_supports = 2, support_vectors = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0], coefficients = [1.0, -2.0], rho = [0.25]} :
    (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[0.25668287], [-0.5951819]]> : tensor<2x1xf32>
  return
}

func.func @poly() {
  %x = check.input dense<[[1.0, -3.0, 2.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
  %y = model.node "ai.onnx.ml.SVMRegressor" opset 1 (%x) {kernel_type = "POLY", kernel_params = [0.5, 1.0, 2.0],
    n_supports = 2, support_vectors = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0], coefficients = [1.0, -2.0], rho = [0.25]} :
    (tensor<2x3xf32>) -> tensor<2x1xf32>
  check.close %y, dense<[[6.0], [-0.75]]> : tensor<2x1xf32>
  return
}

func.func @one_class() {
  %x = check.input dense<[[1.0, 1.0], [-1.0, 0.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.SVMRegressor" opset 1 (%x) {kernel_type = "LINEAR", coefficients = [1.0, -0.5],
    rho = [0.25], one_class = 1} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  check.equal %y, dense<[[1.0], [-1.0]]> : tensor<2x1xf32>
  return
}
