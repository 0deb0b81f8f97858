// RUN: dynac-opt %s --cpu-channels-last --canonicalize --cse --verify-each | FileCheck %s

// ConvNeXt: the convolution, its bias, the product of pixels and the residual with one layout.
// CHECK-LABEL: @between_products
// CHECK: %[[X:.*]] = prim.transpose %{{.*}} [0, 2, 3, 1] : tensor<1x32x6x7xf32> -> tensor<1x6x7x32xf32>
// CHECK: %[[Y:.*]] = prim.composite "depthwise_nhwc"(%[[X]], %{{.*}}) {{{.*}}groups = 32 : i64{{.*}}} : (tensor<1x6x7x32xf32>, tensor<32x1x7x7xf32>) -> tensor<1x6x7x32xf32>
// CHECK: prim.broadcast %{{.*}} axes = [3] : tensor<32xf32> -> tensor<1x6x7x32xf32>
// CHECK: %[[Z:.*]] = prim.add %[[Y]],
// CHECK: %[[P:.*]] = prim.dot %[[Z]],
// CHECK: %[[R:.*]] = prim.add %[[P]], %[[X]]
// CHECK: prim.transpose %[[R]] [0, 3, 1, 2]
func.func @between_products(%x: tensor<1x32x6x7xf32>, %b: tensor<32xf32>) -> tensor<1x32x6x7xf32> {
  %w = prim.weight 0 : tensor<32x1x7x7xf32>
  %m = prim.weight 1 : tensor<32x32xf32>
  %c = prim.conv %x, %w strides [1, 1] lo <3, 3> hi <3, 3> dilation [1, 1] x [1, 1] groups 32 : (tensor<1x32x6x7xf32>, tensor<32x1x7x7xf32>) -> tensor<1x32x6x7xf32>
  %bias = prim.broadcast %b axes = [1] : tensor<32xf32> -> tensor<1x32x6x7xf32>
  %y = prim.add %c, %bias : tensor<1x32x6x7xf32>
  %l = prim.transpose %y [0, 2, 3, 1] : tensor<1x32x6x7xf32> -> tensor<1x6x7x32xf32>
  %p = prim.dot %l, %m batch [] x [] contract [3] x [0] : (tensor<1x6x7x32xf32>, tensor<32x32xf32>) -> tensor<1x6x7x32xf32>
  %q = prim.transpose %p [0, 3, 1, 2] : tensor<1x6x7x32xf32> -> tensor<1x32x6x7xf32>
  %r = prim.add %q, %x : tensor<1x32x6x7xf32>
  return %r : tensor<1x32x6x7xf32>
}

// Segformer: pixels are one axis around it.
// CHECK-LABEL: @pixels
// CHECK-NOT: prim.transpose
// CHECK: %[[X:.*]] = prim.reshape %arg0 : tensor<2x42x32xf32> -> tensor<2x6x7x32xf32>
// CHECK: %[[Y:.*]] = prim.composite "depthwise_nhwc"(%[[X]],
// CHECK: prim.reshape %[[Y]] : tensor<2x6x7x32xf32> -> tensor<2x42x32xf32>
// CHECK-NOT: prim.transpose
func.func @pixels(%x: tensor<2x42x32xf32>) -> tensor<2x42x32xf32> {
  %w = prim.weight 0 : tensor<32x1x3x3xf32>
  %t = prim.transpose %x [0, 2, 1] : tensor<2x42x32xf32> -> tensor<2x32x42xf32>
  %i = prim.reshape %t : tensor<2x32x42xf32> -> tensor<2x32x6x7xf32>
  %c = prim.conv %i, %w strides [1, 1] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 32 : (tensor<2x32x6x7xf32>, tensor<32x1x3x3xf32>) -> tensor<2x32x6x7xf32>
  %j = prim.reshape %c : tensor<2x32x6x7xf32> -> tensor<2x32x42xf32>
  %y = prim.transpose %j [0, 2, 1] : tensor<2x32x42xf32> -> tensor<2x42x32xf32>
  return %y : tensor<2x42x32xf32>
}

// Segformer's head: a product that contracts the channels.
// CHECK-LABEL: @product_of_pixels
// CHECK-NOT: prim.transpose
// CHECK: %[[X:.*]] = prim.reshape %arg0 : tensor<2x6x7x32xf32> -> tensor<2x42x32xf32>
// CHECK: prim.dot %[[X]], %{{.*}} batch [] x [] contract [2] x [1]
// CHECK-NOT: prim.transpose
func.func @product_of_pixels(%x: tensor<2x6x7x32xf32>) -> tensor<2x42x16xf32> {
  %m = prim.weight 0 : tensor<16x32xf32>
  %t = prim.transpose %x [0, 3, 1, 2] : tensor<2x6x7x32xf32> -> tensor<2x32x6x7xf32>
  %j = prim.reshape %t : tensor<2x32x6x7xf32> -> tensor<2x32x42xf32>
  %y = prim.dot %j, %m batch [] x [] contract [1] x [1] : (tensor<2x32x42xf32>, tensor<16x32xf32>) -> tensor<2x42x16xf32>
  return %y : tensor<2x42x16xf32>
}

// What a convolution reads stays as it is, and so do channels that are no whole blocks.
// CHECK-LABEL: @others
// CHECK-NOT: depthwise_nhwc
func.func @others(%x: tensor<1x32x6x7xf32>, %u: tensor<1x24x6x7xf32>) -> (tensor<1x16x6x7xf32>, tensor<1x6x7x24xf32>) {
  %w = prim.weight 0 : tensor<32x1x3x3xf32>
  %v = prim.weight 1 : tensor<16x32x1x1xf32>
  %k = prim.weight 2 : tensor<24x1x3x3xf32>
  %c = prim.conv %x, %w strides [1, 1] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 32 : (tensor<1x32x6x7xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x6x7xf32>
  %y = prim.conv %c, %v strides [1, 1] lo <0, 0> hi <0, 0> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x32x6x7xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x6x7xf32>
  %d = prim.conv %u, %k strides [1, 1] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 24 : (tensor<1x24x6x7xf32>, tensor<24x1x3x3xf32>) -> tensor<1x24x6x7xf32>
  %z = prim.transpose %d [0, 2, 3, 1] : tensor<1x24x6x7xf32> -> tensor<1x6x7x24xf32>
  return %y, %z : tensor<1x16x6x7xf32>, tensor<1x6x7x24xf32>
}
