// RUN: dynac-check %s
// y = x in another type. Numbers: 1 float, 2 uint8, 3 int8, 6 int32, 7 int64, 9 bool, 10 float16, 11 double,
// 16 bfloat16, 17 e4m3fn, 18 e4m3fnuz, 19 e5m2, 21 uint4, 22 int4, 23 f4e2m1, 24 e8m0, 25 uint2, 26 int2.

// Integers wrap from 64 bits; what does not fit there, and NaN, gives 0.
func.func @out_of_range() {
  %x = check.input dense<[300.0, 0x7FC00000, 0x7F800000, 0xFF800000, 50.9, -50.9, 3.0e38, -300.0]> : tensor<8xf32>
  %y = model.node "onnx.Cast" opset 25 (%x) {to = 3} : (tensor<8xf32>) -> tensor<8xi8>
  check.equal %y, dense<[44, 0, 0, 0, 50, -50, 0, -44]> : tensor<8xi8>
  return
}

// An odd count: the last byte is half used.
func.func @to_int4() {
  %x = check.input dense<[-9.0, -8.0, -0.5, 7.9, 8.0, 0x7FC00000, 3.0]> : tensor<7xf32>
  %y = model.node "onnx.Cast" opset 25 (%x) {to = 22} : (tensor<7xf32>) -> tensor<7xi4>
  check.equal %y, dense<[0, -8, 0, 7, 0, 0, 3]> : tensor<7xi4>
  return
}

func.func @integers_wrap() {
  %x = check.input dense<[[200, -129, 9], [3, -3, 0]]> : tensor<2x3xi32>
  %a = model.node "onnx.Cast" opset 25 (%x) {to = 22} : (tensor<2x3xi32>) -> tensor<2x3xi4>
  check.equal %a, dense<[[-8, -1, -7], [3, -3, 0]]> : tensor<2x3xi4>
  %b = model.node "onnx.Cast" opset 25 (%x) {to = 25} : (tensor<2x3xi32>) -> tensor<2x3xui2>
  check.equal %b, dense<[[0, 3, 1], [3, 1, 0]]> : tensor<2x3xui2>
  return
}

func.func @from_packed() {
  %x = check.input dense<[-8, 7, -1, 0, 3]> : tensor<5xi4>
  %a = model.node "onnx.Cast" opset 25 (%x) {to = 1} : (tensor<5xi4>) -> tensor<5xf32>
  check.equal %a, dense<[-8.0, 7.0, -1.0, 0.0, 3.0]> : tensor<5xf32>
  %z = check.input dense<[[0, 1, 2], [3, 2, 1]]> : tensor<2x3xui2>
  %b = model.node "onnx.Cast" opset 25 (%z) {to = 2} : (tensor<2x3xui2>) -> tensor<2x3xui8>
  check.equal %b, dense<[[0, 1, 2], [3, 2, 1]]> : tensor<2x3xui8>
  return
}

// Midpoints go to the even neighbour; beyond 6 it is 6; NaN is 0.
func.func @float4() {
  %x = check.input dense<[0.25, 0.26, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 5.1, -0x0p0, -100.0, 0x7F800000, 0x7FC00000]>
      : tensor<13xf32>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 23} : (tensor<13xf32>) -> tensor<13x!prim.f4E2M1>
  %y = model.node "onnx.Cast" opset 25 (%c) {to = 1} : (tensor<13x!prim.f4E2M1>) -> tensor<13xf32>
  check.equal %y, dense<[0.0, 0.5, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 0.0, -6.0, 6.0, 0.0]> : tensor<13xf32>
  return
}

// The default: upwards, saturated. 2^-127 is 0x00400000.
func.func @scale_up() {
  %x = check.input dense<[1.0, 1.5, 3.0, 0.0, 0x00400000, 0x00400001, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]>
      : tensor<9xf32>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 24} : (tensor<9xf32>) -> tensor<9x!prim.f8E8M0>
  %y = model.node "onnx.Cast" opset 25 (%c) {to = 1} : (tensor<9x!prim.f8E8M0>) -> tensor<9xf32>
  check.equal %y, dense<[1.0, 2.0, 4.0, 0x00400000, 0x00400000, 0x00800000, 0x7F000000, 0x7F000000, 0x7FC00000]>
      : tensor<9xf32>
  return
}

func.func @scale_nearest_without_saturation() {
  %x = check.input dense<[1.0, 1.49, 1.5, 3.0, 0.0, 0x7F7FFFFF, 0x7F800000, 0x00200000]> : tensor<8xf32>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 24, saturate = 0, round_mode = "nearest"}
      : (tensor<8xf32>) -> tensor<8x!prim.f8E8M0>
  %y = model.node "onnx.Cast" opset 25 (%c) {to = 1} : (tensor<8x!prim.f8E8M0>) -> tensor<8xf32>
  check.equal %y, dense<[1.0, 1.0, 2.0, 4.0, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<8xf32>
  return
}

func.func @scale_down() {
  %x = check.input dense<[1.0, 1.99, 3.0, 0x7F7FFFFF]> : tensor<4xf32>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 24, round_mode = "down"}
      : (tensor<4xf32>) -> tensor<4x!prim.f8E8M0>
  %y = model.node "onnx.Cast" opset 25 (%c) {to = 10} : (tensor<4x!prim.f8E8M0>) -> tensor<4xf16>
  check.equal %y, dense<[1.0, 1.0, 2.0, 0x7C00]> : tensor<4xf16>
  return
}

func.func @float8() {
  %x = check.input dense<[3.0e10, -3.0e10, 464.0, 465.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %a = model.node "onnx.Cast" opset 25 (%x) {to = 17} : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  check.equal %a, dense<[448.0, -448.0, 448.0, 448.0, 448.0, 0x7F]> : tensor<6xf8E4M3FN>
  %b = model.node "onnx.Cast" opset 25 (%x) {to = 17, saturate = 0} : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  check.equal %b, dense<[0x7F, 0x7F, 448.0, 0x7F, 0x7F, 0x7F]> : tensor<6xf8E4M3FN>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 18} : (tensor<6xf32>) -> tensor<6xf8E4M3FNUZ>
  check.equal %c, dense<[240.0, -240.0, 240.0, 240.0, 240.0, 0x80]> : tensor<6xf8E4M3FNUZ>
  return
}

func.func @bad_rounding() attributes {check.invalid = "round_mode"} {
  %x = check.input dense<1.0> : tensor<2xf32>
  %c = model.node "onnx.Cast" opset 25 (%x) {to = 24, round_mode = "odd"} : (tensor<2xf32>) -> tensor<2x!prim.f8E8M0>
  %y = model.node "onnx.Cast" opset 25 (%c) {to = 1} : (tensor<2x!prim.f8E8M0>) -> tensor<2xf32>
  check.equal %y, dense<1.0> : tensor<2xf32>
  return
}

// Float types of 6 bits are not there.
func.func @float6() attributes {check.refused = "FLOAT6E2M3"} {
  %x = check.input dense<1.0> : tensor<2xf32>
  %y = model.node "onnx.Cast" opset 28 (%x) {to = 27} : (tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<1.0> : tensor<2xf32>
  return
}
