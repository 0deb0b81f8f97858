// RUN: dynac-check %s
// y = x where x >= 0, otherwise slope * x; the slope broadcasts to x.

func.func @slope_per_channel() {
  %x = check.input dense<[[[-1.0, 2.0], [-3.0, -4.0]]]> : tensor<1x2x2xf32>
  %slope = check.input dense<[[0.5], [2.0]]> : tensor<2x1xf32>
  %y = model.node "onnx.PRelu" opset 16 (%x, %slope) {} : (tensor<1x2x2xf32>, tensor<2x1xf32>) -> tensor<1x2x2xf32>
  check.close %y, dense<[[[-0.5, 2.0], [-6.0, -8.0]]]> : tensor<1x2x2xf32>
  return
}

func.func @one_slope() {
  %x = check.input dense<[-1.0, 2.0, -3.0]> : tensor<3xf32>
  %slope = check.input dense<[0.1]> : tensor<1xf32>
  %y = model.node "onnx.PRelu" opset 9 (%x, %slope) {} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  check.close %y, dense<[-0.1, 2.0, -0.3]> : tensor<3xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[-3, 4]> : tensor<2xi32>
  %slope = check.input dense<[2, 2]> : tensor<2xi32>
  %y = model.node "onnx.PRelu" opset 16 (%x, %slope) {} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.equal %y, dense<[-6, 4]> : tensor<2xi32>
  return
}

func.func @negative_slope() {
  %x = check.input dense<[-1.0, 1.0]> : tensor<2xf32>
  %slope = check.input dense<[-1.0, -1.0]> : tensor<2xf32>
  %y = model.node "onnx.PRelu" opset 16 (%x, %slope) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.close %y, dense<[1.0, 1.0]> : tensor<2xf32>
  return
}
