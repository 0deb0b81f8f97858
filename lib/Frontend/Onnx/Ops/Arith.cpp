//===- Arith.cpp - arithmetic on elements ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arith.h"

#include <cmath>
#include <limits>

using namespace dynac;
using namespace dynac::onnx;

std::pair<Tensor, Tensor> onnx::binaryOperands(Node &n) {
  Tensor a = n.in(0), b = n.in(1);
  if (n.opset() >= 7 || !a || !b)
    return {a, b};
  if (n.i("broadcast", 0) == 0)
    return {a, b};
  // Opset 1 and 6: b's axes are those of a from `axis` on; by default the last ones.
  int64_t axis = n.i("axis", a.rank() - b.rank());
  axis += axis < 0 ? a.rank() : 0;
  llvm::SmallVector<int64_t> trailing;
  for (int64_t i = axis + b.rank(); i < a.rank(); ++i)
    trailing.push_back(i - axis);
  return {a, trailing.empty() ? b : unsqueeze(b, trailing)};
}

static Tensor add(Tensor a, Tensor b) { return a + b; }
static Tensor sub(Tensor a, Tensor b) { return a - b; }
static Tensor mul(Tensor a, Tensor b) { return a * b; }
static Tensor div(Tensor a, Tensor b) { return a / b; } // Integers truncate.

// -x
static Tensor negate(Tensor x) { return -x; }

// 1 / x
static Tensor reciprocal(Tensor x) { return 1.0 / x; }

// x * 2^k by repeated squaring, exact for integers.
static Tensor integerPower(Tensor x, int64_t exponent) {
  if (exponent == 0)
    return fullLike(x, 1);
  Tensor result;
  for (Tensor square = x;;) {
    if (exponent & 1)
      result = result ? result * square : square;
    exponent >>= 1;
    if (exponent == 0)
      return result;
    square = square * square;
  }
}

// The same for exponents that are no constants, one bit at a time. Negative ones: 1 / x^-y,
// truncated.
static Tensor integerPower(Tensor x, Tensor y) {
  int64_t bits = y.dtype().getIntOrFloatBitWidth();
  Tensor one = fullLike(y, 1), result, square = x;
  for (int64_t bit = 0; bit < bits - 1; ++bit) {
    Tensor isSet = equal((bit == 0 ? y : shiftRightLogical(y, fullLike(y, bit))) & one, one);
    Tensor base = result ? result : fullLike(x, 1);
    result = select(isSet, base * square, base);
    square = square * square;
  }
  if (y.isUnsigned())
    return result;
  Tensor isOdd = equal(y & one, one);
  Tensor minusOne = select(isOdd, fullLike(x, -1), fullLike(x, 1));
  Tensor small = select(equal(x, fullLike(x, 1)), fullLike(x, 1), fullLike(x, 0));
  if (!x.isUnsigned())
    small = select(equal(x, fullLike(x, -1)), minusOne, small);
  return select(y < 0, small, result);
}

// x ^ y, in x's type. An integer base with a floating exponent goes through f64 (or f32 where that
// is exact).
static RowStatus powRow(Node &n) {
  auto [x, y] = binaryOperands(n);
  if (!x || !y)
    return RowStatus::Done;
  auto constant = n.floatsOf(1);
  bool isScalar = constant && constant->size() == 1;
  double exponent = isScalar ? constant->front() : 0;
  // A constant small whole exponent is a product. y has one element, but maybe more axes than x.
  if (isScalar && y.rank() <= x.rank() && exponent == std::floor(exponent) && exponent >= 0 &&
      exponent <= 4) {
    n.out(0, integerPower(x, int64_t(exponent)));
    return RowStatus::Done;
  }
  mlir::Type xType = x.dtype();
  mlir::Builder &builder = n.ctx().builder;
  if (x.isFloat()) {
    n.out(0, pow(x, convert(y, xType)));
    return RowStatus::Done;
  }
  if (isScalar && y.rank() <= x.rank() && !y.isFloat() && exponent > 0 && exponent <= 64) {
    n.out(0, integerPower(x, int64_t(exponent)));
    return RowStatus::Done;
  }
  if (!y.isFloat()) {
    n.out(0, integerPower(x, y));
    return RowStatus::Done;
  }
  Tensor result = pow(convert(x, builder.getF64Type()), convert(y, builder.getF64Type()));
  n.out(0, convert(result, xType));
  return RowStatus::Done;
}

