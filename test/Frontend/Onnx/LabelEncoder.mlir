// RUN: dynac-check %s
// y = values[i] where x = keys[i], otherwise the default.

func.func @integer_to_float() {
  %x = check.input dense<[1, 5, 3]> : tensor<3xi64>
  %y = model.node "ai.onnx.ml.LabelEncoder" opset 2 (%x)
    {keys_int64s = [1, 3], values_floats = [0.5, 1.5], default_float = -1.0} : (tensor<3xi64>) -> tensor<3xf32>
  check.equal %y, dense<[0.5, -1.0, 1.5]> : tensor<3xf32>
  return
}

func.func @float_to_integer() {
  %x = check.input dense<[0.5, 2.0]> : tensor<2xf32>
  %y = model.node "ai.onnx.ml.LabelEncoder" opset 4 (%x)
    {keys_floats = [0.5, 1.0], values_int64s = [7, 8], default_int64 = -2} : (tensor<2xf32>) -> tensor<2xi64>
  check.equal %y, dense<[7, -2]> : tensor<2xi64>
  return
}

func.func @strings() attributes {check.refused = "string"} {
  %x = check.input dense<[1]> : tensor<1xi64>
  %y = model.node "ai.onnx.ml.LabelEncoder" opset 2 (%x) {keys_int64s = [1], values_strings = ["one"]} :
    (tensor<1xi64>) -> tensor<1xi64>
  return
}
