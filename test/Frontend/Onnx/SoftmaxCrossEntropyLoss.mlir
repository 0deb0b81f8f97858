// RUN: dynac-check %s
// loss = -log_softmax(scores)[label] as NegativeLogLikelihoodLoss sums it; log_softmax besides.

func.func @mean_by_default() {
  %scores = check.input dense<[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %labels = check.input dense<[1, 2]> : tensor<2xi64>
  %y, %log_prob = model.node "onnx.SoftmaxCrossEntropyLoss" opset 13 (%scores, %labels) {} :
    (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2x3xf32>)
  check.close %y, dense<0.2512645> : tensor<f32>
  check.close %log_prob, dense<[[-1.407606, -0.407606, -2.407606],
                                [-3.094923, -3.094923, -0.09492296]]> : tensor<2x3xf32>
  return
}

func.func @none() {
  %scores = check.input dense<[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %labels = check.input dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.SoftmaxCrossEntropyLoss" opset 12 (%scores, %labels) {reduction = "none"} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.close %y, dense<[0.407606, 0.09492296]> : tensor<2xf32>
  return
}

func.func @weights() {
  %scores = check.input dense<[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %labels = check.input dense<[1, 2]> : tensor<2xi64>
  %weights = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = model.node "onnx.SoftmaxCrossEntropyLoss" opset 13 (%scores, %labels, %weights) {} :
    (tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<f32>
  check.close %y, dense<0.2199962> : tensor<f32>
  return
}

func.func @ignored() {
  %scores = check.input dense<[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %labels = check.input dense<[1, -1]> : tensor<2xi64>
  %y = model.node "onnx.SoftmaxCrossEntropyLoss" opset 13 (%scores, %labels) {reduction = "sum", ignore_index = -1} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  check.close %y, dense<0.407606> : tensor<f32>
  return
}
