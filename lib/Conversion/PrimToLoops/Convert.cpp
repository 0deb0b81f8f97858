//===- Convert.cpp - values from one element type to another --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Conversion/PrimToLoops.h"

#include <cmath>

using namespace mlir;
using namespace dynac;

namespace {

struct Converter {
  OpBuilder &b;
  Location loc;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return b.create<Op>(loc, std::forward<Args>(args)...);
  }
  /// `element`, or a vector of it where `like` is a vector.
  Type typeLike(Type element, Value like) {
    auto vector = dyn_cast<VectorType>(like.getType());
    return vector ? Type(vector.cloneWith(std::nullopt, element)) : element;
  }
  Value splat(TypedAttr attr, Value like) {
    if (auto vector = dyn_cast<VectorType>(like.getType()))
      attr = DenseElementsAttr::get(cast<VectorType>(typeLike(attr.getType(), like)),
                                    ArrayRef<Attribute>(attr));
    return make<arith::ConstantOp>(attr);
  }
  Value number(Type element, double value, Value like) {
    return splat(b.getFloatAttr(element, value), like);
  }
  Value integer(Type element, int64_t value, Value like) {
    return splat(b.getIntegerAttr(element, value), like);
  }
  Value select(Value condition, Value x, Value y) { return make<arith::SelectOp>(condition, x, y); }

  Value floatToFloat(Value x, FloatType from, FloatType to, bool saturate);
  Value floatToInt(Value x, FloatType from, Type to);
  Value intToInt(Value x, Type from, Type to);
  Value fromFp8(Value x, FloatType from);
  Value toFp8(Value x, FloatType to, bool saturate);
  Value fromBf16(Value x);
  Value toBf16(Value x);
  Value roundToOdd(Value x);
};

bool isUnsignedType(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

/// An fp8 format: value = 1.mantissa * 2^(exponent - bias).
struct Fp8Format {
  int mantissaBits, bias;
  int maxFinite;  ///< code of the largest finite number
  int nan;        ///< code
  int infinity;   ///< code, or -1
  bool signedNan; ///< 0x80 is the only NaN and there is no -0
};

Fp8Format formatOf(FloatType type) {
  if (isa<Float8E4M3FNType>(type))
    return {3, 7, 0x7E, 0x7F, -1, false};
  if (isa<Float8E5M2Type>(type))
    return {2, 15, 0x7B, 0x7E, 0x7C, false};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, 8, 0x7F, 0x80, -1, true};
  return {2, 16, 0x7F, 0x80, -1, true}; // Float8E5M2FNUZ
}

} // namespace

//===----------------------------------------------------------------------===//
// fp8
//===----------------------------------------------------------------------===//

/// The code's exponent and mantissa are moved to their places in an f32, whose exponent is then off
/// by the difference of the biases: one exact multiplication.
Value Converter::fromFp8(Value x, FloatType from) {
  const Fp8Format format = formatOf(from);
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto constant = [&](int64_t value) { return integer(i32, value, x); };
  Value code = make<arith::ExtUIOp>(typeLike(i32, x), x);
  Value magnitude = make<arith::AndIOp>(code, constant(0x7F));
  Value bits = make<arith::ShLIOp>(magnitude, constant(23 - format.mantissaBits));
  Value value = make<arith::MulFOp>(make<arith::BitcastOp>(typeLike(f32, x), bits),
                                    number(f32, std::ldexp(1.0, 127 - format.bias), x));
  using P = arith::CmpIPredicate;
  if (format.infinity >= 0)
    value = select(make<arith::CmpIOp>(P::eq, magnitude, constant(format.infinity)),
                   number(f32, std::numeric_limits<double>::infinity(), x), value);
  Value isNan = format.signedNan ? make<arith::CmpIOp>(P::eq, code, constant(format.nan))
                : format.infinity >= 0
                    ? make<arith::CmpIOp>(P::ugt, magnitude, constant(format.infinity))
                    : make<arith::CmpIOp>(P::eq, magnitude, constant(format.nan));
  value = select(isNan, number(f32, std::numeric_limits<double>::quiet_NaN(), x), value);
  Value sign = make<arith::ShLIOp>(make<arith::AndIOp>(code, constant(0x80)), constant(24));
  Value signedBits = make<arith::OrIOp>(make<arith::BitcastOp>(typeLike(i32, x), value), sign);
  return make<arith::BitcastOp>(typeLike(f32, x), signedBits);
}

