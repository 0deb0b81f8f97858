// RUN: dynac-check %s
// y = x, and the imputed value where x is the replaced one.

func.func @not_a_number() {
  %x = check.input dense<[[1.0, 0x7FC00000], [0x7FC00000, 4.0]]> : tensor<2x2xf32>
  %y = model.node "ai.onnx.ml.Imputer" opset 1 (%x)
    {imputed_value_floats = [7.0, 8.0], replaced_value_float = 0x7FC00000 : f32} :
    (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[1.0, 8.0], [7.0, 4.0]]> : tensor<2x2xf32>
  return
}

func.func @one_value() {
  %x = check.input dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.Imputer" opset 1 (%x) {imputed_value_floats = [5.0], replaced_value_float = 0.0} :
    (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.equal %y, dense<[[5.0, 1.0]]> : tensor<1x2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[-1, 2]]> : tensor<1x2xi64>
  %y = model.node "ai.onnx.ml.Imputer" opset 1 (%x) {imputed_value_int64s = [9], replaced_value_int64 = -1} :
    (tensor<1x2xi64>) -> tensor<1x2xi64>
  check.equal %y, dense<[[9, 2]]> : tensor<1x2xi64>
  return
}
