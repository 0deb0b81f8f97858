// RUN: dynac-check %s
// y = a - b * floor(a / b) with the sign of b, or with fmod = 1 as C has it with the sign of a.

func.func @integer() {
  %a = check.input dense<[7, -7, 7, -7]> : tensor<4xi32>
  %b = check.input dense<[3, 3, -3, -3]> : tensor<4xi32>
  %c = model.node "onnx.Mod" opset 13 (%a, %b) {} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  check.equal %c, dense<[1, 2, -2, -1]> : tensor<4xi32>
  return
}

func.func @fmod_of_integers() {
  %a = check.input dense<[7, -7, 7, -7]> : tensor<4xi64>
  %b = check.input dense<[3, 3, -3, -3]> : tensor<4xi64>
  %c = model.node "onnx.Mod" opset 13 (%a, %b) {fmod = 1} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.equal %c, dense<[1, -1, 1, -1]> : tensor<4xi64>
  return
}

func.func @fmod() {
  %a = check.input dense<[5.5, -5.5, 5.5]> : tensor<3xf32>
  %b = check.input dense<[2.0, 2.0, -2.0]> : tensor<3xf32>
  %c = model.node "onnx.Mod" opset 13 (%a, %b) {fmod = 1} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  check.equal %c, dense<[1.5, -1.5, 1.5]> : tensor<3xf32>
  return
}

func.func @unsigned() {
  %a = check.input dense<[200, 7]> : tensor<2xui8>
  %b = check.input dense<[7, 200]> : tensor<2xui8>
  %c = model.node "onnx.Mod" opset 10 (%a, %b) {} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  check.equal %c, dense<[4, 7]> : tensor<2xui8>
  return
}

func.func @broadcast() {
  %a = check.input dense<[[10], [11]]> : tensor<2x1xi32>
  %b = check.input dense<[3, 4]> : tensor<2xi32>
  %c = model.node "onnx.Mod" opset 13 (%a, %b) {} : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.equal %c, dense<[[1, 2], [2, 3]]> : tensor<2x2xi32>
  return
}
