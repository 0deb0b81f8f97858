// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @branches
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "prim.if"(%{{.*}}, %{{.*}}) ({
  %0 = "prim.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    // CHECK: prim.yield %{{.*}} : tensor<4xf32>
    prim.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    %1 = prim.neg %a : tensor<4xf32>
    prim.yield %1 : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @loop
func.func @loop(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "prim.while"(%{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  %0 = "prim.while"(%c, %x, %y) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%state: tensor<4xf32>, %step: tensor<4xf32>):
    %next = prim.add %state, %step : tensor<4xf32>
    %stop = prim.constant dense<false> : tensor<i1>
    prim.yield %stop, %next : tensor<i1>, tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @calls
func.func @calls(%c: tensor<i1>, %x: tensor<4xf32>, %s: !prim.strings, %q: !prim.seq, %o: !prim.opt, %m: !prim.map) {
  // CHECK: prim.custom_call "tokenize@1"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) config {size = 3 : i64} : (!prim.strings, !prim.seq, !prim.opt, !prim.map) -> tensor<3xi64>
  %0 = prim.custom_call "tokenize@1"(%s, %q, %o, %m) config {size = 3 : i64} : (!prim.strings, !prim.seq, !prim.opt, !prim.map) -> tensor<3xi64>
  // CHECK: prim.custom_call "tick@1"() : () -> ()
  prim.custom_call "tick@1"() : () -> ()
  // CHECK: prim.assert %{{.*}}, "no" : tensor<i1>
  prim.assert %c, "no" : tensor<i1>
  // CHECK: prim.composite "softmax"(%{{.*}}) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = prim.composite "softmax"(%x) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "prim.region"(%{{.*}}) <{kind = "pointwise"}> ({
  %2 = "prim.region"(%x) <{kind = "pointwise"}> ({
  ^bb0(%a: tensor<4xf32>):
    %3 = prim.exp %a : tensor<4xf32>
    prim.yield %3 : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
