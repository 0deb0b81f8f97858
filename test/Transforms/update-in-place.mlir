// RUN: dynac-opt %s --prim-fuse --prim-update-in-place --verify-each | FileCheck %s

// A result of the function's own is updated where it lies, an argument is not.
// CHECK-LABEL: @own
// CHECK: prim.scatter
// CHECK-NOT: in_place
// CHECK: prim.yield
// CHECK: prim.scatter
// CHECK-SAME: {in_place}
func.func @own(%x: tensor<8x2xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>) -> tensor<8x2xf32> {
  %m = prim.scatter none %x, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %y = prim.scatter none %m, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  return %y : tensor<8x2xf32>
}

// An argument that the result updates, through reshapes.
// CHECK-LABEL: @argument
// CHECK: prim.scatter{{ +}}add
// CHECK-SAME: {in_place}
func.func @argument(%x: tensor<4x2x2xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>) -> (tensor<4x2x2xf32> {dynac.alias = 0 : i32}) {
  %a = prim.reshape %x : tensor<4x2x2xf32> -> tensor<8x2xf32>
  %m = prim.scatter add %a, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %y = prim.reshape %m : tensor<8x2xf32> -> tensor<4x2x2xf32>
  return %y : tensor<4x2x2xf32>
}

// A reader of the old elements comes first.
// CHECK-LABEL: @reader
// CHECK: prim.exp
// CHECK: prim.scatter
// CHECK-SAME: {in_place}
// CHECK: prim.reduce
func.func @reader(%x: tensor<8x2xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>)
    -> (tensor<8x2xf32> {dynac.alias = 0 : i32}, tensor<8xf32>, tensor<8x2xf32>) {
  %y = prim.scatter none %x, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %r = prim.reduce add %y axes = [1] : tensor<8x2xf32> -> tensor<8xf32>
  %e = prim.exp %x : tensor<8x2xf32>
  return %y, %r, %e : tensor<8x2xf32>, tensor<8xf32>, tensor<8x2xf32>
}

// One that needs the new elements too cannot.
// CHECK-LABEL: @both
// CHECK: prim.scatter
// CHECK-NOT: in_place
// CHECK: return
func.func @both(%x: tensor<8x2xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>)
    -> (tensor<8x2xf32> {dynac.alias = 0 : i32}, tensor<8x2xf32>) {
  %y = prim.scatter none %x, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %s = prim.add %x, %y : tensor<8x2xf32>
  return %y, %s : tensor<8x2xf32>, tensor<8x2xf32>
}

// The update of %a waits for a reader that needs the update of %b. That one cannot wait in turn for a reader that needs
// the update of %a.
// CHECK-LABEL: @crossed
// CHECK: %[[B:.*]] = "prim.region"(%arg1, %arg2, %arg3) <{kind = "scatter"}>
// CHECK: prim.scatter
// CHECK-NOT: in_place
// CHECK: "prim.region"(%arg0, %[[B]]) <{kind = "pointwise"}>
// CHECK: %[[A:.*]] = "prim.region"(%arg0, %arg2, %arg3) <{kind = "scatter"}>
// CHECK: prim.scatter
// CHECK-SAME: {in_place}
// CHECK: "prim.region"(%arg1, %[[A]]) <{kind = "pointwise"}>
func.func @crossed(%a: tensor<8x2xf32>, %b: tensor<8x2xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>)
    -> (tensor<8x2xf32> {dynac.alias = 0 : i32}, tensor<8x2xf32> {dynac.alias = 1 : i32}, tensor<8x2xf32>, tensor<8x2xf32>) {
  %a2 = prim.scatter none %a, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %b2 = prim.scatter none %b, %i, %u axes = [0] batch = 0 : tensor<8x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>
  %y = prim.add %b, %a2 : tensor<8x2xf32>
  %z = prim.add %a, %b2 : tensor<8x2xf32>
  return %a2, %b2, %y, %z : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}
