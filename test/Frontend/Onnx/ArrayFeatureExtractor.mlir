// RUN: dynac-check %s
// y = the columns of x at the indices.

func.func @columns() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = check.input dense<[2, 0]> : tensor<2xi64>
  %z = model.node "ai.onnx.ml.ArrayFeatureExtractor" opset 1 (%x, %y) {} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  check.equal %z, dense<[[3.0, 1.0], [6.0, 4.0]]> : tensor<2x2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[7, 8]]> : tensor<1x2xi64>
  %y = check.input dense<[1]> : tensor<1xi64>
  %z = model.node "ai.onnx.ml.ArrayFeatureExtractor" opset 1 (%x, %y) {} :
    (tensor<1x2xi64>, tensor<1xi64>) -> tensor<1x1xi64>
  check.equal %z, dense<[[8]]> : tensor<1x1xi64>
  return
}
