// RUN: dynac-check %s
// loss = -weight[target] * x[target], its sum, or its mean (by the sum of weights).

func.func @mean_by_default() {
  %x = check.input dense<[[-1.0, -2.0, -3.0], [-4.0, -5.0, -6.0]]> : tensor<2x3xf32>
  %target = check.input dense<[1, 2]> : tensor<2xi64>
  %loss = model.node "onnx.NegativeLogLikelihoodLoss" opset 13 (%x, %target) {} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  check.close %loss, dense<4.0> : tensor<f32>
  return
}

func.func @weights() {
  %x = check.input dense<[[-1.0, -2.0], [-4.0, -5.0]]> : tensor<2x2xf32>
  %target = check.input dense<[0, 1]> : tensor<2xi64>
  %weight = check.input dense<[1.0, 3.0]> : tensor<2xf32>
  %loss = model.node "onnx.NegativeLogLikelihoodLoss" opset 12 (%x, %target, %weight) {} :
    (tensor<2x2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<f32>
  check.close %loss, dense<4.0> : tensor<f32>
  return
}

func.func @none() {
  %x = check.input dense<[[-1.0, -2.0], [-4.0, -5.0]]> : tensor<2x2xf32>
  %target = check.input dense<[0, 1]> : tensor<2xi64>
  %loss = model.node "onnx.NegativeLogLikelihoodLoss" opset 22 (%x, %target) {reduction = "none"} :
    (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.close %loss, dense<[1.0, 5.0]> : tensor<2xf32>
  return
}

func.func @sum_and_ignored() {
  %x = check.input dense<[[-1.0, -2.0], [-4.0, -5.0], [-7.0, -8.0]]> : tensor<3x2xf32>
  %target = check.input dense<[0, 9, 1]> : tensor<3xi64>
  %loss = model.node "onnx.NegativeLogLikelihoodLoss" opset 13 (%x, %target) {reduction = "sum", ignore_index = 9} :
    (tensor<3x2xf32>, tensor<3xi64>) -> tensor<f32>
  check.close %loss, dense<9.0> : tensor<f32>
  return
}

func.func @image() {
  %x = check.input dense<[[[-1.0, -2.0], [-3.0, -4.0]]]> : tensor<1x2x2xf32>
  %target = check.input dense<[[0, 1]]> : tensor<1x2xi64>
  %loss = model.node "onnx.NegativeLogLikelihoodLoss" opset 13 (%x, %target) {reduction = "none"} :
    (tensor<1x2x2xf32>, tensor<1x2xi64>) -> tensor<1x2xf32>
  check.close %loss, dense<[[1.0, 4.0]]> : tensor<1x2xf32>
  return
}
