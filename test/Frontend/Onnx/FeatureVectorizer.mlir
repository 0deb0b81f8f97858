// RUN: dynac-check %s
// The operands' rows side by side, each cut or filled up with zeros to its size.

func.func @sizes() {
  %a = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = check.input dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.FeatureVectorizer" opset 1 (%a, %b) {inputdimensions = [3, 1]} :
    (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  check.equal %y, dense<[[1.0, 2.0, 0.0, 5.0], [3.0, 4.0, 0.0, 7.0]]> : tensor<2x4xf32>
  return
}
