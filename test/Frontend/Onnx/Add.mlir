// RUN: dynac-check %s
// y = a + b; integers wrap.

func.func @same_shape() {
  %a = check.input dense<[1.0, 2.5, 0x7F800000]> : tensor<3xf32>
  %b = check.input dense<[3.0, -1.0, 0xFF800000]> : tensor<3xf32>
  %c = model.node "onnx.Add" opset 14 (%a, %b) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  check.equal %c, dense<[4.0, 1.5, 0x7FC00000]> : tensor<3xf32>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = check.input dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %c = model.node "onnx.Add" opset 14 (%a, %b) {} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.equal %c, dense<[[11.0, 21.0, 31.0], [12.0, 22.0, 32.0]]> : tensor<2x3xf32>
  return
}

func.func @scalar() {
  %a = check.input dense<2.0> : tensor<f32>
  %b = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %c = model.node "onnx.Add" opset 7 (%a, %b) {} : (tensor<f32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.equal %c, dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  return
}

func.func @integer_wraps() {
  %a = check.input dense<[2147483647, 5]> : tensor<2xi32>
  %b = check.input dense<[1, -6]> : tensor<2xi32>
  %c = model.node "onnx.Add" opset 14 (%a, %b) {} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.equal %c, dense<[-2147483648, -1]> : tensor<2xi32>
  return
}

func.func @unsigned_wraps() {
  %a = check.input dense<[250, 1]> : tensor<2xui8>
  %b = check.input dense<[10, 2]> : tensor<2xui8>
  %c = model.node "onnx.Add" opset 14 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  check.equal %c, dense<[4, 3]> : tensor<2xui8>
  return
}

// 2049 is no f16.
func.func @half() {
  %a = check.input dense<[1.0, 2048.0]> : tensor<2xf16>
  %b = check.input dense<[0.5, 1.0]> : tensor<2xf16>
  %c = model.node "onnx.Add" opset 14 (%a, %b) {} : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  check.equal %c, dense<[1.5, 2048.0]> : tensor<2xf16>
  return
}

// Before version 7 `axis` says where b lies.
func.func @old_broadcast() {
  %a = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = check.input dense<[10.0, 20.0]> : tensor<2xf32>
  %c = model.node "onnx.Add" opset 6 (%a, %b) {broadcast = 1, axis = 0} :
    (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.equal %c, dense<[[11.0, 12.0], [23.0, 24.0]]> : tensor<2x2xf32>
  return
}
