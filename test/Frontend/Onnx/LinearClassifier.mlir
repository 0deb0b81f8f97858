// RUN: dynac-check %s
// The label of the greatest of x coefficients' + intercepts, and these scores.

func.func @three_labels() {
  %x = check.input dense<[[1.0, 2.0], [-1.0, 0.5]]> : tensor<2x2xf32>
  %y, %z = model.node "ai.onnx.ml.LinearClassifier" opset 1 (%x) {coefficients = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0],
    intercepts = [0.0, 0.5, 0.25], classlabels_ints = [3, 5, 9]} : (tensor<2x2xf32>) -> (tensor<2xi64>, tensor<2x3xf32>)
  check.equal %y, dense<[5, 9]> : tensor<2xi64>
  check.close %z, dense<[[1.0, 2.5, -0.75], [-1.0, 1.0, 1.25]]> : tensor<2x3xf32>
  return
}

func.func @logistic() {
  %x = check.input dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %y, %z = model.node "ai.onnx.ml.LinearClassifier" opset 1 (%x) {coefficients = [1.0, 0.0, 0.0, 1.0],
    classlabels_ints = [0, 1], post_transform = "LOGISTIC"} : (tensor<1x2xf32>) -> (tensor<1xi64>, tensor<1x2xf32>)
  check.equal %y, dense<[1]> : tensor<1xi64>
  check.close %z, dense<[[0.5, 0.7310586]]> : tensor<1x2xf32>
  return
}

func.func @strings() attributes {check.refused = "strings"} {
  %x = check.input dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %y, %z = model.node "ai.onnx.ml.LinearClassifier" opset 1 (%x) {coefficients = [1.0, 0.0, 0.0, 1.0],
    classlabels_strings = ["a", "b"]} : (tensor<1x2xf32>) -> (tensor<1xi64>, tensor<1x2xf32>)
  return
}
