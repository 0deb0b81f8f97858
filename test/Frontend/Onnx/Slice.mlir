// RUN: dynac-check %s
// y[i] = x[start + i * step] along each of `axes`; negative bounds count from the end.

func.func @rows_and_columns() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %starts = check.constant dense<[0, 1]> : tensor<2xi64>
  %ends = check.constant dense<[1, 3]> : tensor<2xi64>
  %y = model.node "onnx.Slice" opset 13 (%x, %starts, %ends) {} :
    (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  check.equal %y, dense<[[2.0, 3.0]]> : tensor<1x2xf32>
  return
}

func.func @from_the_end() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %starts = check.constant dense<[-3]> : tensor<1xi64>
  %ends = check.constant dense<[-1]> : tensor<1xi64>
  %y = model.node "onnx.Slice" opset 13 (%x, %starts, %ends) {} :
    (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  check.equal %y, dense<[2.0, 3.0]> : tensor<2xf32>
  return
}

func.func @backwards() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %starts = check.constant dense<[-1]> : tensor<1xi64>
  %ends = check.constant dense<[-100]> : tensor<1xi64>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %steps = check.constant dense<[-2]> : tensor<1xi64>
  %y = model.node "onnx.Slice" opset 13 (%x, %starts, %ends, %axes, %steps) {} :
    (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  check.equal %y, dense<[5.0, 3.0, 1.0]> : tensor<3xf32>
  return
}

func.func @beyond_the_end() {
  %x = check.input dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %starts = check.constant dense<[1]> : tensor<1xi64>
  %ends = check.constant dense<[9223372036854775807]> : tensor<1xi64>
  %axes = check.constant dense<[-1]> : tensor<1xi64>
  %y = model.node "onnx.Slice" opset 10 (%x, %starts, %ends, %axes) {} :
    (tensor<2x3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2xi32>
  check.equal %y, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  return
}

func.func @nothing() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %starts = check.constant dense<[2]> : tensor<1xi64>
  %ends = check.constant dense<[5]> : tensor<1xi64>
  %y = model.node "onnx.Slice" opset 13 (%x, %starts, %ends) {} :
    (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<0xf32>
  check.equal %y, dense<> : tensor<0xf32>
  return
}

func.func @attributes() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = model.node "onnx.Slice" opset 9 (%x) {starts = [1], ends = [-1], axes = [0]} : (tensor<4xf32>) -> tensor<2xf32>
  check.equal %y, dense<[2.0, 3.0]> : tensor<2xf32>
  return
}

// A start before the first element, going backwards, is the first element.
func.func @backwards_from_before_the_start() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %starts = check.constant dense<[-8]> : tensor<1xi64>
  %ends = check.constant dense<[-9223372036854775807]> : tensor<1xi64>
  %axes = check.constant dense<[0]> : tensor<1xi64>
  %steps = check.constant dense<[-1]> : tensor<1xi64>
  %y = model.node "onnx.Slice" opset 13 (%x, %starts, %ends, %axes, %steps) {} :
    (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  check.equal %y, dense<[1.0]> : tensor<1xf32>
  return
}
