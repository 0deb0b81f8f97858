// RUN: dynac-check %s
// g = norm * X + G, H += g^2, X -= R / (1 + T * decay) * g / (sqrt(H) + epsilon).

func.func @first_step() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<0> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %h = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1 = model.node "ai.onnx.preview.training.Adagrad" opset 1 (%r, %t, %x, %g, %h) {epsilon = 1.0e-6} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.9552787, 2.044721]> : tensor<2xf32>
  check.close %y1, dense<[1.25, 5.0]> : tensor<2xf32>
  return
}

func.func @decay_and_norm() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<2> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %h = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1 = model.node "ai.onnx.preview.training.Adagrad" opset 1 (%r, %t, %x, %g, %h)
    {decay_factor = 0.5, norm_coefficient = 0.1, epsilon = 0.01} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.9744939, 2.018484]> : tensor<2xf32>
  check.close %y1, dense<[1.36, 4.64]> : tensor<2xf32>
  return
}
