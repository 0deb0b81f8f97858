//===- MathExponential.cpp - exp, log, pow and their kin ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials are minimax fits of this project (weighted least squares with Lawson's iteration).
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "dynac/Target/CPU/MathExpansion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace dynac::cpu;

static constexpr double inf = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double ln2 = 0.693147180559945309417;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

namespace {

/// x = n ln 2 + r, |r| <= ln 2 / 2. Rounds by adding 1.5 * 2^23: unlike a conversion, this is
/// defined for NaN.
struct Reduced {
  Value n, integer, r;
};

} // namespace

static Reduced reduceByLn2(MathBuilder &m, Value x) {
  Value magic = m.f32(12582912.0);
  Value shifted = m.fma(x, m.f32(1 / ln2), magic);
  Reduced result;
  result.n = m.sub(shifted, magic);
  result.integer = m.subI(m.bits(shifted), m.bits(magic));
  // Cody and Waite: n times the first constant is exact for |n| < 2^9.
  result.r = m.fma(result.n, m.f32(-0.693145751953125), x);
  result.r = m.fma(result.n, m.f32(-1.42860682030941723212e-6), result.r);
  return result;
}

/// x * 2^n for |n| <= 252, rounded once, also where the result is denormal.
static Value scale(MathBuilder &m, Value x, Value n) {
  Value half = m.shr(n, m.i32(1));
  return m.mul(m.mul(x, m.powerOfTwo(half)), m.powerOfTwo(m.subI(n, half)));
}

/// 1 + r + r^2 q(r).
static Value expOfReduced(MathBuilder &m, Value r) {
  Value q = m.polynomial(
      r, {5.000000000e-01, 1.666651815e-01, 4.166620597e-02, 8.368918672e-03, 1.395053579e-03});
  return m.add(m.fma(m.mul(r, r), q, r), m.f32(1));
}

/// Where the result is 0, as for all that a mask excludes, nothing denormal is computed on the way:
/// that takes Intel's CPUs a hundred cycles.
static Value clampExp(MathBuilder &m, Value x, Value isZero) {
  x = m.select(isZero, m.f32(0), x);
  return m.select(m.greater(x, m.f32(89.5)), m.f32(89.5), x);
}

/// exp(x) = 2^n (1 + r + r^2 q(r)). At most 1 ulp.
Value dynac::cpu::emitExp(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value isZero = m.less(x, m.f32(-104));
  Reduced at = reduceByLn2(m, clampExp(m, x, isZero));
  return m.select(isZero, m.f32(0), scale(m, expOfReduced(m, at.r), at.integer));
}

/// p * 2^n for |n| < 2^31 and vectors of 16.
static Value scaleAvx512(OpBuilder &b, Location loc, Value p, Value n) {
  Value all = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(b.getI16Type(), -1));
  Value current = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(b.getI32Type(), 4)); // rounding
  return b
      .create<LLVM::CallIntrinsicOp>(loc, p.getType(),
                                     b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
                                     ValueRange{p, n, p, all, current})
      .getResult(0);
}

Value dynac::cpu::emitExpAvx512(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value isZero = m.less(x, m.f32(-104));
  Reduced at = reduceByLn2(m, clampExp(m, x, isZero));
  Value scaled = scaleAvx512(b, loc, expOfReduced(m, at.r), at.n);
  return m.select(isZero, m.f32(0), scaled);
}

/// 2^x = 2^n (1 + r q(r)). At most 1 ulp.
Value dynac::cpu::emitExp2(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  x = m.clamp(x, -151, 129);
  Value magic = m.f32(12582912.0), shifted = m.add(x, magic);
  Value r = m.sub(x, m.sub(shifted, magic));
  Value q = m.polynomial(r, {6.931471825e-01, 2.402265072e-01, 5.550327525e-02, 9.618008509e-03,
                             1.340039191e-03, 1.547518186e-04});
  return scale(m, m.fma(r, q, m.f32(1)), m.subI(m.bits(shifted), m.bits(magic)));
}

