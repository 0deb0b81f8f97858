// RUN: dynac-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{#prim.dims names 1 dimensions of a tensor of rank 2}}
func.func @dims_rank(%x: tensor<2x?xf32, #prim.dims<"N">>)

// -----

// expected-error @+1 {{#prim.dims: entry 0 is 3}}
func.func @dims_number(%x: tensor<2x?xf32, #prim.dims<3, "N">>)

// -----

// expected-error @+1 {{#prim.dims: "N*2" is no canonical expression}}
func.func @dims_text(%x: tensor<?xf32, #prim.dims<"N*2">>)

// -----

func.func @unnamed(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of floats or integers with named dimensions, but got 'tensor<?xf32>'}}
  %0 = prim.abs %x : tensor<?xf32>
  return
}

// -----

func.func @signed(%x: tensor<2xsi8>) {
  // expected-error @+1 {{operand #0 must be tensor of floats or integers with named dimensions, but got 'tensor<2xsi8>'}}
  %0 = prim.abs %x : tensor<2xsi8>
  return
}

// -----

func.func @float_only(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floats with named dimensions, but got 'tensor<2xi32>'}}
  %0 = prim.exp %x : tensor<2xi32>
  return
}

// -----

func.func @integer_only(%x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of integers with named dimensions, but got 'tensor<2xf32>'}}
  %0 = prim.and %x, %x : tensor<2xf32>
  return
}

// -----

func.func @other_symbol(%x: tensor<?xf32, #prim.dims<"N">>, %y: tensor<?xf32, #prim.dims<"M">>) {
  // expected-error @+1 {{requires the same encoding for all operands and results}}
  %0 = "prim.add"(%x, %y) : (tensor<?xf32, #prim.dims<"N">>, tensor<?xf32, #prim.dims<"M">>) -> tensor<?xf32, #prim.dims<"N">>
  return
}

// -----

func.func @compare(%x: tensor<2xf32>) {
  // expected-error @+1 {{result has element type 'f32', expected 'i1'}}
  %0 = prim.compare lt %x, %x : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @select(%c: tensor<1xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{has shapes [2] and [1], expected equal ones}}
  %0 = prim.select %c, %x, %x : tensor<1xi1>, tensor<2xf32>
  return
}

// -----

func.func @saturate(%x: tensor<2xf32>) {
  // expected-error @+1 {{saturates to 'f16', expected an fp8 type}}
  %0 = prim.convert saturate %x : tensor<2xf32> -> tensor<2xf16>
  return
}

// -----

func.func @bitcast(%x: tensor<2xf32>) {
  // expected-error @+1 {{has element types 'f32' and 'i64', expected equal widths}}
  %0 = prim.bitcast %x : tensor<2xf32> -> tensor<2xi64>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{axis 1 is out of range for rank 1}}
  %0 = prim.iota 1 : tensor<4xi64>
  return
}

// -----

func.func @dims_to_tensor() {
  // expected-error @+1 {{result has shape [3], expected [2]}}
  %0 = prim.dims_to_tensor <"N", 1> : tensor<3xi64>
  return
}

// -----

func.func @bind_dim(%x: tensor<2xi64>) {
  // expected-error @+1 {{element 2 is out of range for shape [2]}}
  prim.bind_dim "u0" = %x[2] : tensor<2xi64>
  return
}

// -----

