// RUN: not dynac-check --march x86-64-v3 %s | FileCheck %s
// A wrong number is found, in each way, and each function that must not compile but does.

// CHECK-DAG: fails.mlir:[[# @LINE + 7]]: @wrong, generic, inputs given, x86-64-v3: 1 of 2 elements differ, worst at [1]: got 2, expected 2.5
// CHECK-DAG: fails.mlir:[[# @LINE + 6]]: @wrong, generic, inputs constant, x86-64-v3: 1 of 2 elements differ
// CHECK-DAG: fails.mlir:[[# @LINE + 5]]: @wrong, generic, shapes unknown, x86-64-v3: 1 of 2 elements differ
func.func @wrong() {
  %x = check.input dense<[-1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Relu" opset 14 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.close %y, dense<[0.0, 2.0]> : tensor<2xf32>
  check.close %y, dense<[0.0, 2.5]> : tensor<2xf32>
  return
}

// CHECK-DAG: fails.mlir:[[# @LINE + 4]]: @wrong_shape, {{.*}}: got f32[2], expected f32[3]
func.func @wrong_shape() {
  %x = check.input dense<[-1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Relu" opset 14 (%x) {} : (tensor<2xf32>) -> tensor<3xf32>
  check.equal %y, dense<[0.0, 2.0, 0.0]> : tensor<3xf32>
  return
}

// CHECK-DAG: fails.mlir:[[# @LINE + 5]]: @large, {{.*}}: got 9223372036854775807, expected 9223372036854775806
func.func @large() {
  %x = check.input dense<9223372036854775807> : tensor<1xi64>
  %y = model.node "onnx.Identity" opset 14 (%x) {} : (tensor<1xi64>) -> tensor<1xi64>
  check.equal %y, dense<9223372036854775807> : tensor<1xi64>
  check.equal %y, dense<9223372036854775806> : tensor<1xi64>
  return
}

// CHECK-DAG: fails.mlir:[[# @LINE + 1]]: @not_refused, generic, inputs given: compiles, expected an error with "no such thing"
func.func @not_refused() attributes {check.refused = "no such thing"} {
  %x = check.input dense<[-1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Relu" opset 14 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[0.0, 2.0]> : tensor<2xf32>
  return
}

// CHECK-DAG: fails.mlir:[[# @LINE + 1]]: @another_error, {{.*}}: expected exit code 3 with "element type", got 4: {{.*}}unknown operator
func.func @another_error() attributes {check.invalid = "element type"} {
  %x = check.input dense<[-1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.Ghost" opset 14 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[0.0, 2.0]> : tensor<2xf32>
  return
}