/// exp(x) - 1 = 2 (2^(n-1) (e + 1) - 1/2) with e = exp(r) - 1. At most 2 ulp.
Value dynac::cpu::emitExpm1(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value clamped = m.clamp(x, -25, 89);
  Reduced at = reduceByLn2(m, clamped);
  Value q = m.polynomial(at.r, {5.000000000e-01, 1.666666716e-01, 4.166635498e-02, 8.333276026e-03,
                                1.394108636e-03, 1.991276222e-04});
  Value e = m.fma(m.mul(at.r, at.r), q, at.r);
  Value power = m.powerOfTwo(m.subI(at.integer, m.i32(1)));
  Value half = m.fma(power, e, m.sub(power, m.f32(0.5)));
  return m.copySign(m.add(half, half), x); // keeps -0
}

namespace {

/// exp(-x) = 2^n p, as logistic(x) = 1 / (1 + exp(-x)) needs it: below -88.9 exp(-x) is infinite,
/// and above 87 it vanishes beside 1. Between, unlike exp alone, nothing denormal comes up.
struct NegativeExp {
  Value integer, p;
};

} // namespace

static NegativeExp expOfNegative(MathBuilder &m, Value x) {
  x = m.clamp(x, -88.9, 87);
  Value magic = m.f32(12582912.0), shifted = m.fma(x, m.f32(-1 / ln2), magic);
  Value n = m.sub(shifted, magic);
  NegativeExp result;
  result.integer = m.subI(m.bits(shifted), m.bits(magic));
  // s = x + n ln 2, and p = exp(-s).
  Value s = m.fma(n, m.f32(0.693145751953125), x);
  s = m.fma(n, m.f32(1.42860682030941723212e-6), s);
  result.p = m.polynomial(s, {1, -1, 5.000000000e-01, -1.666651815e-01, 4.166620597e-02,
                              -8.368918672e-03, 1.395053579e-03});
  return result;
}

/// 1 / (1 + 2 (2^(n-1) p)): n is at most 128. At most 2.5 ulp.
Value dynac::cpu::emitLogistic(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  NegativeExp at = expOfNegative(m, x);
  Value half = m.mul(at.p, m.powerOfTwo(m.subI(at.integer, m.i32(1))));
  return m.div(m.f32(1), m.fma(half, m.f32(2), m.f32(1)));
}

/// The value of `entries` that the last four bits of each lane of `index` number.
static Value lookUp(OpBuilder &b, Location loc, ArrayRef<float> entries, Value index) {
  auto type = VectorType::get(16, b.getF32Type());
  Value table = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, entries));
  return b
      .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                     ValueRange{table, index})
      .getResult(0);
}

