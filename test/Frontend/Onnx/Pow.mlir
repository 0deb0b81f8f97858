// RUN: dynac-check %s
// y = x^e of the type of x; the exponent has a type of its own from version 12 on.

func.func @float() {
  %x = check.input dense<[2.0, 3.0, 0.0, -2.0]> : tensor<4xf32>
  %y = check.input dense<[3.0, 0.5, 0.0, 3.0]> : tensor<4xf32>
  %z = model.node "onnx.Pow" opset 15 (%x, %y) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  check.close %z, dense<[8.0, 1.732051, 1.0, -8.0]> : tensor<4xf32>
  return
}

func.func @negative_base() {
  %x = check.input dense<[-8.0, 4.0]> : tensor<2xf32>
  %y = check.input dense<[0.5, -0.5]> : tensor<2xf32>
  %z = model.node "onnx.Pow" opset 15 (%x, %y) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.close %z, dense<[0x7FC00000, 0.5]> : tensor<2xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[2, -3, 7]> : tensor<3xi32>
  %y = check.input dense<[10, 3, 0]> : tensor<3xi32>
  %z = model.node "onnx.Pow" opset 15 (%x, %y) {} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.equal %z, dense<[1024, -27, 1]> : tensor<3xi32>
  return
}

func.func @integer_exponent() {
  %x = check.input dense<[1.5, -2.0]> : tensor<2xf32>
  %y = check.input dense<[2, 3]> : tensor<2xi64>
  %z = model.node "onnx.Pow" opset 13 (%x, %y) {} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.close %z, dense<[2.25, -8.0]> : tensor<2xf32>
  return
}

func.func @broadcast() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = check.input dense<[2.0]> : tensor<1xf32>
  %z = model.node "onnx.Pow" opset 7 (%x, %y) {} : (tensor<1x3xf32>, tensor<1xf32>) -> tensor<1x3xf32>
  check.close %z, dense<[[1.0, 4.0, 9.0]]> : tensor<1x3xf32>
  return
}
