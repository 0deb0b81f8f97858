// RUN: dynac-opt %s --prim-fuse --verify-each | FileCheck %s

// A chain is one region, and a constant is cloned into it.
// CHECK-LABEL: @chain
// CHECK: %[[R:.*]] = "prim.region"(%arg0) <{kind = "pointwise"}>
// CHECK: prim.exp
// CHECK: prim.constant
// CHECK: prim.mul
// CHECK-NOT: "prim.region"
// CHECK: return %[[R]]
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %two = prim.constant dense<2.0> : tensor<f32>
  %b = prim.broadcast %two axes = [] : tensor<f32> -> tensor<8xf32>
  %e = prim.exp %x : tensor<8xf32>
  %y = prim.mul %e, %b : tensor<8xf32>
  return %y : tensor<8xf32>
}

// A reduction takes the ops that compute what it reads.
// CHECK-LABEL: @reduction
// CHECK: "prim.region"(%arg0) <{kind = "reduce"}>
// CHECK: prim.mul
// CHECK: prim.reduce
// CHECK-NOT: "prim.region"
func.func @reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %s = prim.mul %x, %x : tensor<4x8xf32>
  %y = prim.reduce add %s axes = [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A claimed op that takes an epilogue has the elementwise chain after it in its region.
// CHECK-LABEL: @epilogue
// CHECK: "prim.region"(%arg0, %arg1, %arg2) <{claim = "gemm", kind = "contraction"}>
// CHECK: prim.dot
// CHECK: prim.broadcast
// CHECK: prim.add
// CHECK: prim.tanh
// CHECK-NOT: "prim.region"
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %d = prim.dot %x, %w batch [] x [] contract [1] x [0] {dynac.claim = "gemm", dynac.epilogue} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %bias = prim.broadcast %b axes = [1] : tensor<16xf32> -> tensor<4x16xf32>
  %s = prim.add %d, %bias : tensor<4x16xf32>
  %y = prim.tanh %s : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A transpose is no epilogue's business, also where a broadcast hides it.
// CHECK-LABEL: @epilogue_of_transpose
// CHECK: claim = "gemm"
// CHECK-NOT: prim.transpose
// CHECK: "prim.region"(%{{.*}}) <{kind = "pointwise"}>
// CHECK: prim.transpose
// CHECK: prim.add
func.func @epilogue_of_transpose(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16x1xf32>) -> tensor<4x16xf32> {
  %d = prim.dot %x, %w batch [] x [] contract [1] x [0] {dynac.claim = "gemm", dynac.epilogue} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %t = prim.transpose %b [1, 0] : tensor<16x1xf32> -> tensor<1x16xf32>
  %bias = prim.broadcast %t axes = [0, 1] : tensor<1x16xf32> -> tensor<4x16xf32>
  %y = prim.add %d, %bias : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A view costs nothing, so each of two groups has its own.
// CHECK-LABEL: @shared_view
// CHECK-NOT: prim.transpose
// CHECK: "prim.region"(%arg0)
// CHECK: prim.transpose
// CHECK: prim.reduce
// CHECK: "prim.region"(%arg0)
// CHECK: prim.transpose
// CHECK: prim.exp
func.func @shared_view(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %t = prim.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %r = prim.reduce max %t axes = [1] : tensor<8x4xf32> -> tensor<8xf32>
  %e = prim.exp %t : tensor<8x4xf32>
  return %r, %e : tensor<8xf32>, tensor<8x4xf32>
}

// A view that is returned needs memory.
// CHECK-LABEL: @returned_view
// CHECK: %[[R:.*]] = "prim.region"(%arg0)
// CHECK: prim.transpose
// CHECK: return %[[R]]
func.func @returned_view(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %t = prim.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// A reshape that is returned is its operand's memory.
// CHECK-LABEL: @returned_reshape
// CHECK: %[[R:.*]] = "prim.region"(%arg0)
// CHECK-NOT: prim.reshape
// CHECK: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[Y:.*]] = prim.reshape %[[R]]
// CHECK-NEXT: return %[[Y]]
func.func @returned_reshape(%x: tensor<4x8xf32>) -> tensor<4x1x8xf32> {
  %e = prim.exp %x : tensor<4x8xf32>
  %y = prim.reshape %e : tensor<4x8xf32> -> tensor<4x1x8xf32>
  return %y : tensor<4x1x8xf32>
}

// CHECK-LABEL: @returned_constant
// CHECK: %[[R:.*]] = "prim.region"() <{kind = "pointwise"}>
// CHECK-NEXT: prim.constant
// CHECK: return %[[R]]
func.func @returned_constant() -> tensor<2xi64> {
  %c = prim.constant dense<[1, 2]> : tensor<2xi64>
  return %c : tensor<2xi64>
}

// CHECK-LABEL: @returned_argument
// CHECK-NEXT: return %arg0
func.func @returned_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: @returned_twice
// CHECK: %[[R:.*]] = "prim.region"(%arg0)
// CHECK-NOT: "prim.region"
// CHECK: return %[[R]], %[[R]]
func.func @returned_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = prim.exp %x : tensor<4xf32>
  return %e, %e : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @dead
// CHECK-NEXT: return %arg0
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = prim.exp %x : tensor<4xf32>
  %r = prim.reshape %e : tensor<4xf32> -> tensor<4x1xf32>
  %n = prim.neg %r : tensor<4x1xf32>
  return %x : tensor<4xf32>
}

// Bodies of control flow are fused by themselves; what they yield is stored.
// CHECK-LABEL: @bodies
// CHECK: "prim.if"
// CHECK: "prim.region"
// CHECK: prim.transpose
// CHECK: "prim.region"
// CHECK: prim.neg
func.func @bodies(%c: tensor<i1>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = "prim.if"(%c, %x) ({
  ^bb0(%a: tensor<4x4xf32>):
    %t = prim.transpose %a [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    prim.yield %t : tensor<4x4xf32>
  }, {
  ^bb0(%a: tensor<4x4xf32>):
    %n = prim.neg %a : tensor<4x4xf32>
    prim.yield %n : tensor<4x4xf32>
  }) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// What is reduced over a row and broadcast back over it is one region.
// CHECK-LABEL: @softmax
// CHECK: "prim.region"(%arg0) <{kind = "pointwise"}>
// CHECK: prim.reduce max
// CHECK: prim.exp
// CHECK: prim.reduce add
// CHECK: prim.div
// CHECK-NOT: "prim.region"
// CHECK: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = prim.reduce max %x axes = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %mk = prim.reshape %m : tensor<4xf32> -> tensor<4x1xf32>
  %mb = prim.broadcast %mk axes = [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  %c = prim.sub %x, %mb : tensor<4x8xf32>
  %e = prim.exp %c : tensor<4x8xf32>
  %s = prim.reduce add %e axes = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %sb = prim.broadcast %s axes = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %y = prim.div %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A contraction keeps its epilogue, also where the rows after it are reduced.
// CHECK-LABEL: @rows_after_epilogue
// CHECK: claim = "gemm"
// CHECK: prim.dot
// CHECK: prim.add
// CHECK: "prim.region"
// CHECK: prim.reduce
// CHECK: prim.sub
// CHECK-NOT: "prim.region"
// CHECK: return
func.func @rows_after_epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %r: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %d = prim.dot %x, %w batch [] x [] contract [1] x [0] {dynac.claim = "gemm", dynac.epilogue} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %a = prim.add %d, %r : tensor<4x16xf32>
  %m = prim.reduce max %a axes = [1] : tensor<4x16xf32> -> tensor<4xf32>
  %mb = prim.broadcast %m axes = [0] : tensor<4xf32> -> tensor<4x16xf32>
  %y = prim.sub %a, %mb : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Rows that are no pieces of memory are reduced side by side.
// CHECK-LABEL: @rows_across_memory
// CHECK: "prim.region"(%arg0) <{kind = "reduce"}>
// CHECK: "prim.region"(%arg0, %{{.*}}) <{kind = "pointwise"}>
func.func @rows_across_memory(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %t = prim.transpose %x [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %m = prim.reduce max %t axes = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %mb = prim.broadcast %m axes = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %y = prim.sub %t, %mb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// One very long row is left to many threads.
// CHECK-LABEL: @one_long_row
// CHECK: "prim.region"(%arg0) <{kind = "reduce"}>
// CHECK: "prim.region"(%{{.*}}, %arg0) <{kind = "pointwise"}>
func.func @one_long_row(%x: tensor<1x1000000xf32>) -> tensor<1x1000000xf32> {
  %m = prim.reduce max %x axes = [1] : tensor<1x1000000xf32> -> tensor<1xf32>
  %mb = prim.broadcast %m axes = [0] : tensor<1xf32> -> tensor<1x1000000xf32>
  %y = prim.sub %x, %mb : tensor<1x1000000xf32>
  return %y : tensor<1x1000000xf32>
}

// Reductions over other rows than those before them stay apart.
// CHECK-LABEL: @other_rows
// CHECK-COUNT-2: prim.region
func.func @other_rows(%x: tensor<4x8x16xf32>) -> tensor<4x8xf32> {
  %s = prim.reduce add %x axes = [1, 2] : tensor<4x8x16xf32> -> tensor<4xf32>
  %b = prim.broadcast %s axes = [0] : tensor<4xf32> -> tensor<4x8x16xf32>
  %d = prim.sub %x, %b : tensor<4x8x16xf32>
  %m = prim.reduce max %d axes = [2] : tensor<4x8x16xf32> -> tensor<4x8xf32>
  return %m : tensor<4x8xf32>
}

// What is stretched over outer axes is computed once, also where a view stands between.
// CHECK-LABEL: @stretched_through_view
// CHECK: %[[E:.*]] = "prim.region"(%arg0) <{kind = "pointwise"}>
// CHECK: prim.logistic
// CHECK: "prim.region"(%[[E]], %arg1)
// CHECK: prim.reshape
// CHECK: prim.mul
func.func @stretched_through_view(%s: tensor<1x1x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = prim.logistic %s : tensor<1x1x8xf32>
  %v = prim.reshape %e : tensor<1x1x8xf32> -> tensor<8xf32>
  %b = prim.broadcast %v axes = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %y = prim.mul %x, %b : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
