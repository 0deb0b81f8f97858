// RUN: dynac-check %s
// y = exp(x - max(x)) / sum(exp(x - max(x))): from version 13 on over `axis`, before over all axes from `axis` on.

func.func @last_axis() {
  %x = check.input dense<[[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Softmax" opset 13 (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.close %y, dense<[[0.0900306, 0.2447285, 0.6652410], [0.3333333, 0.3333333, 0.3333333]]> : tensor<2x3xf32>
  return
}

func.func @negative_axis() {
  %x = check.input dense<[[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %y = model.node "onnx.Softmax" opset 13 (%x) {axis = -2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.close %y, dense<[[0.2689414, 0.5, 0.7310586], [0.7310586, 0.5, 0.2689414]]> : tensor<2x3xf32>
  return
}

// Of version 1: 2x1x2 is a matrix of 2 rows for the default axis 1.
func.func @flattened() {
  %x = check.input dense<[[[0.0], [1.0]], [[0.0], [3.0]]]> : tensor<2x2x1xf32>
  %y = model.node "onnx.Softmax" opset 11 (%x) {} : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  check.close %y, dense<[[[0.2689414], [0.7310586]], [[0.0474259], [0.9525741]]]> : tensor<2x2x1xf32>
  return
}

func.func @large() {
  %x = check.input dense<[1000.0, 1000.0, 0xFF800000, -1000.0]> : tensor<4xf32>
  %y = model.node "onnx.Softmax" opset 13 (%x) {axis = 0} : (tensor<4xf32>) -> tensor<4xf32>
  check.close %y, dense<[0.5, 0.5, 0.0, 0.0]> : tensor<4xf32>
  return
}

func.func @half() {
  %x = check.input dense<[0.0, 1.0, 2.0]> : tensor<3xf16>
  %y = model.node "onnx.Softmax" opset 13 (%x) {} : (tensor<3xf16>) -> tensor<3xf16>
  check.close %y, dense<[0.0900306, 0.2447285, 0.6652410]> : tensor<3xf16> {rtol = 1.0e-3}
  return
}

// Vectors of f64 stay f64.
func.func @double() {
  %x = check.input dense<[[0.0, 1.0e-9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<1x8xf64>
  %y = model.node "onnx.Softmax" opset 13 (%x) {axis = -1} : (tensor<1x8xf64>) -> tensor<1x8xf64>
  check.close %y, dense<[[0.12499999998437500, 0.12500000010937500, 0.12499999998437500, 0.12499999998437500,
      0.12499999998437500, 0.12499999998437500, 0.12499999998437500, 0.12499999998437500]]>
      : tensor<1x8xf64> {rtol = 1.0e-14, atol = 0.0}
  return
}
