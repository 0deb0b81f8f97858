// RUN: dynac-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:[^:]+]]: tensor
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<2x?xf32, #prim.dims<2, "N">>, %zero: tensor<f32>)
    -> (tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>,
        tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>) {
  %0 = prim.broadcast %x axes = [0, 1] : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %1 = prim.reshape %x : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %2 = prim.transpose %x [0, 1] : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %3 = prim.slice %x from <0, 0> by [1, 1] : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %4 = prim.convert %x : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %5 = prim.concat %x axis = 0 : tensor<2x?xf32, #prim.dims<2, "N">> -> tensor<2x?xf32, #prim.dims<2, "N">>
  %6 = prim.pad %x, %zero lo <0, 0> hi <0, 0> interior [0, 0] : tensor<2x?xf32, #prim.dims<2, "N">>, tensor<f32> -> tensor<2x?xf32, #prim.dims<2, "N">>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>,
        tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>, tensor<2x?xf32, #prim.dims<2, "N">>
}

// CHECK-LABEL: @inverses
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3xf32>, %[[H:[^:]+]]: tensor<4xf16>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[H]]
func.func @inverses(%x: tensor<2x3xf32>, %h: tensor<4xf16>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf16>) {
  %0 = prim.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %1 = prim.reshape %0 : tensor<6xf32> -> tensor<2x3xf32>
  %2 = prim.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %3 = prim.transpose %2 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %4 = prim.reverse %x axes = [1] : tensor<2x3xf32>
  %5 = prim.reverse %4 axes = [1] : tensor<2x3xf32>
  %6 = prim.convert %h : tensor<4xf16> -> tensor<4xf32>
  %7 = prim.convert %6 : tensor<4xf32> -> tensor<4xf16>
  return %1, %3, %5, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf16>
}

// A narrowing that loses bits stays.
// CHECK-LABEL: @not_inverse
// CHECK-COUNT-2: prim.convert
func.func @not_inverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = prim.convert %x : tensor<4xf32> -> tensor<4xbf16>
  %1 = prim.convert %0 : tensor<4xbf16> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @composed
