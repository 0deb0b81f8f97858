// RUN: dynac-check %s
// The elements that differ, where each was first, which of them each element is, and how often it is.

func.func @sorted() {
  %x = check.input dense<[2.0, 1.0, 1.0, 3.0, 4.0, 3.0]> : tensor<6xf32>
  %y, %indices, %inverse_indices, %counts = model.node "onnx.Unique" opset 11 (%x) {} :
    (tensor<6xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<6xi64>, tensor<4xi64>)
  check.equal %y, dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  check.equal %indices, dense<[1, 0, 3, 4]> : tensor<4xi64>
  check.equal %inverse_indices, dense<[1, 0, 0, 2, 3, 2]> : tensor<6xi64>
  check.equal %counts, dense<[2, 1, 2, 1]> : tensor<4xi64>
  return
}

func.func @as_found() {
  %x = check.input dense<[2.0, 1.0, 1.0, 3.0, 4.0, 3.0]> : tensor<6xf32>
  %y, %indices, %inverse_indices, %counts = model.node "onnx.Unique" opset 11 (%x) {sorted = 0} :
    (tensor<6xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<6xi64>, tensor<4xi64>)
  check.equal %y, dense<[2.0, 1.0, 3.0, 4.0]> : tensor<4xf32>
  check.equal %indices, dense<[0, 1, 3, 4]> : tensor<4xi64>
  check.equal %inverse_indices, dense<[0, 1, 1, 2, 3, 2]> : tensor<6xi64>
  check.equal %counts, dense<[1, 2, 2, 1]> : tensor<4xi64>
  return
}

func.func @rows() {
  %x = check.input dense<[[1.0, 0.0], [1.0, 0.0], [2.0, 3.0]]> : tensor<3x2xf32>
  %y, %indices, %inverse_indices, %counts = model.node "onnx.Unique" opset 11 (%x) {axis = 0} :
    (tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>)
  check.equal %y, dense<[[1.0, 0.0], [2.0, 3.0]]> : tensor<2x2xf32>
  check.equal %indices, dense<[0, 2]> : tensor<2xi64>
  check.equal %inverse_indices, dense<[0, 0, 1]> : tensor<3xi64>
  check.equal %counts, dense<[2, 1]> : tensor<2xi64>
  return
}

func.func @values_only() {
  %x = check.input dense<[5, 5, 5]> : tensor<3xi64>
  %y = model.node "onnx.Unique" opset 11 (%x) {} : (tensor<3xi64>) -> tensor<1xi64>
  check.equal %y, dense<[5]> : tensor<1xi64>
  return
}
