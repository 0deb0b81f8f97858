// RUN: dynac-check %s
// y = a * b; integers wrap.

func.func @broadcast() {
  %a = check.input dense<[[2.0], [3.0]]> : tensor<2x1xf32>
  %b = check.input dense<[[1.0, -1.0]]> : tensor<1x2xf32>
  %c = model.node "onnx.Mul" opset 14 (%a, %b) {} : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  check.equal %c, dense<[[2.0, -2.0], [3.0, -3.0]]> : tensor<2x2xf32>
  return
}

func.func @integer_wraps() {
  %a = check.input dense<[65536, -7]> : tensor<2xi32>
  %b = check.input dense<[65536, 6]> : tensor<2xi32>
  %c = model.node "onnx.Mul" opset 14 (%a, %b) {} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.equal %c, dense<[0, -42]> : tensor<2xi32>
  return
}

func.func @zero_times_infinity() {
  %a = check.input dense<[0.0, 2.0]> : tensor<2xf32>
  %b = check.input dense<[0x7F800000, 3.0]> : tensor<2xf32>
  %c = model.node "onnx.Mul" opset 13 (%a, %b) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.equal %c, dense<[0x7FC00000, 6.0]> : tensor<2xf32>
  return
}

func.func @half_overflows() {
  %a = check.input dense<[256.0, 2.0]> : tensor<2xf16>
  %b = check.input dense<[256.0, 3.0]> : tensor<2xf16>
  %c = model.node "onnx.Mul" opset 14 (%a, %b) {} : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  check.equal %c, dense<[0x7C00, 6.0]> : tensor<2xf16>
  return
}

func.func @empty() {
  %a = check.input dense<> : tensor<0x2xf32>
  %b = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %c = model.node "onnx.Mul" opset 14 (%a, %b) {} : (tensor<0x2xf32>, tensor<2xf32>) -> tensor<0x2xf32>
  check.equal %c, dense<> : tensor<0x2xf32>
  return
}
