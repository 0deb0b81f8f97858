// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xi64>, tensor<3x4xf32>, tensor<4x?xi32, #prim.dims<4, "N">>, tensor<2xi64>, tensor<i64>) {
  // CHECK: prim.constant dense<[1, 2]> : tensor<2xi64>
  %0 = prim.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: prim.weight 7 : tensor<3x4xf32>
  %1 = prim.weight 7 : tensor<3x4xf32>
  // CHECK: prim.iota 1 : tensor<4x?xi32, #prim.dims<4, "N">>
  %2 = prim.iota 1 : tensor<4x?xi32, #prim.dims<4, "N">>
  // CHECK: prim.dims_to_tensor <"N", 3> : tensor<2xi64>
  %3 = prim.dims_to_tensor <"N", 3> : tensor<2xi64>
  // CHECK: prim.dims_to_tensor <"N+1"> : tensor<i64>
  %4 = prim.dims_to_tensor <"N+1"> : tensor<i64>
  return %0, %1, %2, %3, %4 : tensor<2xi64>, tensor<3x4xf32>, tensor<4x?xi32, #prim.dims<4, "N">>, tensor<2xi64>, tensor<i64>
}

// CHECK-LABEL: @bind
func.func @bind(%n: tensor<2xi64>) {
  // CHECK: prim.bind_dim "u0" = %{{.*}}[1] upper <"N"> : tensor<2xi64>
  prim.bind_dim "u0" = %n[1] upper <"N"> : tensor<2xi64>
  // CHECK: prim.bind_dim "u1" = %{{.*}}[0] : tensor<2xi64>
  prim.bind_dim "u1" = %n[0] : tensor<2xi64>
  return
}

// CHECK-LABEL: @views
func.func @views(%x: tensor<?x4xf32, #prim.dims<"N", 4>>) -> tensor<2x?xf32, #prim.dims<2, "2*N">> {
  // CHECK: prim.broadcast %{{.*}} axes = [1, 2]
  %0 = prim.broadcast %x axes = [1, 2] : tensor<?x4xf32, #prim.dims<"N", 4>> -> tensor<2x?x4xf32, #prim.dims<2, "N", 4>>
  // CHECK: prim.transpose %{{.*}} [2, 0, 1]
  %1 = prim.transpose %0 [2, 0, 1] : tensor<2x?x4xf32, #prim.dims<2, "N", 4>> -> tensor<4x2x?xf32, #prim.dims<4, 2, "N">>
  // CHECK: prim.reverse %{{.*}} axes = [0]
  %2 = prim.reverse %1 axes = [0] : tensor<4x2x?xf32, #prim.dims<4, 2, "N">>
  // CHECK: prim.slice %{{.*}} from <1, 0, 0> by [2, 1, 1]
  %3 = prim.slice %2 from <1, 0, 0> by [2, 1, 1] : tensor<4x2x?xf32, #prim.dims<4, 2, "N">> -> tensor<2x2x?xf32, #prim.dims<2, 2, "N">>
  // CHECK: prim.reshape
  %4 = prim.reshape %3 : tensor<2x2x?xf32, #prim.dims<2, 2, "N">> -> tensor<2x?xf32, #prim.dims<2, "2*N">>
  return %4 : tensor<2x?xf32, #prim.dims<2, "2*N">>
}

// CHECK-LABEL: @blocks
func.func @blocks(%x: tensor<4x8xf32>, %at: tensor<2xi64>) -> tensor<4x8xf32> {
  // CHECK: prim.dynamic_slice %{{.*}} at %{{.*}} : tensor<4x8xf32>, tensor<2xi64> -> tensor<2x3xf32>
  %0 = prim.dynamic_slice %x at %at : tensor<4x8xf32>, tensor<2xi64> -> tensor<2x3xf32>
  // CHECK: prim.dynamic_update_slice %{{.*}}, %{{.*}} at %{{.*}} : tensor<4x8xf32>, tensor<2x3xf32>, tensor<2xi64>
  %1 = prim.dynamic_update_slice %x, %0 at %at : tensor<4x8xf32>, tensor<2x3xf32>, tensor<2xi64>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @joined
func.func @joined(%x: tensor<?x4xf32, #prim.dims<"N", 4>>, %y: tensor<2x4xf32>, %zero: tensor<f32>) -> tensor<?x7xf32, #prim.dims<"N+5", 7>> {
  // CHECK: prim.concat %{{.*}}, %{{.*}} axis = 0
  %0 = prim.concat %x, %y axis = 0 : tensor<?x4xf32, #prim.dims<"N", 4>>, tensor<2x4xf32> -> tensor<?x4xf32, #prim.dims<"N+2", 4>>
  // CHECK: prim.pad %{{.*}}, %{{.*}} lo <1, 0> hi <2, 0> interior [0, 1]
  %1 = prim.pad %0, %zero lo <1, 0> hi <2, 0> interior [0, 1] : tensor<?x4xf32, #prim.dims<"N+2", 4>>, tensor<f32> -> tensor<?x7xf32, #prim.dims<"N+5", 7>>
  return %1 : tensor<?x7xf32, #prim.dims<"N+5", 7>>
}

// CHECK-LABEL: @indexed
func.func @indexed(%x: tensor<2x8x5xf32>, %i: tensor<2x?x1xi64, #prim.dims<2, "N", 1>>) -> tensor<2x8x5xf32> {
  // CHECK: prim.gather %{{.*}}, %{{.*}} axes = [1] batch = 1
  %0 = prim.gather %x, %i axes = [1] batch = 1 : tensor<2x8x5xf32>, tensor<2x?x1xi64, #prim.dims<2, "N", 1>> -> tensor<2x?x5xf32, #prim.dims<2, "N", 5>>
  // CHECK: prim.scatter add %{{.*}}, %{{.*}}, %{{.*}} axes = [1] batch = 1
  %1 = prim.scatter add %x, %i, %0 axes = [1] batch = 1 : tensor<2x8x5xf32>, tensor<2x?x1xi64, #prim.dims<2, "N", 1>>, tensor<2x?x5xf32, #prim.dims<2, "N", 5>>
  return %1 : tensor<2x8x5xf32>
}
