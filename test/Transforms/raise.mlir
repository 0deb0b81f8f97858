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

// A residual is added to the product of joined heads: the layer takes its axes.
// CHECK-LABEL: @unflat
// CHECK: %[[A:.*]] = prim.reshape %arg0 : tensor<2x8x3x4xf32> -> tensor<2x8x12xf32>
// CHECK: %[[D:.*]] = prim.dot %[[A]], %arg1 {{.*}} -> tensor<2x8x6xf32>
// CHECK: %[[B:.*]] = prim.broadcast %arg2 axes = [2] : tensor<6xf32> -> tensor<2x8x6xf32>
// CHECK: %[[S:.*]] = prim.add %[[D]], %[[B]] : tensor<2x8x6xf32>
// CHECK: prim.add %[[S]], %arg3 : tensor<2x8x6xf32>
func.func @unflat(%x: tensor<2x8x3x4xf32>, %w: tensor<12x6xf32>, %b: tensor<6xf32>, %r: tensor<2x8x6xf32>) -> tensor<2x8x6xf32> {
  %a = prim.reshape %x : tensor<2x8x3x4xf32> -> tensor<16x12xf32>
  %d = prim.dot %a, %w batch [] x [] contract [1] x [0] : (tensor<16x12xf32>, tensor<12x6xf32>) -> tensor<16x6xf32>
  %bias = prim.broadcast %b axes = [1] : tensor<6xf32> -> tensor<16x6xf32>
  %s = prim.add %d, %bias : tensor<16x6xf32>
  %u = prim.reshape %s : tensor<16x6xf32> -> tensor<2x8x6xf32>
  %y = prim.add %u, %r : tensor<2x8x6xf32>
  return %y : tensor<2x8x6xf32>
}

// BERT: masked scores of heads that lie side by side; rows of NaN give 0.
// CHECK-LABEL: @attention
// CHECK: %[[Y:.*]] = prim.composite "attention"(%arg0, %arg1, %arg2, %arg3) {{{.*}}k_axes = array<i64: 0, 2, 1, 3>, q_axes = array<i64: 0, 2, 1, 3>, scale = 2.500000e-01 : f64, v_axes = array<i64: 0, 2, 1, 3>{{.*}}zero_nan = true}
// CHECK-NEXT: return %[[Y]]
func.func @attention(%q: tensor<2x5x3x16xf32>, %k: tensor<2x7x3x16xf32>, %v: tensor<2x7x3x16xf32>, %mask: tensor<2x1x1x7xf32>) -> tensor<2x3x5x16xf32> {
  %zero = prim.constant dense<0.0> : tensor<2x3x5x7xf32>
  %c = prim.constant dense<0.25> : tensor<2x3x5x7xf32>
  %s = prim.dot %q, %k batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x5x3x16xf32>, tensor<2x7x3x16xf32>) -> tensor<2x3x5x7xf32>
  %scaled = prim.mul %s, %c : tensor<2x3x5x7xf32>
  %wide = prim.broadcast %mask axes = [0, 1, 2, 3] : tensor<2x1x1x7xf32> -> tensor<2x3x5x7xf32>
  %masked = prim.add %scaled, %wide : tensor<2x3x5x7xf32>
  %p = prim.composite "softmax"(%masked) {axis = 3 : i64} : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %bad = prim.compare ne %p, %p : tensor<2x3x5x7xf32> -> tensor<2x3x5x7xi1>
  %shares = prim.select %bad, %zero, %p : tensor<2x3x5x7xi1>, tensor<2x3x5x7xf32>
  %y = prim.dot %shares, %v batch [0, 1] x [0, 2] contract [3] x [1] : (tensor<2x3x5x7xf32>, tensor<2x7x3x16xf32>) -> tensor<2x3x5x16xf32>
  return %y : tensor<2x3x5x16xf32>
}

// T5: heads counted with the batch on the way, a choice and a bias that is scaled.
// CHECK-LABEL: @attention_regrouped
// CHECK-DAG: %[[Q:.*]] = prim.reshape %arg0 : tensor<6x5x16xf32> -> tensor<2x3x5x16xf32>
// CHECK-DAG: %[[BIAS:.*]] = prim.mul %arg3
// CHECK: prim.composite "attention"(%[[Q]], %{{.*}}, %{{.*}}, %[[BIAS]], %arg4) {{{.*}}fills = array<f64: 0.000000e+00, -1.000000e+09>{{.*}}scale = 5.000000e-01
func.func @attention_regrouped(%q: tensor<6x5x16xf32>, %k: tensor<6x16x7xf32>, %v: tensor<6x7x16xf32>, %bias: tensor<2x3x5x7xf32>, %sees: tensor<2x3x5x7xi1>) -> tensor<6x5x16xf32> {
  %c = prim.constant dense<0.5> : tensor<2x3x5x7xf32>
  %low = prim.constant dense<-1.0e9> : tensor<2x3x5x7xf32>
  %d = prim.dot %q, %k batch [0] x [0] contract [2] x [1] : (tensor<6x5x16xf32>, tensor<6x16x7xf32>) -> tensor<6x5x7xf32>
  %s = prim.reshape %d : tensor<6x5x7xf32> -> tensor<2x3x5x7xf32>
  %sum = prim.add %s, %bias : tensor<2x3x5x7xf32>
  %half = prim.mul %sum, %c : tensor<2x3x5x7xf32>
  %masked = prim.select %sees, %half, %low : tensor<2x3x5x7xi1>, tensor<2x3x5x7xf32>
  %p = prim.composite "softmax"(%masked) {axis = 3 : i64} : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %flat = prim.reshape %p : tensor<2x3x5x7xf32> -> tensor<6x5x7xf32>
  %y = prim.dot %flat, %v batch [0] x [0] contract [2] x [1] : (tensor<6x5x7xf32>, tensor<6x7x16xf32>) -> tensor<6x5x16xf32>
  return %y : tensor<6x5x16xf32>
}
