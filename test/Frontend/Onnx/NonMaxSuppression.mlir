// RUN: dynac-check %s
// The boxes [batch, class, box] that are kept: by falling score, of those that overlap more than iou_threshold the best.

func.func @corners() {
  %boxes = check.input dense<[[[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]]> : tensor<1x3x4xf32>
  %scores = check.input dense<[[[0.9, 0.75, 0.6]]]> : tensor<1x1x3xf32>
  %max_output_boxes_per_class = check.constant dense<[3]> : tensor<1xi64>
  %iou_threshold = check.constant dense<[0.5]> : tensor<1xf32>
  %score_threshold = check.constant dense<[0.0]> : tensor<1xf32>
  %y = model.node "onnx.NonMaxSuppression" opset 11 (%boxes, %scores, %max_output_boxes_per_class, %iou_threshold, %score_threshold) {} :
    (tensor<1x3x4xf32>, tensor<1x1x3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xi64>
  check.equal %y, dense<[[0, 0, 0], [0, 0, 2]]> : tensor<2x3xi64>
  return
}

func.func @centres() {
  %boxes = check.input dense<[[[0.5, 0.5, 1.0, 1.0], [0.5, 0.6, 1.0, 1.0], [0.5, 2.5, 1.0, 1.0]]]> : tensor<1x3x4xf32>
  %scores = check.input dense<[[[0.5, 0.9, 0.6]]]> : tensor<1x1x3xf32>
  %max_output_boxes_per_class = check.input dense<[3]> : tensor<1xi64>
  %iou_threshold = check.input dense<[0.5]> : tensor<1xf32>
  %y = model.node "onnx.NonMaxSuppression" opset 11 (%boxes, %scores, %max_output_boxes_per_class, %iou_threshold)
    {center_point_box = 1} : (tensor<1x3x4xf32>, tensor<1x1x3xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<2x3xi64>
  check.equal %y, dense<[[0, 0, 1], [0, 0, 2]]> : tensor<2x3xi64>
  return
}

func.func @score_threshold_and_limit() {
  %boxes = check.input dense<[[[0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0], [0.0, 4.0, 1.0, 5.0]]]> : tensor<1x3x4xf32>
  %scores = check.input dense<[[[0.9, 0.2, 0.5]]]> : tensor<1x1x3xf32>
  %max_output_boxes_per_class = check.input dense<[1]> : tensor<1xi64>
  %iou_threshold = check.input dense<[0.5]> : tensor<1xf32>
  %score_threshold = check.input dense<[0.3]> : tensor<1xf32>
  %y = model.node "onnx.NonMaxSuppression" opset 10 (%boxes, %scores, %max_output_boxes_per_class, %iou_threshold, %score_threshold) {} :
    (tensor<1x3x4xf32>, tensor<1x1x3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3xi64>
  check.equal %y, dense<[[0, 0, 0]]> : tensor<1x3xi64>
  return
}

// Without a limit nothing is kept.
func.func @none() {
  %boxes = check.input dense<[[[0.0, 0.0, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %scores = check.input dense<[[[0.9]]]> : tensor<1x1x1xf32>
  %y = model.node "onnx.NonMaxSuppression" opset 11 (%boxes, %scores) {} :
    (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<0x3xi64>
  check.equal %y, dense<> : tensor<0x3xi64>
  return
}
