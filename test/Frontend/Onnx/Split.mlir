// RUN: dynac-check %s
// The pieces of x along `axis`: as long as `split` says, or all alike.

func.func @alike() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y0, %y1 = model.node "onnx.Split" opset 18 (%x) {num_outputs = 2} :
    (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.equal %y0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.equal %y1, dense<[3.0, 4.0]> : tensor<2xf32>
  return
}

func.func @last_is_shorter() {
  %x = check.input dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %y0, %y1, %y2 = model.node "onnx.Split" opset 18 (%x) {num_outputs = 3} :
    (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>)
  check.equal %y0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.equal %y1, dense<[3.0, 4.0]> : tensor<2xf32>
  check.equal %y2, dense<[5.0]> : tensor<1xf32>
  return
}

func.func @lengths() {
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %split = check.constant dense<[1, 2]> : tensor<2xi64>
  %y0, %y1 = model.node "onnx.Split" opset 13 (%x, %split) {axis = -1} :
    (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  check.equal %y0, dense<[[1.0], [4.0]]> : tensor<2x1xf32>
  check.equal %y1, dense<[[2.0, 3.0], [5.0, 6.0]]> : tensor<2x2xf32>
  return
}

func.func @attribute() {
  %x = check.input dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %y0, %y1 = model.node "onnx.Split" opset 11 (%x) {axis = 0, split = [2, 1]} :
    (tensor<3x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>)
  check.equal %y0, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  check.equal %y1, dense<[[3.0]]> : tensor<1x1xf32>
  return
}

func.func @empty_piece() {
  %x = check.input dense<[1, 2]> : tensor<2xi64>
  %split = check.constant dense<[0, 2]> : tensor<2xi64>
  %y0, %y1 = model.node "onnx.Split" opset 13 (%x, %split) {axis = 0} :
    (tensor<2xi64>, tensor<2xi64>) -> (tensor<0xi64>, tensor<2xi64>)
  check.equal %y0, dense<> : tensor<0xi64>
  check.equal %y1, dense<[1, 2]> : tensor<2xi64>
  return
}

// Version 1 has the sizes as an operand of x's type.
func.func @sizes_like_x() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %split = check.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y0, %y1 = model.node "onnx.Split" opset 1 (%x, %split) {axis = 0} :
    (tensor<3xf32>, tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  check.equal %y0, dense<[1.0]> : tensor<1xf32>
  check.equal %y1, dense<[2.0, 3.0]> : tensor<2xf32>
  return
}
