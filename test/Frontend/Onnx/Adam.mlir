// RUN: dynac-check %s
// g = norm * X + G, V = alpha * V + (1 - alpha) * g, H = beta * H + (1 - beta) * g^2, X = (1 - norm_post) * (X - R' * V / (sqrt(H) + epsilon))
// with R' = R * sqrt(1 - beta^T) / (1 - alpha^T) after step 0.

func.func @first_step() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<0> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %v = check.input dense<[0.1, 0.2]> : tensor<2xf32>
  %h = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1, %y2 = model.node "ai.onnx.preview.training.Adam" opset 1 (%r, %t, %x, %g, %v, %h)
    {alpha = 0.9, beta = 0.999, epsilon = 1.0e-6} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) ->
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.9859948, 1.995999]> : tensor<2xf32>
  check.close %y1, dense<[0.14, 0.07999999]> : tensor<2xf32>
  check.close %y2, dense<[0.99925, 3.997]> : tensor<2xf32>
  return
}

func.func @later_step() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<3> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %v = check.input dense<[0.1, 0.2]> : tensor<2xf32>
  %h = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1, %y2 = model.node "ai.onnx.preview.training.Adam" opset 1 (%r, %t, %x, %g, %v, %h)
    {alpha = 0.8, beta = 0.5, epsilon = 0.01, norm_coefficient = 0.1, norm_coefficient_post = 0.2} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) ->
    (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.7632536, 1.6]> : tensor<2xf32>
  check.close %y1, dense<[0.2, 0.0]> : tensor<2xf32>
  check.close %y2, dense<[0.68, 2.32]> : tensor<2xf32>
  return
}