/// exp(-x) = 2^n exp(-s) with n a multiple of 1/16: the power of n's fraction comes from a table,
/// and s is so small that exp(-s) takes four terms. At most 2.5 ulp.
Value dynac::cpu::emitLogisticAvx512(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  x = m.clamp(x, -88.9, 87);
  // Rounds to sixteenths, whose number is in the last bits of the sum.
  Value magic = m.f32(786432.0), shifted = m.fma(x, m.f32(-1 / ln2), magic);
  Value n = m.sub(shifted, magic);
  Value s = m.fma(n, m.f32(0.693145751953125), x);
  s = m.fma(n, m.f32(1.42860682030941723212e-6), s);
  // 2^(i/16) = power (1 + error), as a table of f32 alone would cost half an ulp.
  SmallVector<float> powers, errors;
  for (int i = 0; i < 16; ++i) {
    const double exact = std::exp2(i / 16.);
    powers.push_back(float(exact));
    errors.push_back(float(exact / powers.back() - 1));
  }
  Value index = m.bits(shifted);
  Value power = lookUp(b, loc, powers, index), error = lookUp(b, loc, errors, index);
  Value lessOne = m.fma(m.polynomial(s, {-1, 0.5000162, -1.666666667e-01}), s, error);
  // The scaling takes the floor of n.
  Value exp = scaleAvx512(b, loc, m.fma(power, lessOne, power), n);
  return m.div(m.f32(1), m.add(exp, m.f32(1)));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {

/// x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)): log(1 + f) = f + tail.
struct Decomposed {
  Value e, f, tail;
};

} // namespace

static Decomposed decompose(MathBuilder &m, Value x) {
  // A denormal is scaled into the normal range first.
  Value isTiny = m.less(x, m.f32(1.17549435082228750797e-38));
  x = m.select(isTiny, m.mul(x, m.f32(8388608)), x);
  // Counted from the bits of sqrt(1/2), the exponent field is e.
  Value offset = m.i32(0x3f3504f3);
  Value distance = m.subI(m.bits(x), offset);
  Value e = m.shr(distance, m.i32(23));
  Value mantissa = m.addI(m.andI(distance, m.i32(0x007fffff)), offset);
  Decomposed result;
  result.e = m.sub(m.intToFloat(e), m.select(isTiny, m.f32(23), m.f32(0)));
  result.f = m.sub(m.fromBits(mantissa), m.f32(1));
  Value f2 = m.mul(result.f, result.f);
  Value p = m.polynomial(result.f, {3.333331347e-01, -2.500000894e-01, 2.000211924e-01,
                                    -1.666799486e-01, 1.421954930e-01, -1.240559444e-01,
                                    1.188819036e-01, -1.167562827e-01, 6.746551394e-02});
  result.tail = m.fma(m.mul(f2, result.f), p, m.mul(f2, m.f32(-0.5)));
  return result;
}

/// log(0) = -inf, log(x < 0) = NaN, log(inf) = inf, log(NaN) = NaN.
static Value atPoles(MathBuilder &m, Value x, Value result) {
  Value zero = m.f32(0), infinity = m.f32(inf);
  result = m.select(m.equal(x, zero), m.f32(-inf), result);
  result = m.select(m.less(x, zero), m.f32(notANumber), result);
  return m.select(m.either(m.equal(x, infinity), m.isNan(x)), x, result);
}

/// At most 1 ulp.
Value dynac::cpu::emitLog(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Decomposed at = decompose(m, x);
  Value low = m.fma(at.e, m.f32(-2.12194440054690582768e-4), at.tail);
  Value result = m.fma(at.e, m.f32(0.693359375), m.add(at.f, low));
  return atPoles(m, x, result);
}

/// e * unit + log(1 + f) * factor, where factor = head + rest and head has few bits. At most 2 ulp.
static Value logOfBase(OpBuilder &b, Location loc, Value x, double unitHead, double unitRest,
                       double factor) {
  MathBuilder m(b, loc, x);
  Decomposed at = decompose(m, x);
  // (f + tail) * factor with the rounding errors of sum and product kept.
  Value sum = m.add(at.f, at.tail), rest = m.sub(at.tail, m.sub(sum, at.f));
  const float head = factor;
  Value product = m.mul(sum, m.f32(head));
  Value low = m.fma(sum, m.f32(head), m.neg(product));
  low = m.fma(sum, m.f32(factor - head), low);
  low = m.fma(rest, m.f32(head), low);
  if (unitRest != 0)
    low = m.fma(at.e, m.f32(unitRest), low);
  Value whole = m.mul(at.e, m.f32(unitHead));
  // |whole| is 0 or larger than |product|.
  Value result = m.add(whole, product);
  low = m.add(low, m.sub(product, m.sub(result, whole)));
  return atPoles(m, x, m.add(result, low));
}

Value dynac::cpu::emitLog2(OpBuilder &b, Location loc, Value x) {
  return logOfBase(b, loc, x, 1, 0, 1.44269504088896340736);
}

Value dynac::cpu::emitLog10(OpBuilder &b, Location loc, Value x) {
  // The head has 12 bits, so that its product with e is exact.
  const double log10of2 = 0.301029995663981195214, head = 0.301025390625;
  return logOfBase(b, loc, x, head, log10of2 - head, 0.434294481903251827651);
}

/// log(u) + (x - (u - 1)) / u with u = 1 + x rounded. At most 2 ulp.
Value dynac::cpu::emitLog1p(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value one = m.f32(1), u = m.add(x, one);
  Value logU = emitLog(b, loc, u);
  // Of two summands the larger one comes first in the error of a sum: for x > 1, it is x.
  Value error = m.select(m.greater(x, one), m.sub(one, m.sub(u, x)), m.sub(x, m.sub(u, one)));
  Value isRegular = m.both(m.greater(u, m.f32(0)), m.less(u, m.f32(inf)));
  Value result = m.select(isRegular, m.add(logU, m.div(error, u)), logU);
  return m.copySign(result, x); // keeps -0
}

//===----------------------------------------------------------------------===//
// Power
//===----------------------------------------------------------------------===//

/// log2 of a positive f32 in f64, error below 1e-12: 2/ln 2 * artanh((v-1)/(v+1)) + e.
static Value log2InF64(MathBuilder &m, Value x) {
  Value offset = m.i64(0x3fe6a09e667f3bcd), distance = m.subI(m.bits(m.toF64(x)), offset);
  Value e = m.shr(distance, m.i64(52));
  Value v = m.fromBits(m.addI(m.andI(distance, m.i64(0x000fffffffffffff)), offset));
  Value s = m.div(m.sub(v, m.f64(1)), m.add(v, m.f64(1)));
  SmallVector<double> series;
  for (int i = 0; i < 8; ++i)
    series.push_back(2 / ln2 / (2 * i + 1));
  return m.fma(s, m.polynomial(m.mul(s, s), series), m.intToDouble(m.toI32(e)));
}

/// 2^t of an f64 with |t| < 1000, relative error below 1e-11.
static Value exp2InF64(MathBuilder &m, Value t) {
  Value magic = m.f64(6755399441055744.0), shifted = m.add(t, magic);
  Value r = m.sub(t, m.sub(shifted, magic));
  SmallVector<double> series;
  double term = 1;
  for (int i = 0; i < 11; term *= ln2 / ++i)
    series.push_back(term);
  Value n = m.subI(m.bits(shifted), m.bits(magic));
  return m.fromBits(m.addI(m.bits(m.polynomial(r, series)), m.shl(n, m.i64(52))));
}

/// |x|^y = 2^(y log2 |x|) in f64, then the cases of IEEE 754. At most 1 ulp.
Value dynac::cpu::emitPow(OpBuilder &b, Location loc, Value x, Value y) {
  MathBuilder m(b, loc, x);
  Value zero = m.f32(0), one = m.f32(1), infinity = m.f32(inf);
  Value magnitude = m.abs(x), isZero = m.equal(x, zero), isInfinite = m.equal(magnitude, infinity);
  // Where |x| is 0 or inf, log2 is taken as -+2000 (the product is cut below); a denormal is normal
  // in f64.
  Value logarithm = log2InF64(m, magnitude);
  logarithm = m.select(isZero, m.f64(-2000), m.select(isInfinite, m.f64(2000), logarithm));
  Value t = m.mul(m.toF64(y), logarithm);
  t = m.select(m.less(t, m.f64(-300)), m.f64(-300), t);
  t = m.select(m.greater(t, m.f64(300)), m.f64(300), t);
  Value result = m.toF32(exp2InF64(m, t));
  // 0 and inf give 0, 1 or inf exactly, however small y is.
  Value extreme = m.either(isZero, isInfinite);
  Value grows = m.either(m.both(isZero, m.less(y, zero)), m.both(isInfinite, m.greater(y, zero)));
  result = m.select(extreme, m.select(grows, infinity, zero), result);

  // A negative base: NaN unless y is an integer, with the sign of (-1)^y. Every |y| >= 2^24 is
  // even.
  Value magic = m.f32(12582912.0), ay = m.abs(y), isHuge = m.greater(ay, m.f32(8388607));
  Value rounded = m.sub(m.add(ay, magic), magic);
  Value isBig = m.greater(ay, m.f32(4194303));
  Value halfY = m.mul(ay, m.f32(0.5));
  Value halfRounded =
      m.select(isBig, b.create<math::TruncOp>(loc, halfY), m.sub(m.add(halfY, magic), magic));
  Value isInteger =
      m.either(isHuge, m.equal(m.select(isBig, b.create<math::TruncOp>(loc, ay), rounded), ay));
  Value isEven = m.equal(halfRounded, halfY);
  Value isNegative = m.less(m.copySign(one, x), zero);
  Value isOdd = m.both(isInteger, m.xorI(isEven, m.equal(y, y)));
  result = m.select(m.both(isNegative, isOdd), m.neg(result), result);
  Value isInvalid = m.both(m.both(m.less(x, zero), m.less(magnitude, infinity)),
                           m.both(m.xorI(isInteger, m.equal(y, y)), m.less(ay, infinity)));
  result = m.select(isInvalid, m.f32(notANumber), result);
  // (-1)^(+-inf) = 1; then x^0 = 1^y = 1 even for NaN.
  result = m.select(m.both(m.equal(magnitude, one), m.equal(ay, infinity)), one, result);
  Value isNan = m.either(m.isNan(x), m.isNan(y));
  result = m.select(isNan, m.f32(notANumber), result);
  return m.select(m.either(m.equal(y, zero), m.equal(x, one)), one, result);
}
