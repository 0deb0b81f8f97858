//===- MathTrigonometric.cpp - circular and hyperbolic functions ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "dynac/Target/CPU/MathExpansion.h"

#include <cmath>

using namespace mlir;
using namespace dynac::cpu;

static constexpr double pi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// sin, cos, tan
//===----------------------------------------------------------------------===//

namespace {

/// x = quadrant * pi/2 + r; sine and cosine of r, |r| <= pi/4.
struct Circular {
  Value quadrant, sine, cosine;
};

} // namespace

/// The reduction is in f64: exact enough for |x| < 2^30 (2^13 without fma). Beyond, the result is
/// some number in [-1, 1].
static Circular reduceByHalfPi(MathBuilder &m, Value x) {
  Value wide = m.toF64(x), magic = m.f64(6755399441055744.0);
  Value shifted = m.fma(wide, m.f64(2 / pi), magic);
  Value n = m.sub(shifted, magic);
  Value r64 = m.fma(n, m.f64(-1.57079632679489655800), wide);
  r64 = m.fma(n, m.f64(-6.12323399573676603587e-17), r64);
  Value r = m.toF32(r64), z = m.mul(r, r);
  Value sine =
      m.polynomial(z, {-1.666666716e-01, 8.333329111e-03, -1.983933034e-04, 2.718274345e-06});
  Value cosine =
      m.polynomial(z, {4.166666791e-02, -1.388888340e-03, 2.479951581e-05, -2.720987879e-07});
  Circular result;
  result.quadrant = m.toI32(m.bits(shifted));
  result.sine = m.fma(m.mul(z, r), sine, r);
  result.cosine = m.fma(m.mul(z, z), cosine, m.fma(z, m.f32(-0.5), m.f32(1)));
  return result;
}

/// Of (sine, cosine) the one that `quadrant` asks for, with its sign.
static Value inQuadrant(MathBuilder &m, const Circular &at, Value quadrant) {
  Value isOdd = m.equalI(m.andI(quadrant, m.i32(1)), m.i32(1));
  Value value = m.select(isOdd, at.cosine, at.sine);
  return m.fromBits(m.xorI(m.bits(value), m.shl(m.andI(quadrant, m.i32(2)), m.i32(30))));
}

/// At most 2 ulp for |x| < 2^30.
Value dynac::cpu::emitSin(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Circular at = reduceByHalfPi(m, x);
  // -0 stays -0, which a sum does not keep.
  return m.select(m.equal(x, m.f32(0)), x, inQuadrant(m, at, at.quadrant));
}

/// At most 2 ulp for |x| < 2^30.
Value dynac::cpu::emitCos(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Circular at = reduceByHalfPi(m, x);
  return inQuadrant(m, at, m.addI(at.quadrant, m.i32(1)));
}

