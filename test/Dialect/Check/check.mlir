// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @main
func.func @main() {
  // CHECK: %[[X:.*]] = check.input dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: %[[AXES:.*]] = check.constant dense<0> : tensor<1xi64>
  %axes = check.constant dense<0> : tensor<1xi64>
  // CHECK: check.close %[[X]], dense<1.000000e+00> : tensor<2xf32>{{$}}
  check.close %x, dense<1.0> : tensor<2xf32>
  // CHECK: check.close %[[X]], dense<1.000000e+00> : tensor<2xf32> {atol = 0.000000e+00 : f64, rtol = 1.000000e-03 : f64}
  check.close %x, dense<1.0> : tensor<2xf32> {atol = 0.0, rtol = 1.0e-3}
  // CHECK: check.equal %[[AXES]], dense<0> : tensor<1xi64>
  check.equal %axes, dense<0> : tensor<1xi64>
  return
}

// CHECK-LABEL: @refused
// CHECK-SAME: check.refused = "element type"
func.func @refused() attributes {check.refused = "element type"} {
  return
}
