// RUN: dynac-check %s
// y = x as another type: floats are cut towards 0, integers wrap, a bool is whether it is not 0.

func.func @float_to_integer() {
  %x = check.input dense<[1.9, -1.9, 0.2]> : tensor<3xf32>
  %y = model.node "onnx.Cast" opset 13 (%x) {to = 6} : (tensor<3xf32>) -> tensor<3xi32>
  check.equal %y, dense<[1, -1, 0]> : tensor<3xi32>
  return
}

func.func @integer_wraps() {
  %x = check.input dense<[300, -1, 127]> : tensor<3xi32>
  %y = model.node "onnx.Cast" opset 13 (%x) {to = 3} : (tensor<3xi32>) -> tensor<3xi8>
  check.equal %y, dense<[44, -1, 127]> : tensor<3xi8>
  return
}

func.func @to_bool() {
  %x = check.input dense<[0.0, -0.0, 0.1, 0x7FC00000]> : tensor<4xf32>
  %y = model.node "onnx.Cast" opset 9 (%x) {to = 9} : (tensor<4xf32>) -> tensor<4xi1>
  check.equal %y, dense<[false, false, true, true]> : tensor<4xi1>
  return
}

func.func @from_bool() {
  %x = check.input dense<[true, false]> : tensor<2xi1>
  %y = model.node "onnx.Cast" opset 13 (%x) {to = 1} : (tensor<2xi1>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 0.0]> : tensor<2xf32>
  return
}

// To nearest even: 65520 overflows, 1e-8 is no denormal any more.
func.func @to_half() {
  %x = check.input dense<[1.0009764, 65520.0, 1.0e-8]> : tensor<3xf32>
  %y = model.node "onnx.Cast" opset 13 (%x) {to = 10} : (tensor<3xf32>) -> tensor<3xf16>
  check.equal %y, dense<[1.001, 0x7C00, 0.0]> : tensor<3xf16>
  return
}

func.func @to_bfloat16() {
  %x = check.input dense<[1.0039062, 3.0e38]> : tensor<2xf32>
  %y = model.node "onnx.Cast" opset 13 (%x) {to = 16} : (tensor<2xf32>) -> tensor<2xbf16>
  check.equal %y, dense<[1.0, 3.0e38]> : tensor<2xbf16>
  return
}

func.func @to_double() {
  %x = check.input dense<[0.1]> : tensor<1xf32>
  %y = model.node "onnx.Cast" opset 6 (%x) {to = 11} : (tensor<1xf32>) -> tensor<1xf64>
  check.equal %y, dense<[0.10000000149011612]> : tensor<1xf64>
  return
}

// Saturates unless saturate = 0.
func.func @to_float8() {
  %x = check.input dense<[1.1, 500.0, -0.07]> : tensor<3xf32>
  %y = model.node "onnx.Cast" opset 19 (%x) {to = 17} : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
  check.equal %y, dense<[1.1, 4.5e2, -0.07]> : tensor<3xf8E4M3FN>
  return
}

// Before version 6 `to` is a name.
func.func @named_type() {
  %x = check.input dense<[1.5, -2.5]> : tensor<2xf32>
  %y = model.node "onnx.Cast" opset 1 (%x) {to = "INT64"} : (tensor<2xf32>) -> tensor<2xi64>
  check.equal %y, dense<[1, -2]> : tensor<2xi64>
  return
}