/// At most 4 ulp for |x| < 2^30.
Value dynac::cpu::emitTan(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Circular at = reduceByHalfPi(m, x);
  Value isOdd = m.equalI(m.andI(at.quadrant, m.i32(1)), m.i32(1));
  Value quotient =
      m.div(m.select(isOdd, m.neg(at.cosine), at.sine), m.select(isOdd, at.sine, at.cosine));
  return m.select(m.equal(x, m.f32(0)), x, quotient);
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// atan of 0 <= x <= 1.
static Value atanOfFraction(MathBuilder &m, Value x) {
  Value z = m.mul(x, x);
  Value p = m.polynomial(z, {-3.333332837e-01, 1.999967098e-01, -1.427983195e-01, 1.105821952e-01,
                             -8.811075985e-02, 6.741562486e-02, -4.468945414e-02, 2.253944986e-02,
                             -7.317760494e-03, 1.113749458e-03});
  return m.fma(m.mul(z, x), p, x);
}

/// atan(x) = pi/2 - atan(1/x) for x > 1. At most 2 ulp.
Value dynac::cpu::emitAtan(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value magnitude = m.abs(x), isLarge = m.greater(magnitude, m.f32(1));
  Value angle = atanOfFraction(m, m.select(isLarge, m.div(m.f32(1), magnitude), magnitude));
  return m.copySign(m.select(isLarge, m.sub(m.f32(pi / 2), angle), angle), x);
}

/// The angle of (x, y), signed zeros and infinities as in C. At most 3 ulp.
Value dynac::cpu::emitAtan2(OpBuilder &b, Location loc, Value y, Value x) {
  MathBuilder m(b, loc, x);
  Value ax = m.abs(x), ay = m.abs(y), isSteep = m.greater(ay, ax);
  Value small = m.select(isSteep, ax, ay), large = m.select(isSteep, ay, ax);
  Value ratio = m.div(small, large);
  // 0/0 counts as 0, inf/inf as 1.
  ratio = m.select(m.equal(large, m.f32(0)), m.f32(0), ratio);
  ratio = m.select(m.equal(small, m.f32(std::numeric_limits<double>::infinity())), m.f32(1), ratio);
  Value angle = atanOfFraction(m, ratio);
  angle = m.select(isSteep, m.sub(m.f32(pi / 2), angle), angle);
  Value isLeft = m.less(m.copySign(m.f32(1), x), m.f32(0));
  angle = m.select(isLeft, m.sub(m.f32(pi), angle), angle);
  Value isNan = m.either(m.isNan(x), m.isNan(y));
  return m.select(isNan, m.f32(std::numeric_limits<double>::quiet_NaN()), m.copySign(angle, y));
}

namespace {

/// asin(s) = s + cube * factor, 0 <= s <= 1/2.
struct ArcSine {
  Value s, cube, factor;
};

} // namespace

/// For |x| <= 1/2 s = |x|, otherwise s = sqrt((1 - |x|) / 2), of half the angle from 1.
static ArcSine arcSineOf(MathBuilder &m, Value magnitude, Value isLarge) {
  Value z =
      m.select(isLarge, m.fma(magnitude, m.f32(-0.5), m.f32(0.5)), m.mul(magnitude, magnitude));
  Value s = m.select(isLarge, m.sqrt(z), magnitude);
  Value p = m.polynomial(z, {1.666665971e-01, 7.500512153e-02, 4.451547191e-02, 3.181981295e-02,
                             1.439382881e-02, 3.757812083e-02});
  return {s, m.mul(z, s), p};
}

/// asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)) for x > 1/2. At most 2 ulp.
Value dynac::cpu::emitAsin(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value magnitude = m.abs(x), isLarge = m.greater(magnitude, m.f32(0.5));
  ArcSine half = arcSineOf(m, magnitude, isLarge);
  // What f32 lacks of pi/2 is 0.7 ulp of the result: it goes to where bits are left.
  const double lacking = pi / 2 - double(float(pi / 2));
  Value start = m.select(isLarge, m.f32(-lacking / 2), half.s);
  Value sum = m.fma(half.cube, half.factor, start);
  Value angle = m.fma(m.add(half.s, sum), m.f32(-2), m.f32(pi / 2));
  return m.copySign(m.select(isLarge, angle, sum), x);
}

/// acos(x) = pi/2 - asin(x), for |x| > 1/2 2 asin(sqrt((1 - |x|) / 2)), from pi if x < 0. At most 2
/// ulp.
Value dynac::cpu::emitAcos(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value magnitude = m.abs(x), isLarge = m.greater(magnitude, m.f32(0.5));
  ArcSine half = arcSineOf(m, magnitude, isLarge);
  Value angle = m.fma(half.cube, half.factor, half.s);
  Value twice = m.add(angle, angle);
  Value outer = m.select(m.less(x, m.f32(0)), m.sub(m.f32(pi), twice), twice);
  return m.select(isLarge, outer, m.sub(m.f32(pi / 2), m.copySign(angle, x)));
}

//===----------------------------------------------------------------------===//
// erf and the hyperbolic functions
//===----------------------------------------------------------------------===//

/// x P(x^2) / Q(x^2), x clamped to where the function rounds to 1.
static Value oddRational(OpBuilder &b, Location loc, Value x, double limit, ArrayRef<double> p,
                         ArrayRef<double> q) {
  MathBuilder m(b, loc, x);
  Value clamped = m.clamp(x, -limit, limit), z = m.mul(clamped, clamped);
  Value result = m.div(m.mul(clamped, m.polynomial(z, p)), m.polynomial(z, q));
  return m.clamp(result, -1, 1);
}

/// At most 5 ulp.
Value dynac::cpu::emitErf(OpBuilder &b, Location loc, Value x) {
  return oddRational(
      b, loc, x, 3.92,
      {1.128379107e+00, 1.904055625e-01, 5.274860188e-02, 3.765577450e-03, 2.848817385e-04,
       2.050093144e-06},
      {1.0, 5.020752549e-01, 1.141087338e-01, 1.496913750e-02, 1.162525732e-03, 3.809172631e-05});
}

/// At most 5 ulp.
Value dynac::cpu::emitTanh(OpBuilder &b, Location loc, Value x) {
  return oddRational(
      b, loc, x, 9.02,
      {1.000000000e+00, 1.409921795e-01, 4.425961059e-03, 4.227403770e-05, 1.111777124e-07,
       3.674532900e-11},
      {1.0, 4.743255079e-01, 2.920113504e-02, 5.008364678e-04, 2.603881967e-06, 2.951235700e-09});
}

/// sinh(x) = (e + e / (e + 1)) / 2 with e = exp(x) - 1, for large x exp(x/2)^2 / 2. At most 5 ulp.
Value dynac::cpu::emitSinh(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value magnitude = m.abs(x), e = emitExpm1(b, loc, magnitude);
  Value small = m.mul(m.f32(0.5), m.add(e, m.div(e, m.add(e, m.f32(1)))));
  Value root = emitExp(b, loc, m.mul(magnitude, m.f32(0.5)));
  Value large = m.mul(m.mul(root, m.f32(0.5)), root);
  return m.copySign(m.select(m.greater(magnitude, m.f32(20)), large, small), x);
}

/// cosh(x) = (exp(x) + exp(-x)) / 2 from h = exp(|x|/2): h^2/2 + 1/(2 h^2). At most 5 ulp.
Value dynac::cpu::emitCosh(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  Value root = emitExp(b, loc, m.mul(m.abs(x), m.f32(0.5)));
  Value half = m.mul(m.mul(root, m.f32(0.5)), root);
  return m.add(half, m.div(m.f32(0.25), half));
}
