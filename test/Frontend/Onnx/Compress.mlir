// RUN: dynac-check %s
// y = the elements (or slices along `axis`) where the condition is true; a short condition ends with false.

func.func @rows() {
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %condition = check.input dense<[false, true, true]> : tensor<3xi1>
  %y = model.node "onnx.Compress" opset 11 (%x, %condition) {axis = 0} :
    (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2x2xf32>
  check.equal %y, dense<[[3.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf32>
  return
}

func.func @short() {
  %x = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %condition = check.input dense<[true, true]> : tensor<2xi1>
  %y = model.node "onnx.Compress" opset 9 (%x, %condition) {axis = -1} :
    (tensor<1x3xf32>, tensor<2xi1>) -> tensor<1x2xf32>
  check.equal %y, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  return
}

// Without axis over the flattened tensor.
func.func @flattened() {
  %x = check.input dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %condition = check.input dense<[true, false, true]> : tensor<3xi1>
  %y = model.node "onnx.Compress" opset 11 (%x, %condition) {} : (tensor<2x2xi32>, tensor<3xi1>) -> tensor<2xi32>
  check.equal %y, dense<[1, 3]> : tensor<2xi32>
  return
}