func.func @broadcast(%x: tensor<3xf32>) {
  // expected-error @+1 {{axis 0 of [3] does not become axis 1 of [2, 4]: dimensions 3 and 4 differ}}
  %0 = prim.broadcast %x axes = [1] : tensor<3xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_symbol(%x: tensor<?xf32, #prim.dims<"N">>) {
  // expected-error @+1 {{dimensions N and M are not provably equal}}
  %0 = prim.broadcast %x axes = [1] : tensor<?xf32, #prim.dims<"N">> -> tensor<2x?xf32, #prim.dims<2, "M">>
  return
}

// -----

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operand [2, 3] and result [5] differ in number of elements}}
  %0 = prim.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @transpose(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 0 occurs twice}}
  %0 = prim.transpose %x [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice(%x: tensor<4xf32>) {
  // expected-error @+1 {{elements [1, 6) of axis 0 are not within its size 4}}
  %0 = prim.slice %x from <1> by [2] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @dynamic_slice(%x: tensor<4xf32>, %at: tensor<1xi64>) {
  // expected-error @+1 {{block [5] is larger than [4] on axis 0}}
  %0 = prim.dynamic_slice %x at %at : tensor<4xf32>, tensor<1xi64> -> tensor<5xf32>
  return
}

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{axis 1 of operand shapes [2, 3] and [2, 4]: dimensions 3 and 4 differ}}
  %0 = prim.concat %x, %y axis = 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @pad(%x: tensor<2xf32>, %value: tensor<f32>) {
  // expected-error @+1 {{axis 0 of size 2 padded by -3 and 0 has a negative size}}
  %0 = prim.pad %x, %value lo <-3> hi <0> interior [0] : tensor<2xf32>, tensor<f32> -> tensor<1xf32>
  return
}

// -----

func.func @gather(%x: tensor<4x5xf32>, %i: tensor<3x2xi64>) {
  // expected-error @+1 {{the last axis of indices [3, 2] counts the axes: dimensions 2 and 1 differ}}
  %0 = prim.gather %x, %i axes = [0] batch = 0 : tensor<4x5xf32>, tensor<3x2xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @scatter(%x: tensor<4x5xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{updates has shape [3, 4], expected [3, 5]}}
  %0 = prim.scatter none %x, %i, %u axes = [0] batch = 0 : tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x4xf32>
  return
}

// -----

func.func @reduce(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{combiner 'and' is not allowed here on 'f32'}}
  %0 = prim.reduce and %x axes = [0] : tensor<4x5xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reduce_shape(%x: tensor<4x?xf32, #prim.dims<4, "N">>) {
  // expected-error @+1 {{result has shape [4], expected [N]}}
  %0 = prim.reduce add %x axes = [0] : tensor<4x?xf32, #prim.dims<4, "N">> -> tensor<4xf32>
  return
}

// -----

func.func @arg_reduce(%x: tensor<4xf32>) {
  // expected-error @+1 {{result has element type 'i32', expected 'i64'}}
  %0 = prim.arg_reduce max %x axis = 0 : tensor<4xf32> -> tensor<i32>
  return
}

// -----

func.func @window(%x: tensor<8xf32>) {
  // expected-error @+1 {{'strides' holds 0, expected positive numbers}}
  %0 = prim.reduce_window max %x window [2] strides [0] dilations [1] lo <0> hi <0> : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%x: tensor<4xf32>, %i: tensor<5xi64>) {
  // expected-error @+1 {{operand has shape [5], expected [4]}}
  %0:2 = prim.sort %x, %i axis = 0 : (tensor<4xf32>, tensor<5xi64>) -> (tensor<4xf32>, tensor<5xi64>)
  return
}

// -----

func.func @top_k(%x: tensor<4xf32>) {
  // expected-error @+1 {{takes 5 of 4 elements along axis 0}}
  %0:2 = prim.top_k %x axis = 0 : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @dot(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{axis 1 of [2, 3] and axis 0 of [4, 5]: dimensions 3 and 4 differ}}
  %0 = prim.dot %a, %b batch [] x [] contract [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @conv(%x: tensor<1x4x8xf32>, %w: tensor<6x3x3xf32>) {
  // expected-error @+1 {{channels of x [1, 4, 8] and w [6, 3, 3] in 2 groups: dimensions 4 and 6 differ}}
  %0 = prim.conv %x, %w strides [1] lo <0> hi <0> dilation [1] x [1] groups 2 : (tensor<1x4x8xf32>, tensor<6x3x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @fft(%x: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'f32' [8], expected floats of shape [.., n, 2]}}
  %0 = prim.fft %x : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @rng_bits(%seed: tensor<2xi32>) {
  // expected-error @+1 {{seed has element type 'i32', expected 'ui32'}}
  %0 = prim.rng_bits %seed site 0 : tensor<2xi32> -> tensor<4xui32>
  return
}

// -----

func.func @nonzero(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{indices has shape [6, 2], expected [2, 6]}}
  %0:2 = prim.nonzero %x : (tensor<2x3xi1>) -> (tensor<6x2xi64>, tensor<i64>)
  return
}

// -----

func.func @if_yields(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'else' body yields ('tensor<i1>'), expected ('tensor<4xf32>')}}
  %0 = "prim.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    prim.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    %false = prim.constant dense<false> : tensor<i1>
    prim.yield %false : tensor<i1>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @while_yields(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{body yields ('tensor<4xf32>'), expected ('tensor<i1>', 'tensor<4xf32>')}}
  %0 = "prim.while"(%c, %x) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    prim.yield %a : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @region_takes(%x: tensor<4xf32>) {
  // expected-error @+1 {{body takes (), expected ('tensor<4xf32>')}}
  %0 = "prim.region"(%x) <{kind = "pointwise"}> ({
    %1 = prim.constant dense<1.0> : tensor<4xf32>
    prim.yield %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @large() {
  // expected-error @+1 {{holds 1032 bytes, expected at most 1024 (larger constants are weights)}}
  %0 = prim.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128]> : tensor<129xi64>
  return
}
