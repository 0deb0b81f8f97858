// RUN: dynac-check %s
// g = norm * X + G, V = alpha * V + beta * g (beta 1 in step 0), X -= R * V, or R * (g + alpha * V) with mode "nesterov".

func.func @first_step() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<0> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %v = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1 = model.node "ai.onnx.preview.training.Momentum" opset 1 (%r, %t, %x, %g, %v)
    {alpha = 0.9, beta = 0.1, mode = "standard", norm_coefficient = 0.0} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.86, 1.74]> : tensor<2xf32>
  check.close %y1, dense<[1.4, 2.6]> : tensor<2xf32>
  return
}

func.func @later_step() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<1> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %v = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1 = model.node "ai.onnx.preview.training.Momentum" opset 1 (%r, %t, %x, %g, %v)
    {alpha = 0.9, beta = 0.1, mode = "standard", norm_coefficient = 0.01} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.9049, 1.6498]> : tensor<2xf32>
  check.close %y1, dense<[0.951, 3.502]> : tensor<2xf32>
  return
}

func.func @nesterov() {
  %r = check.input dense<0.1> : tensor<f32>
  %t = check.input dense<1> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %g = check.input dense<[0.5, -1.0]> : tensor<2xf32>
  %v = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %y0, %y1 = model.node "ai.onnx.preview.training.Momentum" opset 1 (%r, %t, %x, %g, %v)
    {alpha = 0.9, beta = 1.0, mode = "nesterov", norm_coefficient = 0.0} :
    (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.close %y0, dense<[0.824, 1.866]> : tensor<2xf32>
  check.close %y1, dense<[1.4, 2.6]> : tensor<2xf32>
  return
}
