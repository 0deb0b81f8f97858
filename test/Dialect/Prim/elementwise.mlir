// RUN: dynac-opt %s | dynac-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<2x?xf32, #prim.dims<2, "N">>) -> tensor<2x?xf32, #prim.dims<2, "N">> {
  // CHECK: prim.abs %{{.*}} : tensor<2x?xf32, #prim.dims<2, "N">>
  %0 = prim.abs %x : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.neg
  %1 = prim.neg %0 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.sign
  %2 = prim.sign %1 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.floor
  %3 = prim.floor %2 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.ceil
  %4 = prim.ceil %3 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.round_even
  %5 = prim.round_even %4 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.trunc
  %6 = prim.trunc %5 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.sqrt
  %7 = prim.sqrt %6 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.rsqrt
  %8 = prim.rsqrt %7 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.exp
  %9 = prim.exp %8 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.expm1
  %10 = prim.expm1 %9 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.log
  %11 = prim.log %10 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.log1p
  %12 = prim.log1p %11 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.erf
  %13 = prim.erf %12 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.logistic
  %14 = prim.logistic %13 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.sin
  %15 = prim.sin %14 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.cos
  %16 = prim.cos %15 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.tan
  %17 = prim.tan %16 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.tanh
  %18 = prim.tanh %17 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.stop_gradient
  %19 = prim.stop_gradient %18 : tensor<2x?xf32, #prim.dims<2, "N">>
  // CHECK: prim.barrier
  %20 = prim.barrier %19 : tensor<2x?xf32, #prim.dims<2, "N">>
  return %20 : tensor<2x?xf32, #prim.dims<2, "N">>
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: prim.add %{{.*}}, %{{.*}} : tensor<4xf64>
  %0 = prim.add %a, %b : tensor<4xf64>
  // CHECK: prim.sub
  %1 = prim.sub %0, %b : tensor<4xf64>
  // CHECK: prim.mul
  %2 = prim.mul %1, %b : tensor<4xf64>
  // CHECK: prim.div
  %3 = prim.div %2, %b : tensor<4xf64>
  // CHECK: prim.rem
  %4 = prim.rem %3, %b : tensor<4xf64>
  // CHECK: prim.pow
  %5 = prim.pow %4, %b : tensor<4xf64>
  // CHECK: prim.max
  %6 = prim.max %5, %b : tensor<4xf64>
  // CHECK: prim.min
  %7 = prim.min %6, %b : tensor<4xf64>
  // CHECK: prim.atan2
  %8 = prim.atan2 %7, %b : tensor<4xf64>
  // CHECK: prim.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf64>
  %9 = prim.clamp %8, %a, %b : tensor<4xf64>
  return %9 : tensor<4xf64>
}

// CHECK-LABEL: @bits
func.func @bits(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: prim.and
  %0 = prim.and %a, %b : tensor<4xui8>
  // CHECK: prim.or
  %1 = prim.or %0, %b : tensor<4xui8>
  // CHECK: prim.xor
  %2 = prim.xor %1, %b : tensor<4xui8>
  // CHECK: prim.not
  %3 = prim.not %2 : tensor<4xui8>
  // CHECK: prim.shl
  %4 = prim.shl %3, %b : tensor<4xui8>
  // CHECK: prim.shr_logical
  %5 = prim.shr_logical %4, %b : tensor<4xui8>
  // CHECK: prim.shr_arith
  %6 = prim.shr_arith %5, %b : tensor<4xui8>
  return %6 : tensor<4xui8>
}

// CHECK-LABEL: @typed
func.func @typed(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  // CHECK: prim.is_finite %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %0 = prim.is_finite %a : tensor<4xf32> -> tensor<4xi1>
  // CHECK: prim.compare lt %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %1 = prim.compare lt %a, %b : tensor<4xf32> -> tensor<4xi1>
  %2 = prim.and %0, %1 : tensor<4xi1>
  // CHECK: prim.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %3 = prim.select %2, %a, %b : tensor<4xi1>, tensor<4xf32>
  // CHECK: prim.bitcast %{{.*}} : tensor<4xf32> -> tensor<4xi32>
  %4 = prim.bitcast %3 : tensor<4xf32> -> tensor<4xi32>
  // CHECK: prim.convert %{{.*}} : tensor<4xi32> -> tensor<4xbf16>
  %5 = prim.convert %4 : tensor<4xi32> -> tensor<4xbf16>
  // CHECK: prim.convert saturate %{{.*}} : tensor<4xbf16> -> tensor<4xf8E4M3FN>
  %6 = prim.convert saturate %5 : tensor<4xbf16> -> tensor<4xf8E4M3FN>
  return %6 : tensor<4xf8E4M3FN>
}
