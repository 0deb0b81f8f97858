// RUN: dynac-opt %s --prim-fold-scales --verify-each | FileCheck %s

// Batch norm with constant statistics: x * a + b per channel.
// CHECK-LABEL: @batch_norm
// CHECK-DAG: %[[W:.*]] = prim.weight 0
// CHECK-DAG: %[[S:.*]] = prim.weight 1
// CHECK-DAG: %[[ALONG:.*]] = prim.broadcast %[[S]] axes = [0] : tensor<8xf32> -> tensor<8x3x1x1xf32>
// CHECK: %[[WS:.*]] = prim.mul %{{.*}}, %{{.*}} : tensor<8x3x1x1xf32>
// CHECK: %[[Y:.*]] = prim.conv %arg0, %[[WS]]
// CHECK-NOT: prim.mul
// CHECK: %[[R:.*]] = prim.add
// CHECK-NEXT: return %[[R]]
func.func @batch_norm(%x: tensor<1x3x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %w = prim.weight 0 : tensor<8x3x1x1xf32>
  %a = prim.weight 1 : tensor<8xf32>
  %b = prim.weight 2 : tensor<8xf32>
  %y = prim.conv %x, %w strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x4x4xf32>
  %ab = prim.broadcast %a axes = [1] : tensor<8xf32> -> tensor<1x8x4x4xf32>
  %bb = prim.broadcast %b axes = [1] : tensor<8xf32> -> tensor<1x8x4x4xf32>
  %s = prim.mul %y, %ab : tensor<1x8x4x4xf32>
  %r = prim.add %s, %bb : tensor<1x8x4x4xf32>
  return %r : tensor<1x8x4x4xf32>
}

// The bias is scaled too, and joins the second offset: one addition is left.
// CHECK-LABEL: @biased_product
// CHECK: %[[D:.*]] = prim.dot
// CHECK: %[[R:.*]] = prim.add %[[D]]
// CHECK-NEXT: return %[[R]]
func.func @biased_product(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %w = prim.weight 0 : tensor<4x8xf32>
  %b = prim.weight 1 : tensor<8xf32>
  %half = prim.constant dense<0.5> : tensor<2x8xf32>
  %d = prim.dot %x, %w batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %bb = prim.broadcast %b axes = [1] : tensor<8xf32> -> tensor<2x8xf32>
  %s = prim.add %d, %bb : tensor<2x8xf32>
  %r = prim.mul %s, %half : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// Another user needs the unscaled result; a scale of rows is none of channels; a value is no constant.
// CHECK-LABEL: @untouched
// CHECK: %[[W:.*]] = prim.weight 0
// CHECK: prim.dot %arg0, %[[W]]
// CHECK: prim.dot %arg0, %[[W]]
// CHECK: prim.dot %arg0, %[[W]]
func.func @untouched(%x: tensor<2x4xf32>, %v: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %w = prim.weight 0 : tensor<4x8xf32>
  %rows = prim.weight 1 : tensor<2xf32>
  %two = prim.constant dense<2.0> : tensor<2x8xf32>
  %d = prim.dot %x, %w batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %a = prim.mul %d, %two : tensor<2x8xf32>
  %e = prim.dot %x, %w batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %rb = prim.broadcast %rows axes = [0] : tensor<2xf32> -> tensor<2x8xf32>
  %b = prim.mul %e, %rb : tensor<2x8xf32>
  %f = prim.dot %x, %w batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %vb = prim.broadcast %v axes = [1] : tensor<8xf32> -> tensor<2x8xf32>
  %c = prim.mul %f, %vb : tensor<2x8xf32>
  return %a, %b, %c, %d : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}