// CHECK-SAME: (%[[X:[^:]+]]: tensor<8x6xf32>, %[[Y:[^:]+]]: tensor<2x3x4xf32>)
func.func @composed(%x: tensor<8x6xf32>, %y: tensor<2x3x4xf32>) -> (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<5x8x7x6xf32>) {
  // CHECK-DAG: prim.slice %[[X]] from <3, 0> by [4, 1] : tensor<8x6xf32> -> tensor<2x6xf32>
  %0 = prim.slice %x from <1, 0> by [2, 1] : tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = prim.slice %0 from <1, 0> by [2, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK-DAG: prim.transpose %[[Y]] [2, 0, 1]
  %2 = prim.transpose %y [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %3 = prim.transpose %2 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  // CHECK-DAG: prim.broadcast %[[X]] axes = [1, 3] : tensor<8x6xf32> -> tensor<5x8x7x6xf32>
  %4 = prim.broadcast %x axes = [0, 2] : tensor<8x6xf32> -> tensor<8x7x6xf32>
  %5 = prim.broadcast %4 axes = [1, 2, 3] : tensor<8x7x6xf32> -> tensor<5x8x7x6xf32>
  return %1, %3, %5 : tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<5x8x7x6xf32>
}

// CHECK-LABEL: @literals
func.func @literals() -> (tensor<3x2xi64>, tensor<2xi64>, tensor<6xi64>, tensor<2x3xi64>, tensor<4xi64>) {
  // CHECK-DAG: prim.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
  // CHECK-DAG: prim.constant dense<[4, 6]> : tensor<2xi64>
  // CHECK-DAG: prim.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  // CHECK-DAG: prim.constant dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi64>
  // CHECK-DAG: prim.constant dense<[7, 7, 8, 9]> : tensor<4xi64>
  %0 = prim.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %1 = prim.transpose %0 [1, 0] : tensor<2x3xi64> -> tensor<3x2xi64>
  %2 = prim.reshape %0 : tensor<2x3xi64> -> tensor<6xi64>
  %3 = prim.slice %2 from <3> by [2] : tensor<6xi64> -> tensor<2xi64>
  %4 = prim.reverse %0 axes = [1] : tensor<2x3xi64>
  %5 = prim.constant dense<7> : tensor<2xi64>
  %6 = prim.constant dense<[8, 9]> : tensor<2xi64>
  %7 = prim.concat %5, %6 axis = 0 : tensor<2xi64>, tensor<2xi64> -> tensor<4xi64>
  return %1, %3, %2, %4, %7 : tensor<3x2xi64>, tensor<2xi64>, tensor<6xi64>, tensor<2x3xi64>, tensor<4xi64>
}

// CHECK-LABEL: @splats
func.func @splats() -> (tensor<100x100xf32>, tensor<50x200xf32>, tensor<3x4xf32>) {
  // CHECK-DAG: prim.constant dense<2.000000e+00> : tensor<100x100xf32>
  // CHECK-DAG: prim.constant dense<2.000000e+00> : tensor<50x200xf32>
  // CHECK-DAG: prim.constant dense<0.000000e+00> : tensor<3x4xf32>
  %0 = prim.constant dense<2.0> : tensor<f32>
  %1 = prim.broadcast %0 axes = [] : tensor<f32> -> tensor<100x100xf32>
  %2 = prim.reshape %1 : tensor<100x100xf32> -> tensor<50x200xf32>
  %3 = prim.constant dense<0.0> : tensor<f32>
  %4 = prim.constant dense<0.0> : tensor<1x4xf32>
  %5 = prim.pad %4, %3 lo <1, 0> hi <1, 0> interior [0, 0] : tensor<1x4xf32>, tensor<f32> -> tensor<3x4xf32>
  return %1, %2, %5 : tensor<100x100xf32>, tensor<50x200xf32>, tensor<3x4xf32>
}

// A splat of symbolic shape is no literal.
// CHECK-LABEL: @symbolic_splat
// CHECK: prim.broadcast
func.func @symbolic_splat() -> tensor<?xf32, #prim.dims<"N">> {
  %0 = prim.constant dense<2.0> : tensor<f32>
  %1 = prim.broadcast %0 axes = [] : tensor<f32> -> tensor<?xf32, #prim.dims<"N">>
  return %1 : tensor<?xf32, #prim.dims<"N">>
}

// CHECK-LABEL: @choices
// CHECK-SAME: (%[[C:[^:]+]]: tensor<2xi1>, %[[A:[^:]+]]: tensor<2xf32>, %[[B:[^:]+]]: tensor<2xf32>)
// CHECK-NEXT: return %[[A]], %[[B]], %[[A]]
func.func @choices(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = prim.constant dense<true> : tensor<2xi1>
  %false = prim.constant dense<false> : tensor<2xi1>
  %0 = prim.select %true, %a, %b : tensor<2xi1>, tensor<2xf32>
  %1 = prim.select %false, %a, %b : tensor<2xi1>, tensor<2xf32>
  %2 = prim.select %c, %a, %a : tensor<2xi1>, tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Truncation, wrapping from 64 bits, 0 beyond them and for NaN; bool is "not zero".
// CHECK-LABEL: @conversions
func.func @conversions() -> (tensor<5xi8>, tensor<3xui8>, tensor<3xi1>, tensor<2xf32>, tensor<2xf8E4M3FN>, tensor<2xbf16>) {
  // CHECK-DAG: prim.constant dense<[-2, 44, 0, 0, 0]> : tensor<5xi8>
  %0 = prim.constant dense<[-2.9, 300.0, 0x7FC00000, 0x7F800000, 1.0e30]> : tensor<5xf32>
  %1 = prim.convert %0 : tensor<5xf32> -> tensor<5xi8>
  // CHECK-DAG: prim.constant dense<[255, 44, 1]> : tensor<3xui8>
  %2 = prim.constant dense<[-1, 300, 1]> : tensor<3xi32>
  %3 = prim.convert %2 : tensor<3xi32> -> tensor<3xui8>
  // CHECK-DAG: prim.constant dense<[true, false, true]> : tensor<3xi1>
  %4 = prim.constant dense<[0.25, -0.0, 0x7FC00000]> : tensor<3xf32>
  %5 = prim.convert %4 : tensor<3xf32> -> tensor<3xi1>
  // CHECK-DAG: prim.constant dense<[2.550000e+02, 1.000000e+00]> : tensor<2xf32>
  %6 = prim.constant dense<[255, 1]> : tensor<2xui8>
  %7 = prim.convert %6 : tensor<2xui8> -> tensor<2xf32>
  // CHECK-DAG: prim.constant dense<[4.480000e+02, -4.480000e+02]> : tensor<2xf8E4M3FN>
  %8 = prim.constant dense<[1.0e9, 0xFF800000]> : tensor<2xf32>
  %9 = prim.convert saturate %8 : tensor<2xf32> -> tensor<2xf8E4M3FN>
  // CHECK-DAG: prim.constant dense<[1.000000e+00, 1.007810e+00]> : tensor<2xbf16>
  %10 = prim.constant dense<[1.00390625, 1.005859375]> : tensor<2xf32>
  %11 = prim.convert %10 : tensor<2xf32> -> tensor<2xbf16>
  return %1, %3, %5, %7, %9, %11 : tensor<5xi8>, tensor<3xui8>, tensor<3xi1>, tensor<2xf32>, tensor<2xf8E4M3FN>, tensor<2xbf16>
}

// Two barriers of one value stay apart; an unused one goes.
// CHECK-LABEL: @barriers
// CHECK-COUNT-2: prim.barrier
// CHECK-NOT: prim.barrier
// CHECK: return
func.func @barriers(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = prim.barrier %x : tensor<2xf32>
  %1 = prim.barrier %x : tensor<2xf32>
  %2 = prim.barrier %x : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
