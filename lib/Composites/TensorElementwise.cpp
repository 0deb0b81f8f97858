//===- TensorElementwise.cpp - one value in, one value out per element ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

/// Name of an op in messages: "add".
template <typename Op> static StringRef nameOf() {
  return Op::getOperationName().drop_front(StringRef("prim.").size());
}

static bool requireFloat(StringRef name, Tensor x) {
  if (x.isFloat())
    return true;
  x.ctx().fail(name + ": got element type " + typeText(x.dtype()) + ", expected floats");
  return false;
}

/// Small floats are only moved and converted.
static bool computes(StringRef name, Tensor x) {
  if (!prim::isSmallFloat(x.dtype()))
    return true;
  x.ctx().fail(name + ": got element type " + typeText(x.dtype()) + ", which does not compute");
  return false;
}

template <typename Op> static Tensor unary(Tensor x) {
  return x && computes(nameOf<Op>(), x) ? build<Op>(x.ctx(), x.value()) : invalidTensor({x});
}

template <typename Op> static Tensor floatUnary(Tensor x) {
  if (!x || !requireFloat(nameOf<Op>(), x))
    return invalidTensor({x});
  return unary<Op>(x);
}

/// Floats as the op says, integers as they are.
template <typename Op> static Tensor roundingUnary(Tensor x) {
  return x.isFloat() ? unary<Op>(x) : x;
}

/// Broadcasts both to their common shape. False after reporting.
static bool meet(StringRef name, Tensor &a, Tensor &b) {
  if (!a || !b)
    return false;
  TensorContext &context = a.ctx();
  if (a.value().getType() == b.value().getType())
    return true;
  prim::Misfit why;
  auto shape = prim::inferNumpyBroadcast(a.shape(), b.shape(), why);
  if (!shape) {
    context.fail(name, why);
    return false;
  }
  a = broadcastTo(a, *shape);
  b = broadcastTo(b, *shape);
  return a && b;
}

static bool meetSameType(StringRef name, Tensor &a, Tensor &b) {
  if (!a || !b)
    return false;
  if (a.dtype() == b.dtype())
    return computes(name, a) && meet(name, a, b);
  a.ctx().fail(name + ": element types " + typeText(a.dtype()) + " and " + typeText(b.dtype()) +
               " differ");
  return false;
}

template <typename Op> static Tensor binary(Tensor a, Tensor b) {
  if (!meetSameType(nameOf<Op>(), a, b))
    return invalidTensor({a, b});
  return build<Op>(a.ctx(), a.value(), b.value());
}

