// RUN: dynac-check %s
// y = x with axes of extent 1 at `axes` of y.

func.func @axes() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %axes = check.constant dense<[0, 2]> : tensor<2xi64>
  %expanded = model.node "onnx.Unsqueeze" opset 13 (%x, %axes) {} :
    (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x1xf32>
  check.equal %expanded, dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  return
}

func.func @negative_axes() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %axes = check.constant dense<[-1]> : tensor<1xi64>
  %expanded = model.node "onnx.Unsqueeze" opset 13 (%x, %axes) {} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  check.equal %expanded, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

func.func @any_order() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %axes = check.constant dense<[2, 0]> : tensor<2xi64>
  %expanded = model.node "onnx.Unsqueeze" opset 21 (%x, %axes) {} :
    (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x1xf32>
  check.equal %expanded, dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  return
}

func.func @attribute() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %expanded = model.node "onnx.Unsqueeze" opset 11 (%x) {axes = [1]} : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  check.equal %expanded, dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> : tensor<2x1x3xf32>
  return
}

func.func @scalar() {
  %x = check.input dense<3> : tensor<i64>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %expanded = model.node "onnx.Unsqueeze" opset 13 (%x, %axes) {} : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  check.equal %expanded, dense<[3]> : tensor<1xi64>
  return
}
