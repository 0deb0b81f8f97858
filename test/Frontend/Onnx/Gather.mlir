// RUN: dynac-check %s
// y = x at the indices along `axis`; negative indices count from the end.

func.func @rows() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[1, 0, 1]> : tensor<3xi64>
  %y = model.node "onnx.Gather" opset 13 (%x, %indices) {} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<3x3xf32>
  check.equal %y, dense<[[4.0, 5.0, 6.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<3x3xf32>
  return
}

func.func @negative() {
  %x = check.input dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %indices = check.input dense<[-1, -3]> : tensor<2xi32>
  %y = model.node "onnx.Gather" opset 13 (%x, %indices) {} : (tensor<3xf32>, tensor<2xi32>) -> tensor<2xf32>
  check.equal %y, dense<[30.0, 10.0]> : tensor<2xf32>
  return
}

func.func @columns() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<[[0, 2]]> : tensor<1x2xi64>
  %y = model.node "onnx.Gather" opset 13 (%x, %indices) {axis = -1} :
    (tensor<2x3xf32>, tensor<1x2xi64>) -> tensor<2x1x2xf32>
  check.equal %y, dense<[[[1.0, 3.0]], [[4.0, 6.0]]]> : tensor<2x1x2xf32>
  return
}

func.func @scalar_index() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %indices = check.input dense<1> : tensor<i64>
  %y = model.node "onnx.Gather" opset 11 (%x, %indices) {} : (tensor<2x3xf32>, tensor<i64>) -> tensor<3xf32>
  check.equal %y, dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  return
}

func.func @bool() {
  %x = check.input dense<[true, false]> : tensor<2xi1>
  %indices = check.input dense<[1, 1]> : tensor<2xi64>
  %y = model.node "onnx.Gather" opset 13 (%x, %indices) {} : (tensor<2xi1>, tensor<2xi64>) -> tensor<2xi1>
  check.equal %y, dense<[false, false]> : tensor<2xi1>
  return
}

// No index at all is none out of range.
func.func @no_indices() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %indices = check.constant dense<> : tensor<0x2xi64>
  %y = model.node "onnx.Gather" opset 13 (%x, %indices) {} : (tensor<2x2xf32>, tensor<0x2xi64>) -> tensor<0x2x2xf32>
  check.equal %y, dense<> : tensor<0x2x2xf32>
  return
}
