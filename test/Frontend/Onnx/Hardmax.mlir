// RUN: dynac-check %s
// y = 1 at the first maximum, otherwise 0: from version 13 on over `axis`, before over all axes from `axis` on.

func.func @first_of_equal() {
  %x = check.input dense<[[1.0, 3.0, 3.0], [0.0, 0.0, -1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Hardmax" opset 13 (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.equal %y, dense<[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]> : tensor<2x3xf32>
  return
}

func.func @axis() {
  %x = check.input dense<[[1.0, 5.0], [2.0, 4.0]]> : tensor<2x2xf32>
  %y = model.node "onnx.Hardmax" opset 13 (%x) {axis = 0} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.equal %y, dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  return
}

// Of version 1: 2x2x2 is a matrix of 2 rows for the default axis 1.
func.func @flattened() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 0.0]], [[3.0, 3.0], [1.0, 0.0]]]> : tensor<2x2x2xf32>
  %y = model.node "onnx.Hardmax" opset 11 (%x) {} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  check.equal %y, dense<[[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  return
}
