// RUN: dynac-check %s
// y = scale * (x - mean) / sqrt(var + epsilon) + B for each channel.

func.func @inference() {
  %x = check.input dense<[[[1.0, 3.0], [2.0, 6.0]]]> : tensor<1x2x2xf32>
  %scale = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[0.0, 0.5]> : tensor<2xf32>
  %input_mean = check.input dense<[1.0, 4.0]> : tensor<2xf32>
  %input_var = check.input dense<[4.0, 1.0]> : tensor<2xf32>
  %y = model.node "onnx.BatchNormalization" opset 15 (%x, %scale, %b, %input_mean, %input_var) {epsilon = 0.0} :
    (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
  check.close %y, dense<[[[0.0, 1.0], [-3.5, 4.5]]]> : tensor<1x2x2xf32>
  return
}

// 1 / sqrt(1e-5).
func.func @epsilon_by_default() {
  %x = check.input dense<[[2.0]]> : tensor<1x1xf32>
  %scale = check.input dense<[1.0]> : tensor<1xf32>
  %b = check.input dense<[0.0]> : tensor<1xf32>
  %mean = check.input dense<[1.0]> : tensor<1xf32>
  %var = check.input dense<[0.0]> : tensor<1xf32>
  %y = model.node "onnx.BatchNormalization" opset 9 (%x, %scale, %b, %mean, %var) {} :
    (tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  check.close %y, dense<[[316.2278]]> : tensor<1x1xf32>
  return
}

func.func @half() {
  %x = check.input dense<[[[1.0, 3.0]]]> : tensor<1x1x2xf16>
  %scale = check.input dense<[2.0]> : tensor<1xf16>
  %b = check.input dense<[1.0]> : tensor<1xf16>
  %input_mean = check.input dense<[1.0]> : tensor<1xf16>
  %input_var = check.input dense<[1.0]> : tensor<1xf16>
  %y = model.node "onnx.BatchNormalization" opset 15 (%x, %scale, %b, %input_mean, %input_var) {} :
    (tensor<1x1x2xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x1x2xf16>
  check.close %y, dense<[[[1.0, 5.0]]]> : tensor<1x1x2xf16> {rtol = 1.0e-3}
  return
}

func.func @training() {
  %x = check.input dense<[[1.0, 3.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %scale = check.input dense<[1.0, 1.0]> : tensor<2xf32>
  %b = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %input_mean = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %input_var = check.input dense<[1.0, 1.0]> : tensor<2xf32>
  %y, %running_mean, %running_var = model.node "onnx.BatchNormalization" opset 15 (%x, %scale, %b, %input_mean, %input_var)
    {training_mode = 1, momentum = 0.5, epsilon = 0.0} :
    (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) ->
    (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.close %y, dense<[[-1.0, -1.0], [1.0, 1.0]]> : tensor<2x2xf32>
  check.close %running_mean, dense<[1.0, 2.0]> : tensor<2xf32>
  check.close %running_var, dense<[1.0, 1.0]> : tensor<2xf32>
  return
}

// Before version 7 an attribute says that it is no training.
func.func @is_test() {
  %x = check.input dense<[[[1.0, 3.0]]]> : tensor<1x1x2xf32>
  %scale = check.input dense<[2.0]> : tensor<1xf32>
  %b = check.input dense<[0.5]> : tensor<1xf32>
  %mean = check.input dense<[1.0]> : tensor<1xf32>
  %var = check.input dense<[4.0]> : tensor<1xf32>
  %y = model.node "onnx.BatchNormalization" opset 6 (%x, %scale, %b, %mean, %var) {epsilon = 0.0, is_test = 1} :
    (tensor<1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  check.close %y, dense<[[[0.5, 2.5]]]> : tensor<1x1x2xf32>
  return
}
