// RUN: dynac-check %s
// y[i] = x[0] + ... + x[i] along the axis; `exclusive` leaves x[i] out, `reverse` sums from the end.

func.func @inclusive() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumSum" opset 14 (%x, %axis) {} : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  check.equal %y, dense<[1.0, 3.0, 6.0]> : tensor<3xf32>
  return
}

func.func @exclusive() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %axis = check.constant dense<0> : tensor<i32>
  %y = model.node "onnx.CumSum" opset 14 (%x, %axis) {exclusive = 1} : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  check.equal %y, dense<[0.0, 1.0, 3.0]> : tensor<3xf32>
  return
}

func.func @reverse() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumSum" opset 11 (%x, %axis) {reverse = 1} : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  check.equal %y, dense<[6.0, 5.0, 3.0]> : tensor<3xf32>
  return
}

func.func @both() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %axis = check.constant dense<-1> : tensor<i64>
  %y = model.node "onnx.CumSum" opset 11 (%x, %axis) {reverse = 1, exclusive = 1} :
    (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  check.equal %y, dense<[[5.0, 3.0, 0.0], [11.0, 6.0, 0.0]]> : tensor<2x3xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[1, 2], [1, 2147483647]]> : tensor<2x2xi32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumSum" opset 14 (%x, %axis) {} : (tensor<2x2xi32>, tensor<i64>) -> tensor<2x2xi32>
  check.equal %y, dense<[[1, 2], [2, -2147483647]]> : tensor<2x2xi32>
  return
}
