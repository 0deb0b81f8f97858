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

// NaN is a key like any other; of equal keys the last one counts.
func.func @keys() {
  %x = check.input dense<[0x7FC00000, 1.0, 3.0]> : tensor<3xf32>
  %y = model.node "ai.onnx.ml.LabelEncoder" opset 4 (%x)
    {keys_floats = [1.0, 0x7FC00000 : f32, 1.0], values_int64s = [5, 6, 7]} : (tensor<3xf32>) -> tensor<3xi64>
  check.equal %y, dense<[6, 7, -1]> : tensor<3xi64>
  return
}

func.func @tensors() {
  %x = check.input dense<[2.5, 3.0, 4.0]> : tensor<3xf64>
  %y = model.node "ai.onnx.ml.LabelEncoder" opset 4 (%x)
    {keys_tensor = dense<[1.0, 2.5, 3.0]> : tensor<3xf64>, values_tensor = dense<[5, 6, 7]> : tensor<3xi16>,
     default_tensor = dense<-9> : tensor<1xi16>} : (tensor<3xf64>) -> tensor<3xi16>
  check.equal %y, dense<[6, 7, -9]> : tensor<3xi16>
  return
}
