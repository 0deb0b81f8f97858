// RUN: dynac-check %s
// The k largest (or with largest = 0 smallest) elements along `axis` and their indices; of equal ones the lower index first.

func.func @largest() {
  %x = check.input dense<[[1.0, 4.0, 3.0, 4.0], [8.0, 6.0, 7.0, 5.0]]> : tensor<2x4xf32>
  %k = check.constant dense<[2]> : tensor<1xi64>
  %values, %indices = model.node "onnx.TopK" opset 11 (%x, %k) {} :
    (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  check.equal %values, dense<[[4.0, 4.0], [8.0, 7.0]]> : tensor<2x2xf32>
  check.equal %indices, dense<[[1, 3], [0, 2]]> : tensor<2x2xi64>
  return
}

func.func @smallest() {
  %x = check.input dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %k = check.constant dense<[2]> : tensor<1xi64>
  %values, %indices = model.node "onnx.TopK" opset 24 (%x, %k) {axis = 0, largest = 0} :
    (tensor<3xf32>, tensor<1xi64>) -> (tensor<2xf32>, tensor<2xi64>)
  check.equal %values, dense<[1.0, 2.0]> : tensor<2xf32>
  check.equal %indices, dense<[1, 2]> : tensor<2xi64>
  return
}

func.func @axis() {
  %x = check.input dense<[[1, 5], [7, 2], [3, 9]]> : tensor<3x2xi64>
  %k = check.constant dense<[1]> : tensor<1xi64>
  %values, %indices = model.node "onnx.TopK" opset 11 (%x, %k) {axis = -2} :
    (tensor<3x2xi64>, tensor<1xi64>) -> (tensor<1x2xi64>, tensor<1x2xi64>)
  check.equal %values, dense<[[7, 9]]> : tensor<1x2xi64>
  check.equal %indices, dense<[[1, 2]]> : tensor<1x2xi64>
  return
}

// k was an attribute once.
func.func @version_1() {
  %x = check.input dense<[[3.0, 1.0, 2.0]]> : tensor<1x3xf32>
  %values, %indices = model.node "onnx.TopK" opset 9 (%x) {k = 3} :
    (tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)
  check.equal %values, dense<[[3.0, 2.0, 1.0]]> : tensor<1x3xf32>
  check.equal %indices, dense<[[0, 2, 1]]> : tensor<1x3xi64>
  return
}

func.func @all() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf16>
  %k = check.constant dense<[2]> : tensor<1xi64>
  %values, %indices = model.node "onnx.TopK" opset 11 (%x, %k) {} :
    (tensor<2xf16>, tensor<1xi64>) -> (tensor<2xf16>, tensor<2xi64>)
  check.equal %values, dense<[2.0, 1.0]> : tensor<2xf16>
  check.equal %indices, dense<[1, 0]> : tensor<2xi64>
  return
}
