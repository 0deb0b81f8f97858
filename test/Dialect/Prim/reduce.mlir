// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x?xbf16, #prim.dims<2, "N">>) -> (tensor<2xf32>, tensor<2xi64>, tensor<2x?xbf16, #prim.dims<2, "N">>) {
  // CHECK: prim.reduce add %{{.*}} axes = [1] : tensor<2x?xbf16, #prim.dims<2, "N">> -> tensor<2xf32>
  %0 = prim.reduce add %x axes = [1] : tensor<2x?xbf16, #prim.dims<2, "N">> -> tensor<2xf32>
  // CHECK: prim.arg_reduce max last %{{.*}} axis = 1
  %1 = prim.arg_reduce max last %x axis = 1 : tensor<2x?xbf16, #prim.dims<2, "N">> -> tensor<2xi64>
  // CHECK: prim.cumulative add exclusive reverse %{{.*}} axis = 1
  %2 = prim.cumulative add exclusive reverse %x axis = 1 : tensor<2x?xbf16, #prim.dims<2, "N">>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi64>, tensor<2x?xbf16, #prim.dims<2, "N">>
}

// CHECK-LABEL: @windows
func.func @windows(%x: tensor<1x3x?x10xf32, #prim.dims<1, 3, "H", 10>>)
    -> (tensor<1x3x?x5xf32, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>, tensor<1x3x?x5xi64, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>) {
  // CHECK: prim.reduce_window max %{{.*}} window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] lo <0, 0, 1, 1> hi <0, 0, 1, 1>
  %0:2 = prim.reduce_window max %x window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] lo <0, 0, 1, 1> hi <0, 0, 1, 1>
      : (tensor<1x3x?x10xf32, #prim.dims<1, 3, "H", 10>>) -> (tensor<1x3x?x5xf32, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>, tensor<1x3x?x5xi64, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>)
  return %0#0, %0#1 : tensor<1x3x?x5xf32, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>, tensor<1x3x?x5xi64, #prim.dims<1, 3, "floordiv(H+1,2)", 5>>
}

// CHECK-LABEL: @sorting
func.func @sorting(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>, %mask: tensor<4x8xi1>) {
  // CHECK: prim.sort descending %{{.*}}, %{{.*}} axis = 1
  %0:2 = prim.sort descending %x, %i axis = 1 : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  // CHECK: prim.top_k smallest %{{.*}} axis = 1
  %1:2 = prim.top_k smallest %x axis = 1 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  // CHECK: prim.nonzero %{{.*}} : (tensor<4x8xi1>) -> (tensor<2x32xi64>, tensor<i64>)
  %2:2 = prim.nonzero %mask : (tensor<4x8xi1>) -> (tensor<2x32xi64>, tensor<i64>)
  return
}

// CHECK-LABEL: @contractions
func.func @contractions(%a: tensor<2x?x4xf16, #prim.dims<2, "N", 4>>, %b: tensor<2x4x3xf16>, %x: tensor<1x4x?x9xi8, #prim.dims<1, 4, "H", 9>>, %w: tensor<6x2x3x3xi8>) {
  // CHECK: prim.dot %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1]
  %0 = prim.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x?x4xf16, #prim.dims<2, "N", 4>>, tensor<2x4x3xf16>) -> tensor<2x?x3xf32, #prim.dims<2, "N", 3>>
  // CHECK: prim.conv %{{.*}}, %{{.*}} strides [1, 2] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 2
  %1 = prim.conv %x, %w strides [1, 2] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 2
      : (tensor<1x4x?x9xi8, #prim.dims<1, 4, "H", 9>>, tensor<6x2x3x3xi8>) -> tensor<1x6x?x5xi32, #prim.dims<1, 6, "H", 5>>
  return
}

// CHECK-LABEL: @transforms
func.func @transforms(%x: tensor<3x8x2xf32>, %seed: tensor<2xui32>) {
  // CHECK: prim.fft inverse %{{.*}} : tensor<3x8x2xf32> -> tensor<3x8x2xf32>
  %0 = prim.fft inverse %x : tensor<3x8x2xf32> -> tensor<3x8x2xf32>
  // CHECK: prim.rng_bits %{{.*}} site 3 : tensor<2xui32> -> tensor<5xui32>
  %1 = prim.rng_bits %seed site 3 : tensor<2xui32> -> tensor<5xui32>
  return
}