/// Rounds to nearest even: normal numbers in integer arithmetic, numbers below by adding a power of
/// two whose last place is the smallest step of the format.
Value Converter::toFp8(Value x, FloatType to, bool saturate) {
  const Fp8Format format = formatOf(to);
  using P = arith::CmpIPredicate;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto constant = [&](int64_t value) { return integer(i32, value, x); };
  Value bits = make<arith::BitcastOp>(typeLike(i32, x), x);
  Value magnitude = make<arith::AndIOp>(bits, constant(0x7FFFFFFF));
  Value sign = make<arith::AndIOp>(make<arith::ShRUIOp>(bits, constant(24)), constant(0x80));
  Value absolute = make<arith::BitcastOp>(typeLike(f32, x), magnitude);

  const int shift = 23 - format.mantissaBits;
  Value odd = make<arith::AndIOp>(make<arith::ShRUIOp>(magnitude, constant(shift)), constant(1));
  Value rounded =
      make<arith::AddIOp>(make<arith::AddIOp>(magnitude, constant((1 << (shift - 1)) - 1)), odd);
  Value normal = make<arith::SubIOp>(make<arith::ShRUIOp>(rounded, constant(shift)),
                                     constant((127 - format.bias) << format.mantissaBits));
  const double magic = std::ldexp(1.0, 1 - format.bias + 23 - format.mantissaBits);
  Value sum = make<arith::AddFOp>(absolute, number(f32, magic, x));
  Value small =
      make<arith::SubIOp>(make<arith::BitcastOp>(typeLike(i32, x), sum),
                          make<arith::BitcastOp>(typeLike(i32, x), number(f32, magic, x)));
  const int minNormal = (127 + 1 - format.bias) << 23;
  Value code = select(make<arith::CmpIOp>(P::ult, magnitude, constant(minNormal)), small, normal);

  const int overflow = saturate               ? format.maxFinite
                       : format.infinity >= 0 ? format.infinity
                                              : format.nan;
  Value tooLarge = make<arith::CmpIOp>(P::sgt, code, constant(format.maxFinite));
  code = select(tooLarge, constant(overflow), code);
  Value isNan = make<arith::CmpIOp>(P::ugt, magnitude, constant(0x7F800000));
  code = select(isNan, constant(format.nan), code);
  Value withSign = make<arith::OrIOp>(code, sign);
  if (format.signedNan) // no -0
    withSign = select(make<arith::CmpIOp>(P::eq, code, constant(0)), code, withSign);
  return make<arith::TruncIOp>(typeLike(b.getI8Type(), x), withSign);
}

//===----------------------------------------------------------------------===//
// bf16: the upper half of an f32. In integer arithmetic, as few CPUs have an instruction and it
// flushes denormals.
//===----------------------------------------------------------------------===//

Value Converter::fromBf16(Value x) {
  Type i32 = b.getI32Type();
  Value wide = make<arith::ExtUIOp>(typeLike(i32, x), x);
  Value shifted = make<arith::ShLIOp>(wide, integer(i32, 16, x));
  return make<arith::BitcastOp>(typeLike(b.getF32Type(), x), shifted);
}

/// To nearest even: adds half of the last place, less one if that is even. NaN becomes the quiet
/// one.
Value Converter::toBf16(Value x) {
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) { return integer(i32, value, x); };
  Value bits = make<arith::BitcastOp>(typeLike(i32, x), x);
  Value odd = make<arith::AndIOp>(make<arith::ShRUIOp>(bits, constant(16)), constant(1));
  Value rounded = make<arith::AddIOp>(make<arith::AddIOp>(bits, constant(0x7FFF)), odd);
  Value isNan = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  Value upper = make<arith::ShRUIOp>(select(isNan, constant(0x7FC00000), rounded), constant(16));
  return make<arith::TruncIOp>(typeLike(b.getI16Type(), x), upper);
}

/// From f64 to an f32 whose last bit is set if anything was cut off: rounding that again to a
/// shorter format gives what rounding once would have given.
Value Converter::roundToOdd(Value x) {
  Type i32 = typeLike(b.getI32Type(), x), f32 = typeLike(b.getF32Type(), x);
  Value near = make<arith::TruncFOp>(f32, x), back = make<arith::ExtFOp>(x.getType(), near);
  Value bits = make<arith::BitcastOp>(i32, near), one = integer(b.getI32Type(), 1, x);
  Value isBeyond = make<arith::CmpFOp>(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back),
                                       make<math::AbsFOp>(x));
  Value towardsZero = select(isBeyond, make<arith::SubIOp>(bits, one), bits);
  Value isInexact = make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, x);
  Value sticky = select(isInexact, make<arith::OrIOp>(towardsZero, one), bits);
  return make<arith::BitcastOp>(f32, sticky);
}

//===----------------------------------------------------------------------===//
// Floats and integers
//===----------------------------------------------------------------------===//

Value Converter::floatToFloat(Value x, FloatType from, FloatType to, bool saturate) {
  if (from == to)
    return x;
  const unsigned fromWidth = from.getWidth(), toWidth = to.getWidth();
  FloatType f32 = b.getF32Type();
  if (fromWidth == 8)
    return floatToFloat(fromFp8(x, from), f32, to, saturate);
  if (from.isF64() && toWidth < 32)
    return floatToFloat(roundToOdd(x), f32, to, saturate);
  if (from.isBF16())
    return floatToFloat(fromBf16(x), f32, to, false);
  // In one step it is a library function where F16C is missing.
  if (from.isF16() && to.isF64())
    return floatToFloat(floatToFloat(x, from, f32, false), f32, to, false);
  if (toWidth == 8)
    return toFp8(floatToFloat(x, from, f32, false), to, saturate);
  if (to.isBF16())
    return toBf16(floatToFloat(x, from, f32, false));
  Type type = typeLike(to, x);
  return toWidth > fromWidth ? make<arith::ExtFOp>(type, x) : make<arith::TruncFOp>(type, x);
}

