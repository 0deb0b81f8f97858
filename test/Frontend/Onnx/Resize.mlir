// RUN: dynac-check %s
// y at the place in x that coordinate_transformation_mode says: the nearest element, linear or cubic interpolation.

// Version 10: nearest, x = y / scale rounded down.
func.func @scales_only() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %scales = check.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 10 (%x, %scales) {} : (tensor<1x1x4xf32>, tensor<3xf32>) -> tensor<1x1x8xf32>
  check.equal %y, dense<[[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]]]> : tensor<1x1x8xf32>
  return
}

func.func @nearest_half_pixel() {
  %x = check.input dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %scales) {mode = "nearest"} :
    (tensor<1x1x3xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x6xf32>
  check.equal %y, dense<[[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0]]]> : tensor<1x1x6xf32>
  return
}

func.func @nearest_ceil() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 0.6]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 11 (%x, %none, %scales)
    {mode = "nearest", nearest_mode = "ceil", coordinate_transformation_mode = "asymmetric"} :
    (tensor<1x1x4xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x2xf32>
  check.equal %y, dense<[[[1.0, 3.0]]]> : tensor<1x1x2xf32>
  return
}

func.func @linear() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %scales) {mode = "linear"} :
    (tensor<1x1x4xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x8xf32>
  check.close %y, dense<[[[1.0, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4.0]]]> : tensor<1x1x8xf32>
  return
}

func.func @align_corners() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %none = model.absent : !model.none
  %sizes = check.constant dense<[1, 1, 3, 3]> : tensor<4xi64>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %none, %sizes)
    {mode = "linear", coordinate_transformation_mode = "align_corners"} :
    (tensor<1x1x2x2xf32>, !model.none, !model.none, tensor<4xi64>) -> tensor<1x1x3x3xf32>
  check.equal %y, dense<[[[[1.0, 1.5, 2.0], [2.0, 2.5, 3.0], [3.0, 3.5, 4.0]]]]> : tensor<1x1x3x3xf32>
  return
}

func.func @pytorch_half_pixel() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %sizes = check.constant dense<[1, 1, 1]> : tensor<3xi64>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %none, %sizes)
    {mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel"} :
    (tensor<1x1x4xf32>, !model.none, !model.none, tensor<3xi64>) -> tensor<1x1x1xf32>
  check.equal %y, dense<[[[1.0]]]> : tensor<1x1x1xf32>
  return
}

func.func @cubic() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %scales) {mode = "cubic", cubic_coeff_a = -0.5} :
    (tensor<1x1x4xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x8xf32>
  check.close %y, dense<[[[0.9296875, 1.179688, 1.726562, 2.25, 2.75, 3.273438, 3.820312,
                         4.070312]]]> : tensor<1x1x8xf32>
  return
}

func.func @cubic_exclude_outside() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 13 (%x, %none, %scales) {mode = "cubic", exclude_outside = 1} :
    (tensor<1x1x4xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x8xf32>
  check.close %y, dense<[[[0.8636364, 1.173145, 1.645283, 2.296875, 2.703125, 3.354717, 3.826855,
                         4.136364]]]> : tensor<1x1x8xf32>
  return
}

func.func @antialias() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %none = model.absent : !model.none
  %scales = check.constant dense<[1.0, 1.0, 0.5]> : tensor<3xf32>
  %y = model.node "onnx.Resize" opset 18 (%x, %none, %scales) {mode = "linear", antialias = 1} :
    (tensor<1x1x4xf32>, !model.none, tensor<3xf32>) -> tensor<1x1x2xf32>
  check.close %y, dense<[[[1.625, 3.375]]]> : tensor<1x1x2xf32>
  return
}

func.func @axes() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %none = model.absent : !model.none
  %sizes = check.constant dense<[4]> : tensor<1xi64>
  %y = model.node "onnx.Resize" opset 18 (%x, %none, %none, %sizes) {axes = [3], mode = "nearest"} :
    (tensor<1x1x2x2xf32>, !model.none, !model.none, tensor<1xi64>) -> tensor<1x1x2x4xf32>
  check.equal %y, dense<[[[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]]]> : tensor<1x1x2x4xf32>
  return
}

func.func @crop() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %roi = check.constant dense<[0.0, 0.0, 0.25, 1.0, 1.0, 1.5]> : tensor<6xf32>
  %none = model.absent : !model.none
  %sizes = check.constant dense<[1, 1, 2]> : tensor<3xi64>
  %y = model.node "onnx.Resize" opset 13 (%x, %roi, %none, %sizes)
    {mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 9.0} :
    (tensor<1x1x4xf32>, tensor<6xf32>, !model.none, tensor<3xi64>) -> tensor<1x1x2xf32>
  check.close %y, dense<[[[1.75, 9.0]]]> : tensor<1x1x2xf32>
  return
}
