// RUN: dynac-check %s
// y = x + bias where x < -lambd, x - bias where x > lambd, otherwise 0.

func.func @hard() {
  %x = check.input dense<[-2.0, -0.5, 0.0, 0.5, 2.0]> : tensor<5xf32>
  %y = model.node "onnx.Shrink" opset 9 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[-2.0, 0.0, 0.0, 0.0, 2.0]> : tensor<5xf32>
  return
}

func.func @soft() {
  %x = check.input dense<[-2.0, -1.5, 1.0, 3.0]> : tensor<4xf32>
  %y = model.node "onnx.Shrink" opset 9 (%x) {lambd = 1.5, bias = 0.5} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[-1.5, 0.0, 0.0, 2.5]> : tensor<4xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[-3, -1, 0, 2]> : tensor<4xi32>
  %y = model.node "onnx.Shrink" opset 9 (%x) {lambd = 1.5, bias = 1.0} : (tensor<4xi32>) -> tensor<4xi32>
  check.equal %y, dense<[-2, 0, 0, 1]> : tensor<4xi32>
  return
}
