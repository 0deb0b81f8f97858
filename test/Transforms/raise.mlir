// RUN: dynac-opt %s --prim-raise --verify-each | FileCheck %s

// x / broadcast(sqrt(v + e)): one division for a row.
// CHECK-LABEL: @divide_row_once
// CHECK: %[[ROOT:.*]] = prim.sqrt
// CHECK: %[[ONE:.*]] = prim.div %{{.*}}, %[[ROOT]] : tensor<4x1xf32>
// CHECK: %[[ALONG:.*]] = prim.broadcast %[[ONE]] axes = [0, 1]
// CHECK: prim.mul %arg0, %[[ALONG]]
func.func @divide_row_once(%x: tensor<4x16xf32>, %v: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %e = prim.constant dense<1.0e-05> : tensor<4x1xf32>
  %a = prim.add %v, %e : tensor<4x1xf32>
  %s = prim.sqrt %a : tensor<4x1xf32>
  %b = prim.broadcast %s axes = [0, 1] : tensor<4x1xf32> -> tensor<4x16xf32>
  %y = prim.div %x, %b : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// An ordinary division stays exact.
// CHECK-LABEL: @other_division
// CHECK: prim.div %arg0
func.func @other_division(%x: tensor<4x16xf32>, %v: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %b = prim.broadcast %v axes = [0, 1] : tensor<4x1xf32> -> tensor<4x16xf32>
  %y = prim.div %x, %b : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// The factor of a transposed operand scales the product.
// CHECK-LABEL: @scale_product
// CHECK: %[[T:.*]] = prim.transpose %arg0
// CHECK: %[[D:.*]] = prim.dot %[[T]], %arg1
// CHECK: prim.mul %[[D]]
func.func @scale_product(%x: tensor<8x2x4xf32>, %y: tensor<2x4x6xf32>) -> tensor<2x8x6xf32> {
  %c = prim.constant dense<0.5> : tensor<2x8x4xf32>
  %t = prim.transpose %x [1, 0, 2] : tensor<8x2x4xf32> -> tensor<2x8x4xf32>
  %s = prim.mul %t, %c : tensor<2x8x4xf32>
  %d = prim.dot %s, %y batch [0] x [0] contract [2] x [1] : (tensor<2x8x4xf32>, tensor<2x4x6xf32>) -> tensor<2x8x6xf32>
  return %d : tensor<2x8x6xf32>
}

// A layer on flattened rows, its bias and the residual after it: no reshape stays between them.
// CHECK-LABEL: @flattened_layer
// CHECK: %[[D:.*]] = prim.dot %arg0, %arg1 {{.*}} -> tensor<2x8x4xf32>
// CHECK: %[[A:.*]] = prim.add %[[D]]
// CHECK: prim.add %[[A]], %arg3 : tensor<2x8x4xf32>
func.func @flattened_layer(%x: tensor<2x8x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %r: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %f = prim.reshape %x : tensor<2x8x4xf32> -> tensor<16x4xf32>
  %d = prim.dot %f, %w batch [] x [] contract [1] x [0] : (tensor<16x4xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
  %s = prim.broadcast %b axes = [1] : tensor<4xf32> -> tensor<16x4xf32>
  %a = prim.add %d, %s : tensor<16x4xf32>
  %u = prim.reshape %a : tensor<16x4xf32> -> tensor<2x8x4xf32>
  %y = prim.add %u, %r : tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Reshapes that flatten go down, others stay: a sum of both ends.
// CHECK-LABEL: @flat_and_unflat
// CHECK: return
func.func @flat_and_unflat(%x: tensor<2x8x4xf32>, %y: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<2x8x4xf32>) {
  %a = prim.exp %x : tensor<2x8x4xf32>
  %b = prim.exp %y : tensor<16x4xf32>
  %f = prim.reshape %a : tensor<2x8x4xf32> -> tensor<16x4xf32>
  %u = prim.reshape %b : tensor<16x4xf32> -> tensor<2x8x4xf32>
  %s = prim.add %f, %b : tensor<16x4xf32>
  %t = prim.add %u, %a : tensor<2x8x4xf32>
  return %s, %t : tensor<16x4xf32>, tensor<2x8x4xf32>
}
