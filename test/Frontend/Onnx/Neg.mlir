// RUN: dynac-check %s
// y = -x; integers wrap.

func.func @float() {
  %x = check.input dense<[-1.5, 0.0, 2.0, 0xFF800000]> : tensor<4xf32>
  %y = model.node "onnx.Neg" opset 13 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  check.equal %y, dense<[1.5, -0.0, -2.0, 0x7F800000]> : tensor<4xf32>
  return
}

// -(-128) does not fit.
func.func @integer() {
  %x = check.input dense<[1, -5, 0, -128]> : tensor<4xi8>
  %y = model.node "onnx.Neg" opset 13 (%x) {} : (tensor<4xi8>) -> tensor<4xi8>
  check.equal %y, dense<[-1, 5, 0, -128]> : tensor<4xi8>
  return
}

func.func @wide() {
  %x = check.input dense<[9007199254740993, -1]> : tensor<2xi64>
  %y = model.node "onnx.Neg" opset 13 (%x) {} : (tensor<2xi64>) -> tensor<2xi64>
  check.equal %y, dense<[-9007199254740993, 1]> : tensor<2xi64>
  return
}
