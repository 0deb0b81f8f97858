//===- TensorSmall.cpp - small floats and packed elements -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f4E2M1 and f8E8M0 exist as bits only, so their conversions are formulas on integers. Elements
// below a byte are packed in files and at a model's inputs and outputs; packing is a formula too,
// of which each result element is a whole byte: threads never share one.
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;

static Type unsignedType(TensorContext &context, unsigned width) {
  return context.builder.getIntegerType(width, /*isSigned=*/false);
}

/// An unsigned constant like `like`.
static Tensor bits(Tensor like, int64_t value) {
  return like ? fullInt(like.ctx(), {}, value, like.dtype()) : like;
}

/// f16, bf16 and fp8 hold their values exactly in f32, small integers too.
static Tensor widened(Tensor x) {
  bool keeps = x.dtype().isF64() || x.dtype().isF32();
  bool isLarge = x.isInteger() && prim::bitWidth(x.dtype()) > 16;
  Type f64 = x.ctx().builder.getF64Type(), f32 = x.ctx().builder.getF32Type();
  return keeps ? x : convert(x, isLarge ? f64 : f32);
}

//===----------------------------------------------------------------------===//
// f4E2M1: s ee m, value = 1.m * 2^(ee - 1), and 0.m for ee = 0
//===----------------------------------------------------------------------===//

/// The exponent and mantissa in their places of an f32, times the difference of the biases.
static Tensor fromF4E2M1(Tensor x) {
  TensorContext &context = x.ctx();
  Type f32 = context.builder.getF32Type();
  Tensor code = convert(bitcast(x, unsignedType(context, 4)), unsignedType(context, 32));
  Tensor magnitude = bitcast(shiftLeft(code & bits(code, 7), bits(code, 22)), f32);
  magnitude = magnitude * 0x1p126;
  return select(equal(code & bits(code, 8), bits(code, 0)), magnitude, -magnitude);
}

/// Counts the midpoints below |x|; those whose upper neighbour is even belong to it. Beyond 6: 6.
/// NaN: 0.
static Tensor toF4E2M1(Tensor x) {
  x = widened(x);
  TensorContext &context = x.ctx();
  Type u8 = unsignedType(context, 8), u4 = unsignedType(context, 4);
  Tensor magnitude = abs(x), code;
  for (double midpoint : {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0}) {
    bool upperIsEven = midpoint == 0.75 || midpoint == 1.75 || midpoint == 3.5;
    Tensor isAbove = convert(upperIsEven ? magnitude >= midpoint : magnitude > midpoint, u8);
    code = code ? code + isAbove : isAbove;
  }
  unsigned width = prim::bitWidth(x.dtype());
  Tensor pattern = bitcast(x, unsignedType(context, width));
  Tensor sign = convert(shiftRightLogical(pattern, bits(pattern, width - 1)), u8);
  Tensor all = code | shiftLeft(sign, bits(sign, 3));
  return bitcast(convert(all, u4), prim::F4E2M1Type::get(context.builder.getContext()));
}

//===----------------------------------------------------------------------===//
// f8E8M0: 2^(code - 127), 255 is NaN
//===----------------------------------------------------------------------===//

/// The code is an f32's exponent; that of 2^-127 is a denormal.
static Tensor fromF8E8M0(Tensor x) {
  TensorContext &context = x.ctx();
  Tensor code = convert(bitcast(x, unsignedType(context, 8)), unsignedType(context, 32));
  Tensor pattern = shiftLeft(code, bits(code, 23));
  pattern = select(equal(code, bits(code, 0)), bits(code, 0x00400000), pattern);
  pattern = select(equal(code, bits(code, 255)), bits(code, 0x7FC00000), pattern);
  return bitcast(pattern, context.builder.getF32Type());
}

