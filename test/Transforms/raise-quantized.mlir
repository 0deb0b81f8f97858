// RUN: dynac-opt %s --prim-raise --prim-simplify --verify-each | FileCheck %s

// A product of dequantised numbers is one of bytes; zero point, scales and bias are its epilogue,
// and the scale of the result goes into them.
// CHECK-LABEL: @linear
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8xui8>)
// CHECK-DAG: %[[W:.*]] = prim.constant {{.*}} : tensor<8x3xi8>
// CHECK-DAG: %[[SUMS:.*]] = prim.dot %[[Q]], %[[W]] batch [] x [] contract [1] x [0] : (tensor<2x8xui8>, tensor<8x3xi8>) -> tensor<2x3xi32>
// CHECK-DAG: prim.reduce add %{{.*}} axes = [0] : tensor<8x3xi32> -> tensor<3xi32>
// CHECK: %[[CENTRED:.*]] = prim.sub %[[SUMS]]
// CHECK: %[[FLOAT:.*]] = prim.convert %[[CENTRED]]
// CHECK: %[[SCALED:.*]] = prim.mul %[[FLOAT]]
// CHECK: %[[BIASED:.*]] = prim.add %[[SCALED]]
// CHECK: prim.round_even %[[BIASED]]
func.func @linear(%q: tensor<2x8xui8>) -> tensor<2x3xui8> {
  %w = prim.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3], [1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]]> : tensor<8x3xi8>
  %ws = prim.constant dense<[[0.5, 0.25, 0.125]]> : tensor<1x3xf32>
  %z = prim.constant dense<7> : tensor<2x8xi32>
  %s = prim.constant dense<0.5> : tensor<2x8xf32>
  %bias = prim.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %ys = prim.constant dense<4.0> : tensor<2x3xf32>
  %lo = prim.constant dense<0.0> : tensor<2x3xf32>
  %hi = prim.constant dense<255.0> : tensor<2x3xf32>
  %q32 = prim.convert %q : tensor<2x8xui8> -> tensor<2x8xi32>
  %qc = prim.sub %q32, %z : tensor<2x8xi32>
  %qf = prim.convert %qc : tensor<2x8xi32> -> tensor<2x8xf32>
  %x = prim.mul %qf, %s : tensor<2x8xf32>
  %w32 = prim.convert %w : tensor<8x3xi8> -> tensor<8x3xi32>
  %wf = prim.convert %w32 : tensor<8x3xi32> -> tensor<8x3xf32>
  %wsb = prim.broadcast %ws axes = [0, 1] : tensor<1x3xf32> -> tensor<8x3xf32>
  %wd = prim.mul %wf, %wsb : tensor<8x3xf32>
  %y = prim.dot %x, %wd batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %b = prim.broadcast %bias axes = [1] : tensor<3xf32> -> tensor<2x3xf32>
  %yb = prim.add %y, %b : tensor<2x3xf32>
  %d = prim.div %yb, %ys : tensor<2x3xf32>
  %r = prim.round_even %d : tensor<2x3xf32>
  %c = prim.clamp %r, %lo, %hi : tensor<2x3xf32>
  %u = prim.convert %c : tensor<2x3xf32> -> tensor<2x3xui8>
  return %u : tensor<2x3xui8>
}

// Signed bytes are moved by 128, and a depth that is no multiple of 4 is filled up.
// CHECK-LABEL: @signed
// CHECK: %[[U:.*]] = prim.convert %{{.*}} : tensor<2x6xi32> -> tensor<2x6xui8>
// CHECK: %[[P:.*]] = prim.pad %[[U]]
// CHECK-SAME: hi <0, 2>
// CHECK: prim.dot %[[P]], %{{.*}} : (tensor<2x8xui8>, tensor<8x2xi8>) -> tensor<2x2xi32>
func.func @signed(%q: tensor<2x6xi8>) -> tensor<2x2xi32> {
  %w = prim.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]> : tensor<6x2xi8>
  %q32 = prim.convert %q : tensor<2x6xi8> -> tensor<2x6xi32>
  %w32 = prim.convert %w : tensor<6x2xi8> -> tensor<6x2xi32>
  %y = prim.dot %q32, %w32 batch [] x [] contract [1] x [0] : (tensor<2x6xi32>, tensor<6x2xi32>) -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// The padding of a convolution is the zero point.
