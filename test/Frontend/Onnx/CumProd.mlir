// RUN: dynac-check %s
// y[i] = x[0] * ... * x[i] along the axis; `exclusive` leaves x[i] out, `reverse` goes from the end.

func.func @inclusive() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumProd" opset 26 (%x, %axis) {} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  check.equal %y, dense<[1.0, 2.0, 6.0, 24.0]> : tensor<4xf32>
  return
}

func.func @exclusive() {
  %x = check.input dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumProd" opset 26 (%x, %axis) {exclusive = 1} : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  check.equal %y, dense<[1.0, 2.0, 6.0]> : tensor<3xf32>
  return
}

func.func @reverse() {
  %x = check.input dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %axis = check.constant dense<-1> : tensor<i64>
  %y = model.node "onnx.CumProd" opset 26 (%x, %axis) {reverse = 1} : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  check.equal %y, dense<[24.0, 12.0, 4.0]> : tensor<3xf32>
  return
}

func.func @rows() {
  %x = check.input dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %axis = check.constant dense<0> : tensor<i64>
  %y = model.node "onnx.CumProd" opset 26 (%x, %axis) {} : (tensor<2x2xi32>, tensor<i64>) -> tensor<2x2xi32>
  check.equal %y, dense<[[1, 2], [3, 8]]> : tensor<2x2xi32>
  return
}
