// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @main
func.func @main(%got: tensor<2xf32>, %want: tensor<2xf32>) {
  // CHECK: check.close %{{.*}}, %{{.*}} : tensor<2xf32>
  check.close %got, %want : tensor<2xf32>
  // CHECK: check.close %{{.*}}, %{{.*}} {atol = 0.000000e+00 : f64, rtol = 1.000000e-03 : f64} : tensor<2xf32>
  check.close %got, %want {atol = 0.0, rtol = 1.0e-3} : tensor<2xf32>
  // CHECK: check.equal %{{.*}}, %{{.*}} : tensor<2xf32>
  check.equal %got, %want : tensor<2xf32>
  return
}