Tensor dynac::toF8E8M0(Tensor x, ScaleRounding rounding, bool saturate) {
  if (!x)
    return x;
  TensorContext &context = x.ctx();
  x = convert(x, context.builder.getF32Type());
  Tensor pattern = bitcast(x, unsignedType(context, 32));
  auto above = [&](Tensor bits_, int64_t limit) {
    return convert(bits_ > bits(bits_, limit), pattern.dtype());
  };
  Tensor magnitude = pattern & bits(pattern, 0x7FFFFFFF);
  Tensor fraction = pattern & bits(pattern, 0x007FFFFF);
  Tensor code = shiftRightLogical(magnitude, bits(pattern, 23));
  // Half-way goes up. Among denormals the powers are 2^-127 (0x400000) and what is next, 2^-126.
  if (rounding != ScaleRounding::Down) {
    bool isUp = rounding == ScaleRounding::Up;
    Tensor normal = above(fraction, isUp ? 0 : 0x3FFFFF);
    Tensor denormal = above(fraction, isUp ? 0x400000 : 0x5FFFFF);
    code = code + select(equal(code, bits(code, 0)), denormal, normal);
  }
  Tensor nan = bits(code, 255);
  if (saturate)
    code = minimum(code, bits(code, 254));
  else
    code = select(magnitude < bits(magnitude, 0x00400000), nan, minimum(code, nan));
  code = select(isNan(x) | (x < 0.0), nan, code);
  return bitcast(convert(code, unsignedType(context, 8)),
                 prim::F8E8M0Type::get(context.builder.getContext()));
}

Tensor dynac::convertSmallFloat(Tensor x, Type dtype, bool saturate) {
  if (isa<prim::F4E2M1Type>(x.dtype()))
    x = fromF4E2M1(x);
  else if (isa<prim::F8E8M0Type>(x.dtype()))
    x = fromF8E8M0(x);
  if (isa<prim::F4E2M1Type>(dtype))
    return toF4E2M1(x);
  if (isa<prim::F8E8M0Type>(dtype))
    return toF8E8M0(x, ScaleRounding::Up, true);
  return convert(x, dtype, saturate);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Element i stands in the bits i % perByte * width of byte i / perByte.
Tensor dynac::packElements(Tensor x) {
  if (!x)
    return x;
  TensorContext &context = x.ctx();
  const int64_t width = prim::bitWidth(x.dtype()), perByte = 8 / width;
  Type u8 = unsignedType(context, 8);
  Tensor codes = convert(bitcast(x, unsignedType(context, width)), u8);
  SymExpr count = codes.size(), bytes = count.ceilDiv(perByte);
  codes = reshape(codes, {count});
  codes = pad(codes, bits(codes, 0), SymExpr(0), bytes * SymExpr(perByte) - count);
  codes = reshape(codes, {bytes, SymExpr(perByte)});
  Tensor result;
  for (int64_t i = 0; i < perByte; ++i) {
    Tensor part = reshape(sliceAxis(codes, 1, SymExpr(i), SymExpr(i + 1)), {bytes});
    part = shiftLeft(part, bits(part, i * width));
    result = result ? result | part : part;
  }
  return result;
}

Tensor dynac::unpackElements(Tensor bytes, Dims shape, Type dtype) {
  if (!bytes)
    return bytes;
  TensorContext &context = bytes.ctx();
  const int64_t width = prim::bitWidth(dtype), perByte = 8 / width;
  SymExpr count = prim::elementCount(shape);
  Shape pairs{bytes.dim(0), SymExpr(perByte)};
  Tensor places = iota(context, pairs, 1, bytes.dtype()) * double(width);
  Tensor codes = shiftRightLogical(broadcastInDim(bytes, pairs, 0), places);
  codes = reshape(codes, {bytes.dim(0) * SymExpr(perByte)});
  codes = reshape(sliceAxis(codes, 0, SymExpr(0), count), shape);
  return bitcast(convert(codes, unsignedType(context, width)), dtype);
}

Type dynac::packedType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  const int64_t perByte = 8 / int64_t(prim::bitWidth(type.getElementType()));
  SymExpr bytes = prim::elementCount(prim::shapeOf(type)).ceilDiv(perByte);
  return prim::tensorType({bytes}, IntegerType::get(type.getContext(), 8, IntegerType::Unsigned));
}