// fmod = 1: remainder with the sign of x. fmod = 0: with the sign of y: r + (r != 0 && (r < 0) !=
// (y < 0) ? y : 0)
static RowStatus mod(Node &n) {
  Tensor x = n.in(0), y = n.in(1);
  if (!x || !y)
    return RowStatus::Done;
  int64_t fmod = n.i("fmod", 0);
  if (fmod == 0 && x.isFloat() && n.opset() < 28)
    return n.invalid("attribute 'fmod' must be 1 for floating types");
  Tensor r = rem(x, y);
  if (fmod == 0 && !x.isUnsigned()) {
    Tensor wrongSign = (r < 0) ^ (y < 0);
    Tensor inexact = ~equal(r, fullLike(r, 0));
    r = select(inexact & wrongSign, r + y, r);
  }
  n.out(0, r);
  return RowStatus::Done;
}

// f(...f(f(x0, x1), x2)..., xn) with broadcasting
template <Tensor (*F)(Tensor, Tensor)> static RowStatus variadic(Node &n) {
  Tensor result = n.in(0);
  for (int64_t i = 1; i < n.inputCount(); ++i)
    result = F(result, n.in(i));
  n.out(0, result);
  return RowStatus::Done;
}

// (x0 + ... + xn) / n
static RowStatus meanRow(Node &n) {
  Tensor total = n.in(0);
  for (int64_t i = 1; i < n.inputCount(); ++i)
    total = total + n.in(i);
  n.out(0, n.inputCount() > 1 ? total / double(n.inputCount()) : total);
  return RowStatus::Done;
}

// min(max(x, lo), hi): hi wins where lo > hi
static RowStatus clip(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (n.opset() < 11) {
    // The defaults are f32's extremes, which is no bound at all.
    if (n.has("min"))
      x = maximum(x, n.f("min", 0));
    if (n.has("max"))
      x = minimum(x, n.f("max", 0));
    n.out(0, x);
    return RowStatus::Done;
  }
  auto bound = [&](int64_t i) {
    Tensor value = n.in(i);
    // A scalar, though files also hold tensors of one element.
    return value && value.rank() > 0 ? reshape(value, {}) : value;
  };
  if (n.hasInput(1))
    x = maximum(x, bound(1));
  if (n.hasInput(2))
    x = minimum(x, bound(2));
  n.out(0, x);
  return RowStatus::Done;
}

// x shifted by y bits; right shifts of signed integers (opset 28) keep the sign
static RowStatus bitShift(Node &n) {
  Tensor x = n.in(0), y = n.in(1);
  std::string direction = n.s("direction", "");
  if (!x || !y)
    return RowStatus::Done;
  if (direction == "LEFT")
    n.out(0, shiftLeft(x, y));
  else if (direction == "RIGHT")
    n.out(0, x.isUnsigned() ? shiftRightLogical(x, y) : shiftRightArith(x, y));
  else
    return n.invalid("attribute 'direction': got '" + direction + "', expected 'LEFT' or 'RIGHT'");
  return RowStatus::Done;
}

