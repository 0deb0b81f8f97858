// RUN: dynac-check %s
// y = x - log(sum(e^x)): from version 13 on over `axis`, before over all axes from `axis` on.

func.func @last_axis() {
  %x = check.input dense<[[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.LogSoftmax" opset 13 (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.close %y, dense<[[-2.407606, -1.407606, -0.407606], [-1.098612, -1.098612, -1.098612]]> : tensor<2x3xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.LogSoftmax" opset 13 (%x) {axis = -2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.close %y, dense<[[-1.313262, -0.6931472, -0.3132617], [-0.3132617, -0.6931472, -1.313262]]> : tensor<2x3xf32>
  return
}

// Of version 1: 2x2x1 is a matrix of 2 rows for the default axis 1.
func.func @flattened() {
  %x = check.input dense<[[[0.0], [1.0]], [[0.0], [3.0]]]> : tensor<2x2x1xf32>
  %y = model.node "onnx.LogSoftmax" opset 11 (%x) {} : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  check.close %y, dense<[[[-1.313262], [-0.3132617]], [[-3.048587], [-0.04858733]]]> : tensor<2x2x1xf32>
  return
}

func.func @large() {
  %x = check.input dense<[1000.0, 0.0, -1000.0]> : tensor<3xf32>
  %y = model.node "onnx.LogSoftmax" opset 13 (%x) {axis = 0} : (tensor<3xf32>) -> tensor<3xf32>
  check.close %y, dense<[0.0, -1000.0, -2000.0]> : tensor<3xf32>
  return
}
