// RUN: dynac-check %s
// y = the attribute.

func.func @tensor() {
  %y = model.node "onnx.Constant" opset 13 () {value = dense<[[1.0, 0x7FC00000]]> : tensor<1x2xf32>} :
    () -> tensor<1x2xf32>
  check.equal %y, dense<[[1.0, 0x7FC00000]]> : tensor<1x2xf32>
  return
}

func.func @float() {
  %y = model.node "onnx.Constant" opset 12 () {value_float = 0.1} : () -> tensor<f32>
  check.equal %y, dense<0.1> : tensor<f32>
  return
}

func.func @floats() {
  %y = model.node "onnx.Constant" opset 13 () {value_floats = [1.0, -0.5]} : () -> tensor<2xf32>
  check.equal %y, dense<[1.0, -0.5]> : tensor<2xf32>
  return
}

func.func @integer() {
  %y = model.node "onnx.Constant" opset 13 () {value_int = -3} : () -> tensor<i64>
  check.equal %y, dense<-3> : tensor<i64>
  return
}

func.func @integers() {
  %y = model.node "onnx.Constant" opset 21 () {value_ints = [1, 2, 9007199254740993]} : () -> tensor<3xi64>
  check.equal %y, dense<[1, 2, 9007199254740993]> : tensor<3xi64>
  return
}

func.func @bool() {
  %y = model.node "onnx.Constant" opset 1 () {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  check.equal %y, dense<[true, false]> : tensor<2xi1>
  return
}