// Inverse and hyperbolic functions, through functions that stay accurate near 0.
static Tensor tan1(Tensor x) { return tan(x); }
// atan(x) = atan2(x, 1)
static Tensor atanOf(Tensor x) { return atan2(x, fullLike(x, 1)); }
// asin(x) = atan2(x, sqrt((1 - x) * (1 + x)))
static Tensor asinOf(Tensor x) { return atan2(x, sqrt((1.0 - x) * (x + 1.0))); }
// acos(x) = atan2(sqrt((1 - x) * (1 + x)), x)
static Tensor acosOf(Tensor x) { return atan2(sqrt((1.0 - x) * (x + 1.0)), x); }
// sinh(x) = sign(x) * (e + e / (e + 1)) / 2 with e = expm1(|x|), beyond 1 as cosh
static Tensor sinhOf(Tensor x) {
  const double log2 = 0.6931471805599453;
  Tensor a = abs(x), e = expm1(a);
  Tensor near = e * 0.5 + e / (e + 1.0) * 0.5;
  Tensor far = exp(a - log2) - exp(-a - log2);
  return sign(x) * select(a > 1, far, near);
}
// cosh(x) = (exp(|x| - log 2) + exp(-|x| - log 2))
static Tensor coshOf(Tensor x) {
  const double log2 = 0.6931471805599453;
  Tensor a = abs(x);
  return exp(a - log2) + exp(-a - log2);
}
// asinh(x) = sign(x) * log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|; beyond 1e9 log(a) + log 2
static Tensor asinhOf(Tensor x) {
  Tensor a = abs(x), square = a * a;
  Tensor near = log1p(a + square / (sqrt(square + 1.0) + 1.0));
  Tensor far = log(a) + 0.6931471805599453;
  return sign(x) * select(a > 1e9, far, near);
}
// acosh(x) = log1p(t + sqrt(t * (x + 1))), t = x - 1; beyond 1e9 log(x) + log 2
static Tensor acoshOf(Tensor x) {
  Tensor t = x - 1.0;
  Tensor near = log1p(t + sqrt(t * (x + 1.0)));
  Tensor far = log(x) + 0.6931471805599453;
  return select(x > 1e9, far, near);
}
// atanh(x) = sign(x) * log1p(2 * a / (1 - a)) / 2, a = |x|
static Tensor atanhOf(Tensor x) {
  Tensor a = abs(x);
  return sign(x) * (log1p(a * 2.0 / (1.0 - a)) * 0.5);
}

void onnx::addArithRows(OpTable &t) {
  t.add("Add", 1, binary<add>, "T=number");
  t.add("Sub", 1, binary<sub>, "T=number");
  t.add("Mul", 1, binary<mul>, "T=number");
  t.add("Div", 1, binary<div>, "T=number");
  t.add("Mod", 10, mod, "T=number");
  t.add("Pow", 1, powRow, "T=number T1=number").inF32();
  t.add("Max", 1, variadic<maximum>, "T=number");
  t.add("Min", 1, variadic<minimum>, "T=number");
  t.add("Sum", 1, variadic<add>, "T=float").inF32();
  t.add("Mean", 1, meanRow, "T=float").inF32();
  t.add("Clip", 1, clip, "T=number");
  t.add("BitShift", 11, bitShift, "T=int|uint");
  t.add("Abs", 1, unary<abs>, "T=number");
  t.add("Neg", 1, unary<negate>, "T=number");
  t.add("Sign", 9, unary<sign>, "T=number");
  t.add("Floor", 1, unary<floor>, "T=float");
  t.add("Ceil", 1, unary<ceil>, "T=float");
  t.add("Round", 11, unary<roundEven>, "T=float");
  t.add("Reciprocal", 1, unary<reciprocal>, "T=float").inF32();
  t.add("Sqrt", 1, unary<sqrt>, "T=float").inF32();
  t.add("Exp", 1, unary<exp>, "T=float").inF32();
  t.add("Log", 1, unary<log>, "T=float").inF32();
  t.add("Erf", 9, unary<erf>, "T=float").inF32();
  t.add("Sin", 7, unary<sin>, "T=float").inF32();
  t.add("Cos", 7, unary<cos>, "T=float").inF32();
  t.add("Tan", 7, unary<tan1>, "T=float").inF32();
  t.add("Asin", 7, unary<asinOf>, "T=float").inF32();
  t.add("Acos", 7, unary<acosOf>, "T=float").inF32();
  t.add("Atan", 7, unary<atanOf>, "T=float").inF32();
  t.add("Sinh", 9, unary<sinhOf>, "T=float").inF32();
  t.add("Cosh", 9, unary<coshOf>, "T=float").inF32();
  t.add("Asinh", 9, unary<asinhOf>, "T=float").inF32();
  t.add("Acosh", 9, unary<acoshOf>, "T=float").inF32();
  t.add("Atanh", 9, unary<atanhOf>, "T=float").inF32();
}
