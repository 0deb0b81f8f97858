// RUN: dynac-check %s
// y = scale * (x - mean) / sqrt(var + epsilon) + B over the axes from `axis` on; mean and 1 / sqrt(var + epsilon) besides.

func.func @last_axis() {
  %x = check.input dense<[[1.0, 3.0], [2.0, 6.0]]> : tensor<2x2xf32>
  %scale = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[0.5, 0.0]> : tensor<2xf32>
  %y, %mean, %invStdDev = model.node "onnx.LayerNormalization" opset 17 (%x, %scale, %b) {epsilon = 0.0} :
    (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  check.close %y, dense<[[-0.5, 2.0], [-0.5, 2.0]]> : tensor<2x2xf32>
  check.close %mean, dense<[[2.0], [4.0]]> : tensor<2x1xf32>
  check.close %invStdDev, dense<[[1.0], [0.5]]> : tensor<2x1xf32>
  return
}

func.func @axis() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %scale = check.input dense<[[1.0, 1.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.LayerNormalization" opset 17 (%x, %scale) {axis = 1} :
    (tensor<1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2xf32>
  check.close %y, dense<[[[-1.341635, -0.4472118], [0.4472118, 1.341635]]]> : tensor<1x2x2xf32>
  return
}

func.func @no_bias() {
  %x = check.input dense<[[0.0, 0.0, 3.0]]> : tensor<1x3xf32>
  %scale = check.input dense<[1.0, 1.0, 1.0]> : tensor<3xf32>
  %y = model.node "onnx.LayerNormalization" opset 17 (%x, %scale) {axis = -1} :
    (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  check.close %y, dense<[[-0.707105, -0.707105, 1.41421]]> : tensor<1x3xf32>
  return
}

// The square of 1000 does not fit in f16.
func.func @half() {
  %x = check.input dense<[[1.0e3, 3.0e3]]> : tensor<1x2xf16>
  %scale = check.input dense<[1.0, 1.0]> : tensor<2xf16>
  %b = check.input dense<[0.0, 0.0]> : tensor<2xf16>
  %y = model.node "onnx.LayerNormalization" opset 17 (%x, %scale, %b) {} :
    (tensor<1x2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  check.close %y, dense<[[-1.0, 1.0]]> : tensor<1x2xf16> {rtol = 1.0e-3}
  return
}