// CHECK-LABEL: @conv
// CHECK: %[[Z:.*]] = prim.constant dense<9> : tensor<ui8>
// CHECK: %[[P:.*]] = prim.pad %arg0, %[[Z]] lo <0, 0, 1, 1> hi <0, 0, 1, 1>
// CHECK: prim.conv %[[P]], %{{.*}} lo <0, 0> hi <0, 0> {{.*}} -> tensor<1x2x4x4xi32>
func.func @conv(%q: tensor<1x3x4x4xui8>) -> tensor<1x2x4x4xi32> {
  %w = prim.constant dense<3> : tensor<2x3x3x3xi8>
  %z = prim.constant dense<9> : tensor<1x3x4x4xi32>
  %q32 = prim.convert %q : tensor<1x3x4x4xui8> -> tensor<1x3x4x4xi32>
  %qc = prim.sub %q32, %z : tensor<1x3x4x4xi32>
  %w32 = prim.convert %w : tensor<2x3x3x3xi8> -> tensor<2x3x3x3xi32>
  %y = prim.conv %qc, %w32 strides [1, 1] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 1 : (tensor<1x3x4x4xi32>, tensor<2x3x3x3xi32>) -> tensor<1x2x4x4xi32>
  return %y : tensor<1x2x4x4xi32>
}

// A depthwise convolution has sums that f32 holds.
// CHECK-LABEL: @depthwise
// CHECK: prim.conv {{.*}} -> tensor<1x4x4x4xf32>
// CHECK: prim.convert {{.*}} : tensor<1x4x4x4xf32> -> tensor<1x4x4x4xi32>
func.func @depthwise(%q: tensor<1x4x4x4xui8>) -> tensor<1x4x4x4xi32> {
  %w = prim.constant dense<3> : tensor<4x1x3x3xi8>
  %q32 = prim.convert %q : tensor<1x4x4x4xui8> -> tensor<1x4x4x4xi32>
  %w32 = prim.convert %w : tensor<4x1x3x3xi8> -> tensor<4x1x3x3xi32>
  %y = prim.conv %q32, %w32 strides [1, 1] lo <1, 1> hi <1, 1> dilation [1, 1] x [1, 1] groups 4 : (tensor<1x4x4x4xi32>, tensor<4x1x3x3xi32>) -> tensor<1x4x4x4xi32>
  return %y : tensor<1x4x4x4xi32>
}

