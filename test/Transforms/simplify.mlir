// RUN: dynac-opt %s --prim-simplify --verify-each | FileCheck %s

// A softmax over rows of nothing computes nothing.
// CHECK-LABEL: @empty
// CHECK-NEXT: %[[C:.*]] = prim.constant dense<> : tensor<2x0xf32>
// CHECK-NEXT: return %[[C]]
func.func @empty(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
  %m = prim.reduce max %x axes = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %b = prim.broadcast %m axes = [0] : tensor<2xf32> -> tensor<2x0xf32>
  %d = prim.sub %x, %b : tensor<2x0xf32>
  %e = prim.exp %d : tensor<2x0xf32>
  return %e : tensor<2x0xf32>
}

// CHECK-LABEL: @transpose_into_dot
// CHECK-NEXT: %[[D:.*]] = prim.dot %arg0, %arg1 batch [] x [] contract [1] x [1]
// CHECK-NEXT: return %[[D]]
func.func @transpose_into_dot(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %t = prim.transpose %b [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %d = prim.dot %a, %t batch [] x [] contract [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %d : tensor<2x4xf32>
}

// CHECK-LABEL: @transpose_of_ones
// CHECK-NEXT: %[[R:.*]] = prim.reshape %arg0 : tensor<1x2x16x1x1xf32> -> tensor<1x2x1x1x16xf32>
// CHECK-NEXT: return %[[R]]
func.func @transpose_of_ones(%x: tensor<1x2x16x1x1xf32>) -> tensor<1x2x1x1x16xf32> {
  %t = prim.transpose %x [0, 1, 3, 4, 2] : tensor<1x2x16x1x1xf32> -> tensor<1x2x1x1x16xf32>
  return %t : tensor<1x2x1x1x16xf32>
}
