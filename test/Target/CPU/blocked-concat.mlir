// RUN: dynac-opt %s --cpu-blocked-layout --verify-each | FileCheck %s

// Operands of 24 and 40 channels: a block of the first one, a block of half of each, two blocks that
// join halves of blocks of the second.
// CHECK-LABEL: @inside_blocks
// CHECK-DAG: %[[X:.*]] = prim.composite "conv_nchwc"({{.*}}) {channels = 16 : i64, {{.*}}filters = 24
// CHECK-DAG: %[[Y:.*]] = prim.composite "conv_nchwc"({{.*}}) {channels = 16 : i64, {{.*}}filters = 40
// CHECK-NOT: unpack_channels
// CHECK: %[[JOINED:.*]] = prim.concat %{{.*}}, %{{.*}}, %{{.*}} axis = 1 : tensor<1x1x5x5x16xf32>, tensor<1x1x5x5x16xf32>, tensor<1x2x5x5x16xf32> -> tensor<1x4x5x5x16xf32>
// CHECK-NOT: pack_channels
// CHECK: prim.composite "conv_nchwc"(%[[JOINED]],
func.func @inside_blocks(%x: tensor<1x16x5x5xf32>) -> tensor<1x16x5x5xf32> {
  %u = prim.weight 0 : tensor<24x16x1x1xf32>
  %v = prim.weight 1 : tensor<40x16x1x1xf32>
  %w = prim.weight 2 : tensor<16x64x1x1xf32>
  %a = prim.conv %x, %u strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x16x5x5xf32>, tensor<24x16x1x1xf32>) -> tensor<1x24x5x5xf32>
  %b = prim.conv %x, %v strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x16x5x5xf32>, tensor<40x16x1x1xf32>) -> tensor<1x40x5x5xf32>
  %c = prim.concat %a, %b axis = 1 : tensor<1x24x5x5xf32>, tensor<1x40x5x5xf32> -> tensor<1x64x5x5xf32>
  %y = prim.conv %c, %w strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x64x5x5xf32>, tensor<16x64x1x1xf32>) -> tensor<1x16x5x5xf32>
  return %y : tensor<1x16x5x5xf32>
}

// Three operands in one block; the lanes that are left are zeros.
// CHECK-LABEL: @within_a_block
// CHECK: prim.pad {{.*}} lo <0, 0, 0, 0, 0> hi <0, 0, 0, 0, 1>
// CHECK-SAME: -> tensor<1x1x5x5x16xf32>
func.func @within_a_block(%x: tensor<1x16x5x5xf32>) -> tensor<1x15x5x5xf32> {
  %u = prim.weight 0 : tensor<5x16x1x1xf32>
  %a = prim.conv %x, %u strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x16x5x5xf32>, tensor<5x16x1x1xf32>) -> tensor<1x5x5x5xf32>
  %y = prim.concat %a, %a, %a axis = 1 : tensor<1x5x5x5xf32>, tensor<1x5x5x5xf32>, tensor<1x5x5x5xf32> -> tensor<1x15x5x5xf32>
  return %y : tensor<1x15x5x5xf32>
}

// 24 channels from the 12th on: a block of lanes of two blocks, then half a block and zeros.
// CHECK-LABEL: @slice
// CHECK: %[[X:.*]] = prim.composite "conv_nchwc"
// CHECK: prim.slice %[[X]] from <0, 0, 0, 0, 12> by [1, 1, 1, 1, 1] : tensor<1x3x5x5x16xf32> -> tensor<1x1x5x5x4xf32>
// CHECK: prim.slice %[[X]] from <0, 1, 0, 0, 0> by [1, 1, 1, 1, 1] : tensor<1x3x5x5x16xf32> -> tensor<1x1x5x5x12xf32>
// CHECK: prim.pad {{.*}} -> tensor<1x1x5x5x16xf32>
// CHECK: prim.concat {{.*}} axis = 1 : tensor<1x1x5x5x16xf32>, tensor<1x1x5x5x16xf32> -> tensor<1x2x5x5x16xf32>
// CHECK: unpack_channels
func.func @slice(%x: tensor<1x16x5x5xf32>) -> tensor<1x24x5x5xf32> {
  %u = prim.weight 0 : tensor<48x16x1x1xf32>
  %a = prim.conv %x, %u strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x16x5x5xf32>, tensor<48x16x1x1xf32>) -> tensor<1x48x5x5xf32>
  %y = prim.slice %a from <0, 12, 0, 0> by [1, 1, 1, 1] : tensor<1x48x5x5xf32> -> tensor<1x24x5x5xf32>
  return %y : tensor<1x24x5x5xf32>
}

// Blocks move as wholes between the layouts with channels last and in blocks.
// CHECK-LABEL: @channels_last
// CHECK: %[[B:.*]] = prim.reshape %arg0 : tensor<1x5x6x32xf32> -> tensor<1x5x6x2x16xf32>
// CHECK: %[[X:.*]] = prim.transpose %[[B]] [0, 3, 1, 2, 4]
// CHECK: %[[Y:.*]] = prim.composite "conv_nchwc"(%[[X]],
// CHECK: %[[Z:.*]] = prim.transpose %[[Y]] [0, 2, 3, 1, 4]
// CHECK: prim.reshape %[[Z]] : tensor<1x5x6x1x16xf32> -> tensor<1x5x6x16xf32>
func.func @channels_last(%x: tensor<1x5x6x32xf32>) -> tensor<1x5x6x16xf32> {
  %w = prim.weight 0 : tensor<16x32x1x1xf32>
  %p = prim.transpose %x [0, 3, 1, 2] : tensor<1x5x6x32xf32> -> tensor<1x32x5x6xf32>
  %c = prim.conv %p, %w strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x32x5x6xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x5x6xf32>
  %y = prim.transpose %c [0, 2, 3, 1] : tensor<1x16x5x6xf32> -> tensor<1x5x6x16xf32>
  return %y : tensor<1x5x6x16xf32>
}
