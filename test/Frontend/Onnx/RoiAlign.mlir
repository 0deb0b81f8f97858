// RUN: dynac-check %s
// y = for each cell of each region the mean (or maximum) of sampling_ratio^2 bilinear samples.

func.func @mean() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0],
                          [12.0, 13.0, 14.0, 15.0]]]]> : tensor<1x1x4x4xf32>
  %rois = check.input dense<[[0.0, 0.0, 2.0, 2.0]]> : tensor<1x4xf32>
  %batch_indices = check.input dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.RoiAlign" opset 16 (%x, %rois, %batch_indices)
    {output_height = 1, output_width = 1, sampling_ratio = 1, coordinate_transformation_mode = "output_half_pixel"} :
    (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x1x1xf32>
  check.close %y, dense<[[[[5.0]]]]> : tensor<1x1x1x1xf32>
  return
}

func.func @half_pixel() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0],
                          [12.0, 13.0, 14.0, 15.0]]]]> : tensor<1x1x4x4xf32>
  %rois = check.input dense<[[1.0, 1.0, 3.0, 3.0]]> : tensor<1x4xf32>
  %batch_indices = check.input dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.RoiAlign" opset 16 (%x, %rois, %batch_indices)
    {output_height = 2, output_width = 2, sampling_ratio = 2} :
    (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x2x2xf32>
  check.close %y, dense<[[[[5.0, 6.0], [9.0, 10.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @scale() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0],
                          [12.0, 13.0, 14.0, 15.0]]]]> : tensor<1x1x4x4xf32>
  %rois = check.input dense<[[0.0, 0.0, 4.0, 4.0]]> : tensor<1x4xf32>
  %batch_indices = check.input dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.RoiAlign" opset 10 (%x, %rois, %batch_indices)
    {output_height = 1, output_width = 2, sampling_ratio = 2, spatial_scale = 0.5} :
    (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x1x2xf32>
  check.close %y, dense<[[[[4.5, 5.5]]]]> : tensor<1x1x1x2xf32>
  return
}

func.func @adaptive() attributes {check.refused = "sampling_ratio"} {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0],
                          [12.0, 13.0, 14.0, 15.0]]]]> : tensor<1x1x4x4xf32>
  %rois = check.input dense<[[0.0, 0.0, 2.0, 2.0]]> : tensor<1x4xf32>
  %batch_indices = check.input dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.RoiAlign" opset 16 (%x, %rois, %batch_indices) {} :
    (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x4x4xf32>
  return
}