/// Truncates. The result wraps from 64 bits; what does not fit there, and NaN, gives 0, and so does
/// what does not fit into less than 8 bits. Up to 32
/// bits the wrapping is done on the float (all steps are exact), because a conversion to 64 bits is
/// no vector instruction below AVX-512.
Value Converter::floatToInt(Value x, FloatType from, Type to) {
  using P = arith::CmpFPredicate;
  const unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1)
    return make<arith::CmpFOp>(P::UNE, x, number(from, 0, x));
  Value whole = make<math::TruncOp>(x);
  const bool isUnsigned = isUnsignedType(to);
  const double lowest = width >= 8   ? -std::ldexp(1.0, 63)
                        : isUnsigned ? 0
                                     : -std::ldexp(1.0, width - 1);
  const double limit = width < 8                   ? std::ldexp(1.0, isUnsigned ? width : width - 1)
                       : isUnsigned && width == 64 ? std::ldexp(1.0, 64)
                                                   : std::ldexp(1.0, 63);
  Value isIn = make<arith::AndIOp>(make<arith::CmpFOp>(P::OGE, whole, number(from, lowest, x)),
                                   make<arith::CmpFOp>(P::OLT, whole, number(from, limit, x)));
  Value safe = select(isIn, whole, number(from, 0, x));
  Type i32 = typeLike(b.getI32Type(), x), i64 = typeLike(b.getI64Type(), x);
  if (width == 64) {
    if (!isUnsignedType(to))
      return make<arith::FPToSIOp>(i64, safe);
    Value isLarge = make<arith::CmpFOp>(P::OGE, safe, number(from, std::ldexp(1.0, 63), x));
    Value low = make<arith::FPToSIOp>(i64, select(isLarge, number(from, 0, x), safe));
    Value high = make<arith::FPToUIOp>(i64, select(isLarge, safe, number(from, 0, x)));
    return select(isLarge, high, low);
  }
  // Into [-2^31, 2^31) by subtracting a multiple of 2^32, the nearest: so small numbers are not
  // touched.
  Value turns =
      make<math::RoundEvenOp>(make<arith::MulFOp>(safe, number(from, std::ldexp(1.0, -32), x)));
  Value rest =
      make<arith::SubFOp>(safe, make<arith::MulFOp>(turns, number(from, std::ldexp(1.0, 32), x)));
  Value isUpper = make<arith::CmpFOp>(P::OGE, rest, number(from, std::ldexp(1.0, 31), x));
  Value wrapped = make<arith::SubFOp>(rest, number(from, std::ldexp(1.0, 32), x));
  Value result = make<arith::FPToSIOp>(i32, select(isUpper, wrapped, rest));
  return width == 32 ? result : make<arith::TruncIOp>(typeLike(scalarType(to), x), result);
}

Value Converter::intToInt(Value x, Type from, Type to) {
  const unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  Type type = typeLike(scalarType(to), x);
  if (fromWidth == toWidth)
    return x;
  if (toWidth == 1)
    return make<arith::CmpIOp>(arith::CmpIPredicate::ne, x, integer(scalarType(from), 0, x));
  if (toWidth < fromWidth)
    return make<arith::TruncIOp>(type, x);
  return isUnsignedType(from) ? make<arith::ExtUIOp>(type, x) : make<arith::ExtSIOp>(type, x);
}

Value dynac::emitConvert(OpBuilder &b, Location loc, Value x, Type from, Type to, bool saturate) {
  Converter c{b, loc};
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return c.floatToFloat(x, fromFloat, toFloat, saturate);
  FloatType f32 = b.getF32Type();
  if (fromFloat) {
    if (fromFloat.getWidth() < 32)
      return c.floatToInt(c.floatToFloat(x, fromFloat, f32, false), f32, to);
    return c.floatToInt(x, fromFloat, to);
  }
  if (!toFloat)
    return c.intToInt(x, from, to);
  // Exact before the one rounding, except for 64-bit integers.
  FloatType wide = toFloat;
  if (toFloat.getWidth() < 32)
    wide = from.getIntOrFloatBitWidth() < 32 ? f32 : FloatType(b.getF64Type());
  Type type = c.typeLike(wide, x);
  Value value =
      isUnsignedType(from) ? c.make<arith::UIToFPOp>(type, x) : c.make<arith::SIToFPOp>(type, x);
  return c.floatToFloat(value, wide, toFloat, saturate);
}