// A maximum of bytes; quantised again as it was, nothing is left to do.
// CHECK-LABEL: @pool
// CHECK: %[[Y:.*]] = prim.reduce_window max %arg0 {{.*}} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
// CHECK-NEXT: return %[[Y]]
func.func @pool(%q: tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8> {
  %z = prim.constant dense<9> : tensor<1x2x4x4xi32>
  %s = prim.constant dense<0.3> : tensor<1x2x4x4xf32>
  %zy = prim.constant dense<9.0> : tensor<1x2x2x2xf32>
  %sy = prim.constant dense<0.3> : tensor<1x2x2x2xf32>
  %lo = prim.constant dense<0.0> : tensor<1x2x2x2xf32>
  %hi = prim.constant dense<255.0> : tensor<1x2x2x2xf32>
  %q32 = prim.convert %q : tensor<1x2x4x4xui8> -> tensor<1x2x4x4xi32>
  %qc = prim.sub %q32, %z : tensor<1x2x4x4xi32>
  %qf = prim.convert %qc : tensor<1x2x4x4xi32> -> tensor<1x2x4x4xf32>
  %x = prim.mul %qf, %s : tensor<1x2x4x4xf32>
  %m = prim.reduce_window max %x window [1, 1, 2, 2] strides [1, 1, 2, 2] dilations [1, 1, 1, 1] lo <0, 0, 0, 0> hi <0, 0, 0, 0> : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %d = prim.div %m, %sy : tensor<1x2x2x2xf32>
  %r = prim.round_even %d : tensor<1x2x2x2xf32>
  %a = prim.add %r, %zy : tensor<1x2x2x2xf32>
  %c = prim.clamp %a, %lo, %hi : tensor<1x2x2x2xf32>
  %u = prim.convert %c : tensor<1x2x2x2xf32> -> tensor<1x2x2x2xui8>
  return %u : tensor<1x2x2x2xui8>
}

// What is quantised and dequantised before a residual is added stays f32, within the byte's limits
// less the zero point.
// CHECK-LABEL: @residual
// CHECK-DAG: %[[MOST:.*]] = prim.constant dense<2.480000e+02> : tensor<2x3xf32>
// CHECK-DAG: %[[LEAST:.*]] = prim.constant dense<-7.000000e+00> : tensor<2x3xf32>
// CHECK: %[[R:.*]] = prim.round_even
// CHECK: %[[ABOVE:.*]] = prim.compare {{ ?}}gt %[[R]], %[[LEAST]]
// CHECK: %[[X:.*]] = prim.select %[[ABOVE]], %[[R]], %[[LEAST]]
// CHECK: %[[BELOW:.*]] = prim.compare {{ ?}}lt %[[X]], %[[MOST]]
// CHECK: %[[Y:.*]] = prim.select %[[BELOW]], %[[X]], %[[MOST]]
// CHECK-NOT: prim.convert
// CHECK: prim.mul %[[Y]]
func.func @residual(%q: tensor<2x8xui8>, %r: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = prim.constant dense<3> : tensor<8x3xi8>
  %ws = prim.constant dense<0.25> : tensor<8x3xf32>
  %s = prim.constant dense<0.5> : tensor<2x8xf32>
  %ys = prim.constant dense<4.0> : tensor<2x3xf32>
  %yz = prim.constant dense<7.0> : tensor<2x3xf32>
  %yi = prim.constant dense<7> : tensor<2x3xi32>
  %lo = prim.constant dense<0.0> : tensor<2x3xf32>
  %hi = prim.constant dense<255.0> : tensor<2x3xf32>
  %q32 = prim.convert %q : tensor<2x8xui8> -> tensor<2x8xi32>
  %qf = prim.convert %q32 : tensor<2x8xi32> -> tensor<2x8xf32>
  %x = prim.mul %qf, %s : tensor<2x8xf32>
  %w32 = prim.convert %w : tensor<8x3xi8> -> tensor<8x3xi32>
  %wf = prim.convert %w32 : tensor<8x3xi32> -> tensor<8x3xf32>
  %wd = prim.mul %wf, %ws : tensor<8x3xf32>
  %y = prim.dot %x, %wd batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %d = prim.div %y, %ys : tensor<2x3xf32>
  %e = prim.round_even %d : tensor<2x3xf32>
  %a = prim.add %e, %yz : tensor<2x3xf32>
  %c = prim.clamp %a, %lo, %hi : tensor<2x3xf32>
  %u = prim.convert %c : tensor<2x3xf32> -> tensor<2x3xui8>
  %u32 = prim.convert %u : tensor<2x3xui8> -> tensor<2x3xi32>
  %uc = prim.sub %u32, %yi : tensor<2x3xi32>
  %uf = prim.convert %uc : tensor<2x3xi32> -> tensor<2x3xf32>
  %ud = prim.mul %uf, %ys : tensor<2x3xf32>
  %sum = prim.add %ud, %r : tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}

// So does any other number: a NaN becomes the byte 0, which is -zero.
// CHECK-LABEL: @any
// CHECK: %[[R:.*]] = prim.round_even
// CHECK: prim.compare {{ ?}}gt %[[R]]
// CHECK-NOT: prim.convert
// CHECK: return
func.func @any(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = prim.constant dense<4.0> : tensor<4xf32>
  %z = prim.constant dense<7.0> : tensor<4xf32>
  %zi = prim.constant dense<7> : tensor<4xi32>
  %lo = prim.constant dense<0.0> : tensor<4xf32>
  %hi = prim.constant dense<255.0> : tensor<4xf32>
  %e = prim.exp %x : tensor<4xf32>
  %d = prim.div %e, %s : tensor<4xf32>
  %r = prim.round_even %d : tensor<4xf32>
  %a = prim.add %r, %z : tensor<4xf32>
  %c = prim.clamp %a, %lo, %hi : tensor<4xf32>
  %u = prim.convert %c : tensor<4xf32> -> tensor<4xui8>
  %u32 = prim.convert %u : tensor<4xui8> -> tensor<4xi32>
  %uc = prim.sub %u32, %zi : tensor<4xi32>
  %f = prim.convert %uc : tensor<4xi32> -> tensor<4xf32>
  return %f : tensor<4xf32>
}
