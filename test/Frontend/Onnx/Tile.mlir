// RUN: dynac-check %s
// y = x, repeats[a] times along axis a.

func.func @both_axes() {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %repeats = check.constant dense<[2, 2]> : tensor<2xi64>
  %y = model.node "onnx.Tile" opset 13 (%x, %repeats) {} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  check.equal %y, dense<[[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]> : tensor<2x4xf32>
  return
}

func.func @once() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %repeats = check.constant dense<[1]> : tensor<1xi64>
  %y = model.node "onnx.Tile" opset 13 (%x, %repeats) {} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

func.func @never() {
  %x = check.input dense<[1, 2]> : tensor<2xi32>
  %repeats = check.constant dense<[0]> : tensor<1xi64>
  %y = model.node "onnx.Tile" opset 13 (%x, %repeats) {} : (tensor<2xi32>, tensor<1xi64>) -> tensor<0xi32>
  check.equal %y, dense<> : tensor<0xi32>
  return
}

func.func @integer() {
  %x = check.input dense<[[1], [2]]> : tensor<2x1xi64>
  %repeats = check.constant dense<[1, 3]> : tensor<2xi64>
  %y = model.node "onnx.Tile" opset 6 (%x, %repeats) {} : (tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x3xi64>
  check.equal %y, dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi64>
  return
}

// Before version 6: how often, and along which axis.
func.func @one_axis() {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %tiles = check.constant dense<[2.0]> : tensor<1xf32>
  %axis = check.constant dense<[1.0]> : tensor<1xf32>
  %y = model.node "onnx.Tile" opset 1 (%x, %tiles, %axis) {} :
    (tensor<1x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4xf32>
  check.equal %y, dense<[[1.0, 2.0, 1.0, 2.0]]> : tensor<1x4xf32>
  return
}

func.func @no_axis() attributes {check.invalid = "the axis is none of rank 2"} {
  %x = check.input dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %tiles = check.constant dense<[2.0]> : tensor<1xf32>
  %axis = check.constant dense<[0x7FC00000]> : tensor<1xf32>
  %tiled = model.node "onnx.Tile" opset 1 (%x, %tiles, %axis) {} :
    (tensor<1x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4xf32>
  return
}
