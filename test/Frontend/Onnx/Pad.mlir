// RUN: dynac-check %s
// y = x with pads[a] elements before and pads[rank + a] after axis a.

func.func @constant() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %pads = check.constant dense<[0, 1, 1, 0]> : tensor<4xi64>
  %constant_value = check.input dense<9.0> : tensor<f32>
  %y = model.node "onnx.Pad" opset 13 (%x, %pads, %constant_value) {} :
    (tensor<2x2xf32>, tensor<4xi64>, tensor<f32>) -> tensor<3x3xf32>
  check.equal %y, dense<[[9.0, 1.0, 2.0], [9.0, 3.0, 4.0], [9.0, 9.0, 9.0]]> : tensor<3x3xf32>
  return
}

func.func @zero_by_default() {
  %x = check.input dense<[1, 2]> : tensor<2xi32>
  %pads = check.constant dense<[1, 2]> : tensor<2xi64>
  %y = model.node "onnx.Pad" opset 13 (%x, %pads) {} : (tensor<2xi32>, tensor<2xi64>) -> tensor<5xi32>
  check.equal %y, dense<[0, 1, 2, 0, 0]> : tensor<5xi32>
  return
}

func.func @reflect() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %pads = check.constant dense<[2, 1]> : tensor<2xi64>
  %y = model.node "onnx.Pad" opset 13 (%x, %pads) {mode = "reflect"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<6xf32>
  check.equal %y, dense<[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]> : tensor<6xf32>
  return
}

func.func @edge() {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %pads = check.constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = model.node "onnx.Pad" opset 13 (%x, %pads) {mode = "edge"} :
    (tensor<1x2xf32>, tensor<4xi64>) -> tensor<1x5xf32>
  check.equal %y, dense<[[1.0, 1.0, 1.0, 2.0, 2.0]]> : tensor<1x5xf32>
  return
}

func.func @wrap() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %pads = check.constant dense<[2, 1]> : tensor<2xi64>
  %y = model.node "onnx.Pad" opset 19 (%x, %pads) {mode = "wrap"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<6xf32>
  check.equal %y, dense<[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]> : tensor<6xf32>
  return
}

// Negative pads take away.
func.func @crop() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %pads = check.constant dense<[-1, -1]> : tensor<2xi64>
  %y = model.node "onnx.Pad" opset 13 (%x, %pads) {} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  check.equal %y, dense<[2.0, 3.0]> : tensor<2xf32>
  return
}

func.func @axes() {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %pads = check.constant dense<[1, 0]> : tensor<2xi64>
  %constant_value = check.input dense<5.0> : tensor<f32>
  %axes = check.constant dense<[-1]> : tensor<1xi64>
  %y = model.node "onnx.Pad" opset 18 (%x, %pads, %constant_value, %axes) {} :
    (tensor<1x2xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> tensor<1x3xf32>
  check.equal %y, dense<[[5.0, 1.0, 2.0]]> : tensor<1x3xf32>
  return
}

func.func @attributes() {
  %x = check.input dense<[1.0]> : tensor<1xf32>
  %y = model.node "onnx.Pad" opset 2 (%x) {pads = [1, 1], value = 7.0} : (tensor<1xf32>) -> tensor<3xf32>
  check.equal %y, dense<[7.0, 1.0, 7.0]> : tensor<3xf32>
  return
}
