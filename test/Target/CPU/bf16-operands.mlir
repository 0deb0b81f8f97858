// RUN: dynac-opt %s --cpu-bf16-operands --prim-simplify --verify-each | FileCheck %s

// The rounding stands before the reshape, at the end of what computes x; sums are f32.
// CHECK-LABEL: @layer
// CHECK: %[[T:.*]] = prim.tanh %arg0
// CHECK-NEXT: %[[X:.*]] = prim.convert %[[T]] : tensor<2x3x8xf32> -> tensor<2x3x8xbf16>
// CHECK-NEXT: %[[FLAT:.*]] = prim.reshape %[[X]]
// CHECK: prim.dot %[[FLAT]], %{{.*}} : (tensor<6x8xbf16>, tensor<8x4xbf16>) -> tensor<6x4xf32>
func.func @layer(%x: tensor<2x3x8xf32>) -> tensor<6x4xf32> {
  %w = prim.weight 0 : tensor<8x4xf32>
  %t = prim.tanh %x : tensor<2x3x8xf32>
  %flat = prim.reshape %t : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %y = prim.dot %flat, %w batch [] x [] contract [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// Two layers round once, and what is added to them is what they read.
// CHECK-LABEL: @residual
// CHECK: %[[T:.*]] = prim.tanh
// CHECK-NEXT: %[[X:.*]] = prim.convert %[[T]]
// CHECK-NOT: prim.convert %[[T]]
// CHECK-DAG: %[[WIDE:.*]] = prim.convert %[[X]] : tensor<6x8xbf16> -> tensor<6x8xf32>
// CHECK-DAG: prim.dot %[[X]], %{{.*}}
// CHECK-DAG: prim.dot %[[X]], %{{.*}}
// CHECK: prim.add %{{.*}}, %[[WIDE]]
func.func @residual(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %w = prim.weight 0 : tensor<8x8xf32>
  %v = prim.weight 1 : tensor<8x8xf32>
  %t = prim.tanh %x : tensor<6x8xf32>
  %y = prim.dot %t, %w batch [] x [] contract [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %z = prim.dot %t, %v batch [] x [] contract [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %r = prim.add %y, %t : tensor<6x8xf32>
  return %r, %z : tensor<6x8xf32>, tensor<6x8xf32>
}

// No whole words, no weight, an output: as they were.
// CHECK-LABEL: @others
// CHECK-NOT: bf16
// CHECK: return
func.func @others(%x: tensor<6x7xf32>) -> (tensor<6x4xf32>, tensor<6x6xf32>) {
  %w = prim.weight 0 : tensor<7x4xf32>
  %y = prim.dot %x, %w batch [] x [] contract [1] x [0] : (tensor<6x7xf32>, tensor<7x4xf32>) -> tensor<6x4xf32>
  %z = prim.dot %x, %x batch [] x [] contract [1] x [1] : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x6xf32>
  return %y, %z : tensor<6x4xf32>, tensor<6x6xf32>
}

// The largest of rounded numbers is the rounded largest.
// CHECK-LABEL: @pooled
// CHECK: %[[T:.*]] = prim.tanh %arg0
// CHECK-NEXT: %[[X:.*]] = prim.convert %[[T]]
// CHECK-NEXT: %[[P:.*]] = prim.reduce_window max %[[X]]
// CHECK: prim.composite "conv_nchwc"(%[[P]], %{{.*}}) {{.*}} : (tensor<1x2x4x4x16xbf16>, tensor<16x32x1x1xbf16>) -> tensor<1x1x4x4x16xf32>
func.func @pooled(%x: tensor<1x2x8x8x16xf32>) -> tensor<1x1x4x4x16xf32> {
  %w = prim.weight 0 : tensor<16x32x1x1xf32>
  %t = prim.tanh %x : tensor<1x2x8x8x16xf32>
  %p = prim.reduce_window max %t window [1, 1, 2, 2, 1] strides [1, 1, 2, 2, 1] dilations [1, 1, 1, 1, 1] lo <0, 0, 0, 0, 0> hi <0, 0, 0, 0, 0> : (tensor<1x2x8x8x16xf32>) -> tensor<1x2x4x4x16xf32>
  %y = prim.composite "conv_nchwc"(%p, %w) {channels = 32, plain_input = false, filters = 16, groups = 1, strides = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4x16xf32>, tensor<16x32x1x1xf32>) -> tensor<1x1x4x4x16xf32>
  return %y : tensor<1x1x4x4x16xf32>
}

// Where Winograd's tiles of 4x4 save most products, they are f32, of operands that are rounded too.
// CHECK-LABEL: @winograd
// CHECK: prim.composite "conv_nchwc"{{.*}} : (tensor<1x4x28x28x16xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x4x28x28x16xf32>
func.func @winograd(%x: tensor<1x4x28x28x16xf32>) -> tensor<1x4x28x28x16xf32> {
  %w = prim.weight 0 : tensor<64x64x3x3xf32>
  %y = prim.composite "conv_nchwc"(%x, %w) {channels = 64, plain_input = false, filters = 64, groups = 1, strides = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x28x28x16xf32>, tensor<64x64x3x3xf32>) -> tensor<1x4x28x28x16xf32>
  return %y : tensor<1x4x28x28x16xf32>
}

// CHECK-LABEL: @small
// CHECK: prim.composite "conv_nchwc"{{.*}} : (tensor<1x4x7x7x16xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x4x7x7x16xf32>
func.func @small(%x: tensor<1x4x7x7x16xf32>) -> tensor<1x4x7x7x16xf32> {
  %w = prim.weight 0 : tensor<64x64x3x3xf32>
  %y = prim.composite "conv_nchwc"(%x, %w) {channels = 64, plain_input = false, filters = 64, groups = 1, strides = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x7x7x16xf32>, tensor<64x64x3x3xf32>) -> tensor<1x4x7x7x16xf32>
  return %y : tensor<1x4x7x7x16xf32>
}

// Attention takes and gives bf16 where its result is rounded anyway; slices of one product are slices
// of what is rounded once.
// CHECK-LABEL: @attention
// CHECK: %[[R:.*]] = prim.convert %arg0 : tensor<1x32x3x2x16xf32> -> tensor<1x32x3x2x16xbf16>
// CHECK-COUNT-3: prim.slice %[[R]]
// CHECK: prim.composite "attention"{{.*}} -> tensor<1x32x2x16xbf16>
func.func @attention(%x: tensor<1x32x3x2x16xf32>) -> tensor<1x32x32xf32> {
  %w = prim.weight 0 : tensor<32x32xf32>
  %a = prim.slice %x from <0, 0, 0, 0, 0> by [1, 1, 1, 1, 1] : tensor<1x32x3x2x16xf32> -> tensor<1x32x1x2x16xf32>
  %b = prim.slice %x from <0, 0, 1, 0, 0> by [1, 1, 1, 1, 1] : tensor<1x32x3x2x16xf32> -> tensor<1x32x1x2x16xf32>
  %c = prim.slice %x from <0, 0, 2, 0, 0> by [1, 1, 1, 1, 1] : tensor<1x32x3x2x16xf32> -> tensor<1x32x1x2x16xf32>
  %q = prim.reshape %a : tensor<1x32x1x2x16xf32> -> tensor<1x32x2x16xf32>
  %k = prim.reshape %b : tensor<1x32x1x2x16xf32> -> tensor<1x32x2x16xf32>
  %v = prim.reshape %c : tensor<1x32x1x2x16xf32> -> tensor<1x32x2x16xf32>
  %y = prim.composite "attention"(%q, %k, %v) {causal = "no", k_axes = array<i64: 0, 2, 1, 3>, q_axes = array<i64: 0, 2, 1, 3>, scale = 2.500000e-01 : f64, v_axes = array<i64: 0, 2, 1, 3>, y_axes = array<i64: 0, 2, 1, 3>, zero_masked_rows = false} : (tensor<1x32x2x16xf32>, tensor<1x32x2x16xf32>, tensor<1x32x2x16xf32>) -> tensor<1x32x2x16xf32>
  %z = prim.reshape %y : tensor<1x32x2x16xf32> -> tensor<1x32x32xf32>
  %r = prim.dot %z, %w batch [] x [] contract [2] x [0] : (tensor<1x32x32xf32>, tensor<32x32xf32>) -> tensor<1x32x32xf32>
  return %r : tensor<1x32x32xf32>
}
