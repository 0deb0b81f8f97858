// RUN: dynac-check %s
// y[n] = 0.42 - 0.5 * cos(2 * pi * n / N) + 0.08 * cos(4 * pi * n / N), N = size or, if it is not periodic, size - 1.

func.func @periodic() {
  %size = check.constant dense<4> : tensor<i64>
  %y = model.node "onnx.BlackmanWindow" opset 17 (%size) {} : (tensor<i64>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.34, 1.0, 0.34]> : tensor<4xf32> {atol = 1.0e-6}
  return
}

func.func @symmetric() {
  %size = check.constant dense<5> : tensor<i64>
  %y = model.node "onnx.BlackmanWindow" opset 17 (%size) {periodic = 0} : (tensor<i64>) -> tensor<5xf32>
  check.close %y, dense<[0.0, 0.34, 1.0, 0.34, 0.0]> : tensor<5xf32> {atol = 1.0e-6}
  return
}

func.func @double() {
  %size = check.constant dense<3> : tensor<i64>
  %y = model.node "onnx.BlackmanWindow" opset 17 (%size) {output_datatype = 11} : (tensor<i64>) -> tensor<3xf64>
  check.close %y, dense<[0.0, 0.63, 0.63]> : tensor<3xf64>
  return
}

func.func @size_at_run_time() {
  %size = check.input dense<4> : tensor<i64>
  %y = model.node "onnx.BlackmanWindow" opset 17 (%size) {} : (tensor<i64>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.34, 1.0, 0.34]> : tensor<4xf32> {atol = 1.0e-6}
  return
}
