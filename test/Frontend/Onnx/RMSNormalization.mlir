// RUN: dynac-check %s
// y = scale * x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on.

func.func @last_axis() {
  %x = check.input dense<[[3.0, 4.0], [1.0, 7.0]]> : tensor<2x2xf32>
  %scale = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.RMSNormalization" opset 23 (%x, %scale) {} :
    (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.close %y, dense<[[0.8485281, 2.262742], [0.2, 2.8]]> : tensor<2x2xf32>
  return
}

func.func @axis() {
  %x = check.input dense<[[[1.0, 1.0], [1.0, 1.0]]]> : tensor<1x2x2xf32>
  %scale = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.RMSNormalization" opset 23 (%x, %scale) {axis = 1} :
    (tensor<1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2xf32>
  check.close %y, dense<[[[0.999995, 1.99999], [2.999985, 3.99998]]]> : tensor<1x2x2xf32>
  return
}

// The squares do not fit in f16.
func.func @half() {
  %x = check.input dense<[[3.0e2, 4.0e2]]> : tensor<1x2xf16>
  %scale = check.input dense<[1.0, 1.0]> : tensor<2xf16>
  %y = model.node "onnx.RMSNormalization" opset 23 (%x, %scale) {} :
    (tensor<1x2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  check.close %y, dense<[[0.8486, 1.132]]> : tensor<1x2xf16> {rtol = 1.0e-3}
  return
}
