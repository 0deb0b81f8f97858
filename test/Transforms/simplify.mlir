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

// Einsums of heads: what a kernel sees is one contracted axis and a matrix.
// CHECK-LABEL: @merge_contracted
// CHECK-DAG: %[[A:.*]] = prim.reshape %arg0 : {{.*}} -> tensor<?x8xf32
// CHECK-DAG: %[[B:.*]] = prim.reshape %arg1 : tensor<5x2x4xf32> -> tensor<5x8xf32>
// CHECK: prim.dot %{{.*}}, %[[B]] batch [] x [] contract [1] x [1]
func.func @merge_contracted(%a: tensor<?x3x2x4xf32, #prim.dims<"n", 3, 2, 4>>, %b: tensor<5x2x4xf32>) -> tensor<?x3x5xf32, #prim.dims<"n", 3, 5>> {
  %d = prim.dot %a, %b batch [] x [] contract [2, 3] x [1, 2] : (tensor<?x3x2x4xf32, #prim.dims<"n", 3, 2, 4>>, tensor<5x2x4xf32>) -> tensor<?x3x5xf32, #prim.dims<"n", 3, 5>>
  return %d : tensor<?x3x5xf32, #prim.dims<"n", 3, 5>>
}

// Contracted in another order on each side: nothing to merge.
// CHECK-LABEL: @keep_crossed
// CHECK-NEXT: %[[D:.*]] = prim.dot %arg0, %arg1 batch [0] x [0] contract [2, 3] x [3, 2]
func.func @keep_crossed(%a: tensor<2x3x4x5xf32>, %b: tensor<2x6x5x4xf32>) -> tensor<2x3x6xf32> {
  %d = prim.dot %a, %b batch [0] x [0] contract [2, 3] x [3, 2] : (tensor<2x3x4x5xf32>, tensor<2x6x5x4xf32>) -> tensor<2x3x6xf32>
  return %d : tensor<2x3x6xf32>
}

// CHECK-LABEL: @merge_free_unless_apart
// CHECK: %[[D:.*]] = prim.dot {{.*}} batch [0] x [0] contract [2] x [1] : (tensor<2x3x4x7xf32>, tensor<2x4x30xf32>)
func.func @merge_free_unless_apart(%a: tensor<2x3x4x7xf32>, %b: tensor<2x4x5x6xf32>) -> tensor<2x3x7x5x6xf32> {
  %d = prim.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x3x4x7xf32>, tensor<2x4x5x6xf32>) -> tensor<2x3x7x5x6xf32>
  return %d : tensor<2x3x7x5x6xf32>
}

// The taps of a dilated kernel that reach over the image on both sides read zeros only.
// CHECK-LABEL: @unused_taps
// CHECK-NEXT: %[[W:.*]] = prim.slice %arg1 from <0, 0, 1, 0> by [1, 1, 1, 1] : tensor<8x4x3x3xf32> -> tensor<8x4x1x3xf32>
// CHECK-NEXT: %[[Y:.*]] = prim.conv %arg0, %[[W]] strides [1, 1] lo <0, 2> hi <0, 2> dilation [1, 1] x [12, 2] groups 1
// CHECK-NEXT: return %[[Y]]
func.func @unused_taps(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32> {
  %y = prim.conv %x, %w strides [1, 1] lo <12, 2> hi <12, 2> dilation [1, 1] x [12, 2] groups 1 : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}

// Padding that belongs to no whole tap stays, and so does its tap; the last one of three goes.
// CHECK-LABEL: @unused_last_tap
// CHECK-NEXT: %[[W:.*]] = prim.slice %arg1 from <0, 0, 0> by [1, 1, 1] : tensor<8x4x3xf32> -> tensor<8x4x2xf32>
// CHECK-NEXT: prim.conv %arg0, %[[W]] strides [2] lo <3> hi <1> dilation [1] x [4] groups 1
func.func @unused_last_tap(%x: tensor<1x4x3xf32>, %w: tensor<8x4x3xf32>) -> tensor<1x8x2xf32> {
  %y = prim.conv %x, %w strides [2] lo <3> hi <5> dilation [1] x [4] groups 1 : (tensor<1x4x3xf32>, tensor<8x4x3xf32>) -> tensor<1x8x2xf32>
  return %y : tensor<1x8x2xf32>
}

// CHECK-LABEL: @matrix_times_column
// CHECK-NEXT: %[[D:.*]] = prim.dot %arg1, %arg0 batch [0] x [0] contract [1] x [2] : (tensor<3x5x1xf32>, tensor<3x4x5xf32>) -> tensor<3x1x4xf32>
// CHECK-NEXT: %[[R:.*]] = prim.reshape %[[D]] : tensor<3x1x4xf32> -> tensor<3x4x1xf32>
// CHECK-NEXT: return %[[R]]
func.func @matrix_times_column(%a: tensor<3x4x5xf32>, %b: tensor<3x5x1xf32>) -> tensor<3x4x1xf32> {
  %d = prim.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<3x4x5xf32>, tensor<3x5x1xf32>) -> tensor<3x4x1xf32>
  return %d : tensor<3x4x1xf32>
}
