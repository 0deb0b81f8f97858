// RUN: dynac-check %s
// y = x in another shape: -1 stands for what is left, 0 for the extent of x unless allowzero = 1.

func.func @minus_one() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %shape = check.constant dense<[3, -1]> : tensor<2xi64>
  %reshaped = model.node "onnx.Reshape" opset 14 (%x, %shape) {} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  check.equal %reshaped, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  return
}

func.func @zero_copies() {
  %x = check.input dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0],
                          [10.0, 11.0]]]> : tensor<2x3x2xf32>
  %shape = check.constant dense<[0, -1]> : tensor<2xi64>
  %reshaped = model.node "onnx.Reshape" opset 14 (%x, %shape) {} :
    (tensor<2x3x2xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  check.equal %reshaped, dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]> : tensor<2x6xf32>
  return
}

func.func @zero_stays() {
  %x = check.input dense<> : tensor<0x3xf32>
  %shape = check.constant dense<[3, 0]> : tensor<2xi64>
  %reshaped = model.node "onnx.Reshape" opset 14 (%x, %shape) {allowzero = 1} :
    (tensor<0x3xf32>, tensor<2xi64>) -> tensor<3x0xf32>
  check.equal %reshaped, dense<> : tensor<3x0xf32>
  return
}

func.func @to_scalar() {
  %x = check.input dense<[[7.0]]> : tensor<1x1xf32>
  %shape = check.constant dense<> : tensor<0xi64>
  %reshaped = model.node "onnx.Reshape" opset 5 (%x, %shape) {} : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  check.equal %reshaped, dense<7.0> : tensor<f32>
  return
}

func.func @attribute() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %reshaped = model.node "onnx.Reshape" opset 1 (%x) {shape = [6]} : (tensor<2x3xf32>) -> tensor<6xf32>
  check.equal %reshaped, dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %shape = check.constant dense<[4]> : tensor<1xi64>
  %reshaped = model.node "onnx.Reshape" opset 21 (%x, %shape) {} : (tensor<2x2xi8>, tensor<1xi64>) -> tensor<4xi8>
  check.equal %reshaped, dense<[1, 2, 3, 4]> : tensor<4xi8>
  return
}
