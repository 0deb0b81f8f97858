// RUN: dynac-check %s
// y = acosh(x) = log(x + sqrt(x^2 - 1)), NaN below 1.

func.func @values() {
  %x = check.input dense<[1.0, 1.5, 2.0, 10.0, 0.5]> : tensor<5xf32>
  %y = model.node "onnx.Acosh" opset 9 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.close %y, dense<[0.0, 0.9624236, 1.316958, 2.993223, 0x7FC00000]> : tensor<5xf32>
  return
}

func.func @half() {
  %x = check.input dense<[1.0, 1.5, 2.0, 1.0e1]> : tensor<4xf16>
  %y = model.node "onnx.Acosh" opset 9 (%x) {} : (tensor<4xf16>) -> tensor<4xf16>
  check.close %y, dense<[0.0, 0.9624, 1.317, 2.994]> : tensor<4xf16> {rtol = 1.0e-3}
  return
}
