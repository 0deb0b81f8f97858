// RUN: dynac-check %s
// y = (a - a_zero_point) * (b - b_zero_point) in i32; zero points for all, or one for each row of a and column of b.

func.func @zero_points() {
  %a = check.input dense<[[11, 7, 3], [10, 6, 2]]> : tensor<2x3xui8>
  %b = check.input dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xui8>
  %a_zero_point = check.input dense<12> : tensor<ui8>
  %b_zero_point = check.input dense<0> : tensor<ui8>
  %y = model.node "onnx.MatMulInteger" opset 10 (%a, %b, %a_zero_point, %b_zero_point) {} :
    (tensor<2x3xui8>, tensor<3x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<2x2xi32>
  check.equal %y, dense<[[-38, -83], [-44, -98]]> : tensor<2x2xi32>
  return
}

func.func @signed() {
  %a = check.input dense<[[255, 255]]> : tensor<1x2xui8>
  %b = check.input dense<[[-128], [127]]> : tensor<2x1xi8>
  %y = model.node "onnx.MatMulInteger" opset 10 (%a, %b) {} : (tensor<1x2xui8>, tensor<2x1xi8>) -> tensor<1x1xi32>
  check.equal %y, dense<[[-255]]> : tensor<1x1xi32>
  return
}

func.func @per_column() {
  %a = check.input dense<[[1, 2]]> : tensor<1x2xui8>
  %b = check.input dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %a_zero_point = check.input dense<0> : tensor<ui8>
  %b_zero_point = check.input dense<[1, -1]> : tensor<2xi8>
  %y = model.node "onnx.MatMulInteger" opset 10 (%a, %b, %a_zero_point, %b_zero_point) {} :
    (tensor<1x2xui8>, tensor<2x2xi8>, tensor<ui8>, tensor<2xi8>) -> tensor<1x2xi32>
  check.equal %y, dense<[[4, 13]]> : tensor<1x2xi32>
  return
}