template <typename Op> static Tensor integerBinary(Tensor a, Tensor b) {
  if (a && a.isFloat()) {
    a.ctx().fail(nameOf<Op>() + ": got element type " + typeText(a.dtype()) +
                 ", expected integers");
    return invalidTensor({a});
  }
  return binary<Op>(a, b);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Tensor dynac::operator+(Tensor a, Tensor b) { return binary<prim::AddOp>(a, b); }
Tensor dynac::operator-(Tensor a, Tensor b) { return binary<prim::SubOp>(a, b); }
Tensor dynac::operator*(Tensor a, Tensor b) { return binary<prim::MulOp>(a, b); }
Tensor dynac::operator/(Tensor a, Tensor b) { return binary<prim::DivOp>(a, b); }
Tensor dynac::operator-(Tensor x) { return unary<prim::NegOp>(x); }
Tensor dynac::operator+(Tensor a, double b) { return a + fullLike(a, b); }
Tensor dynac::operator-(Tensor a, double b) { return a - fullLike(a, b); }
Tensor dynac::operator*(Tensor a, double b) { return a * fullLike(a, b); }
Tensor dynac::operator/(Tensor a, double b) { return a / fullLike(a, b); }
Tensor dynac::operator+(double a, Tensor b) { return fullLike(b, a) + b; }
Tensor dynac::operator-(double a, Tensor b) { return fullLike(b, a) - b; }
Tensor dynac::operator*(double a, Tensor b) { return fullLike(b, a) * b; }
Tensor dynac::operator/(double a, Tensor b) { return fullLike(b, a) / b; }
Tensor dynac::rem(Tensor a, Tensor b) { return binary<prim::RemOp>(a, b); }
Tensor dynac::pow(Tensor a, Tensor b) { return binary<prim::PowOp>(a, b); }

Tensor dynac::pow(Tensor x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return x * x;
  if (exponent == 3) {
    Tensor square = x * x;
    return square * x;
  }
  if (exponent == -1 && x.isFloat())
    return 1.0 / x;
  return pow(x, fullLike(x, exponent));
}

Tensor dynac::maximum(Tensor a, Tensor b) { return binary<prim::MaxOp>(a, b); }
Tensor dynac::maximum(Tensor a, double b) { return maximum(a, fullLike(a, b)); }
Tensor dynac::minimum(Tensor a, Tensor b) { return binary<prim::MinOp>(a, b); }
Tensor dynac::minimum(Tensor a, double b) { return minimum(a, fullLike(a, b)); }

Tensor dynac::atan2(Tensor a, Tensor b) {
  if (!a || !b || !requireFloat("atan2", a))
    return invalidTensor({a, b});
  return binary<prim::Atan2Op>(a, b);
}

Tensor dynac::clamp(Tensor x, double lo, double hi) {
  if (!x)
    return x;
  Tensor low = fullLike(x, lo);
  Tensor high = fullLike(x, hi);
  return build<prim::ClampOp>(x.ctx(), x.value(), low.value(), high.value());
}

//===----------------------------------------------------------------------===//
// Bits and shifts
//===----------------------------------------------------------------------===//

Tensor dynac::operator&(Tensor a, Tensor b) { return integerBinary<prim::AndOp>(a, b); }
Tensor dynac::operator|(Tensor a, Tensor b) { return integerBinary<prim::OrOp>(a, b); }
Tensor dynac::operator^(Tensor a, Tensor b) { return integerBinary<prim::XorOp>(a, b); }
Tensor dynac::shiftLeft(Tensor a, Tensor b) { return integerBinary<prim::ShlOp>(a, b); }
Tensor dynac::shiftRightLogical(Tensor a, Tensor b) {
  return integerBinary<prim::ShrLogicalOp>(a, b);
}
Tensor dynac::shiftRightArith(Tensor a, Tensor b) { return integerBinary<prim::ShrArithOp>(a, b); }

Tensor dynac::operator~(Tensor x) {
  if (!x)
    return x;
  if (!x.isFloat())
    return unary<prim::NotOp>(x);
  return failTensor(x.ctx(),
                    "not: got element type " + typeText(x.dtype()) + ", expected integers");
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

Tensor dynac::compare(CompareDirection direction, Tensor a, Tensor b) {
  if (!meetSameType("compare", a, b))
    return invalidTensor({a, b});
  Type result = prim::withElementType(a.value().getType(), boolType(a.ctx()));
  return build<prim::CompareOp>(a.ctx(), result, a.value(), b.value(), direction);
}

Tensor dynac::operator<(Tensor a, Tensor b) { return compare(CompareDirection::lt, a, b); }
Tensor dynac::operator<=(Tensor a, Tensor b) { return compare(CompareDirection::le, a, b); }
Tensor dynac::operator>(Tensor a, Tensor b) { return compare(CompareDirection::gt, a, b); }
Tensor dynac::operator>=(Tensor a, Tensor b) { return compare(CompareDirection::ge, a, b); }
Tensor dynac::operator<(Tensor a, double b) { return a < fullLike(a, b); }
Tensor dynac::operator<=(Tensor a, double b) { return a <= fullLike(a, b); }
Tensor dynac::operator>(Tensor a, double b) { return a > fullLike(a, b); }
Tensor dynac::operator>=(Tensor a, double b) { return a >= fullLike(a, b); }
Tensor dynac::equal(Tensor a, Tensor b) { return compare(CompareDirection::eq, a, b); }
Tensor dynac::notEqual(Tensor a, Tensor b) { return compare(CompareDirection::ne, a, b); }

Tensor dynac::isNan(Tensor x) {
  if (x && !x.isFloat())
    return full(x.ctx(), x.shape(), 0, boolType(x.ctx()));
  return notEqual(x, x);
}

Tensor dynac::isFinite(Tensor x) {
  if (!x)
    return x;
  if (!x.isFloat())
    return full(x.ctx(), x.shape(), 1, boolType(x.ctx()));
  return build<prim::IsFiniteOp>(
      x.ctx(), prim::withElementType(x.value().getType(), boolType(x.ctx())), x.value());
}

Tensor dynac::select(Tensor condition, Tensor a, Tensor b) {
  if (!condition || !meetSameType("select", a, b))
    return invalidTensor({condition, a, b});
  if (!condition.isBool()) {
    a.ctx().fail("select: got a condition of element type " + typeText(condition.dtype()) +
                 ", expected i1");
    return invalidTensor({a});
  }
  prim::Misfit why;
  auto shape = prim::inferNumpyBroadcast(condition.shape(), a.shape(), why);
  if (!shape)
    return failTensor(a.ctx(), "select", why);
  condition = broadcastTo(condition, *shape);
  a = broadcastTo(a, *shape);
  b = broadcastTo(b, *shape);
  return build<prim::SelectOp>(a.ctx(), a.value().getType(), condition.value(), a.value(),
                               b.value());
}

Tensor dynac::select(Tensor condition, Tensor a, double b) {
  return a ? select(condition, a, full(a.ctx(), {}, b, a.dtype())) : a;
}
Tensor dynac::select(Tensor condition, double a, Tensor b) {
  return b ? select(condition, full(b.ctx(), {}, a, b.dtype()), b) : b;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Tensor dynac::abs(Tensor x) { return x.isUnsigned() ? x : unary<prim::AbsOp>(x); }
Tensor dynac::sign(Tensor x) { return unary<prim::SignOp>(x); }
Tensor dynac::floor(Tensor x) { return roundingUnary<prim::FloorOp>(x); }
Tensor dynac::ceil(Tensor x) { return roundingUnary<prim::CeilOp>(x); }
Tensor dynac::roundEven(Tensor x) { return roundingUnary<prim::RoundEvenOp>(x); }
Tensor dynac::trunc(Tensor x) { return roundingUnary<prim::TruncOp>(x); }
Tensor dynac::sqrt(Tensor x) { return floatUnary<prim::SqrtOp>(x); }
Tensor dynac::rsqrt(Tensor x) { return floatUnary<prim::RsqrtOp>(x); }
Tensor dynac::exp(Tensor x) { return floatUnary<prim::ExpOp>(x); }
Tensor dynac::expm1(Tensor x) { return floatUnary<prim::Expm1Op>(x); }
Tensor dynac::log(Tensor x) { return floatUnary<prim::LogOp>(x); }
Tensor dynac::log1p(Tensor x) { return floatUnary<prim::Log1pOp>(x); }
Tensor dynac::erf(Tensor x) { return floatUnary<prim::ErfOp>(x); }
Tensor dynac::logistic(Tensor x) { return floatUnary<prim::LogisticOp>(x); }
Tensor dynac::sin(Tensor x) { return floatUnary<prim::SinOp>(x); }
Tensor dynac::cos(Tensor x) { return floatUnary<prim::CosOp>(x); }
Tensor dynac::tan(Tensor x) { return floatUnary<prim::TanOp>(x); }
Tensor dynac::tanh(Tensor x) { return floatUnary<prim::TanhOp>(x); }

Tensor dynac::convert(Tensor x, Type dtype, bool saturate) {
  if (!x || !dtype || x.dtype() == dtype)
    return x;
  if (prim::isSmallFloat(dtype) || prim::isSmallFloat(x.dtype()))
    return convertSmallFloat(x, dtype, saturate);
  // Saturation means something for fp8 only.
  bool narrow = isa<FloatType>(dtype) && dtype.getIntOrFloatBitWidth() == 8;
  Type result = prim::withElementType(x.value().getType(), dtype);
  return build<prim::ConvertOp>(x.ctx(), result, x.value(), saturate && narrow);
}

Tensor dynac::bitcast(Tensor x, Type dtype) {
  if (!x || !dtype || x.dtype() == dtype)
    return x;
  if (prim::bitWidth(x.dtype()) != prim::bitWidth(dtype))
    return failTensor(x.ctx(), "bitcast: element types " + typeText(x.dtype()) + " and " +
                                   typeText(dtype) + " differ in width");
  return build<prim::BitcastOp>(x.ctx(), prim::withElementType(x.value().getType(), dtype),
                                x.value());
}
