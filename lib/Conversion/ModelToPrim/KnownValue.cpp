//===- KnownValue.cpp - arithmetic on elements known while importing ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownValue.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <numeric>

using namespace dynac;

/// Beyond this, constants do not enter symbolic sums and products, so that 64 bits never overflow
/// there.
static constexpr int64_t symbolicLimit = int64_t(1) << 40;

static bool isSafe(const SymExpr &expr) {
  auto value = expr.constant();
  return !value || (*value < symbolicLimit && *value > -symbolicLimit);
}

KnownValue::KnownValue(SymExpr numerator, int64_t denominator)
    : kind(numerator.isOverflow() ? Kind::Unknown : Kind::Fraction), num(std::move(numerator)),
      den(denominator) {
  if (den == 1)
    return;
  if (auto value = num.constant()) {
    int64_t divisor = std::gcd(*value, den);
    num = SymExpr(*value / divisor);
    den /= divisor;
  } else if (auto quotient = num.exactDiv(SymExpr(den))) {
    num = *quotient;
    den = 1;
  }
}

KnownValue KnownValue::real(double value) {
  for (int64_t den = 1; den <= 4096; den *= 2)
    if (double scaled = value * den; std::abs(scaled) < double(symbolicLimit) &&
                                     scaled == std::floor(scaled) &&
                                     !(scaled == 0 && std::signbit(value)))
      return KnownValue(SymExpr(int64_t(scaled)), den);
  KnownValue result;
  result.kind = Kind::Real;
  result.value = value;
  return result;
}

std::optional<SymExpr> KnownValue::integer() const {
  if (kind == Kind::Fraction && den == 1)
    return num;
  return std::nullopt;
}

std::optional<double> KnownValue::number() const {
  if (kind == Kind::Real)
    return value;
  if (kind == Kind::Fraction)
    if (auto constant = num.constant())
      return double(*constant) / double(den);
  return std::nullopt;
}

std::optional<bool> KnownValue::truth() const {
  if (auto value = number())
    return *value != 0;
  return std::nullopt;
}

bool KnownValue::same(const KnownValue &other) const {
  if (kind == Kind::Fraction && other.kind == Kind::Fraction)
    return num == other.num && den == other.den;
  return kind == Kind::Real && other.kind == Kind::Real && value == other.value;
}

static double roundTo(double value, mlir::Type type) {
  llvm::APFloat number(value);
  bool lossy;
  number.convert(llvm::cast<mlir::FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &lossy);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

/// The low `width` bits of `value` as an integer of `type`.
static int64_t wrapTo(int64_t value, mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width >= 64)
    return value;
  uint64_t low = uint64_t(value) & ((uint64_t(1) << width) - 1);
  bool isSigned = width != 1 && !type.isUnsignedInteger();
  if (isSigned && (low >> (width - 1)))
    return int64_t(low) - (int64_t(1) << width);
  return int64_t(low);
}

KnownValue KnownValue::as(mlir::Type type) const {
  if (!known())
    return {};
  if (llvm::isa<mlir::FloatType>(type)) {
    if (auto constant = number())
      return real(roundTo(*constant, type));
    return *this;
  }
  if (!type.isIntOrIndex() || kind != Kind::Fraction || den != 1)
    return {};
  if (auto constant = num.constant())
    return KnownValue(SymExpr(wrapTo(*constant, type)));
  // A dimension never leaves 64 bits; in narrower integers it is taken at its word, as files do.
  return *this;
}

KnownValue KnownValue::converted(mlir::Type type) const {
  if (!known())
    return {};
  if (type.isInteger(1))
    return compare(prim::CompareDirection::ne, *this, KnownValue(SymExpr(0)));
  if (llvm::isa<mlir::FloatType>(type) || integer())
    return as(type);
  if (kind != Kind::Real)
    return trunc().as(type);
  // As Conversion/PrimToLoops/Convert.cpp does: what does not fit gives 0.
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  double whole = std::trunc(value);
  if (isUnsigned && width == 64 && whole >= 0x1p63 && whole < 0x1p64)
    return {};
  double lowest = width >= 8 ? -0x1p63 : isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double limit = width >= 8 ? 0x1p63 : std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (!(whole >= lowest && whole < limit))
    return KnownValue(SymExpr(0));
  return KnownValue(SymExpr(int64_t(whole))).as(type);
}

KnownValue KnownValue::floor() const {
  if (kind == Kind::Real)
    return real(std::floor(value));
  return kind == Kind::Fraction ? KnownValue(num.floorDiv(SymExpr(den))) : KnownValue();
}

KnownValue KnownValue::ceil() const {
  if (kind == Kind::Real)
    return real(std::ceil(value));
  return kind == Kind::Fraction ? KnownValue(num.ceilDiv(SymExpr(den))) : KnownValue();
}

KnownValue KnownValue::trunc() const {
  if (kind == Kind::Real) {
    if (std::abs(value) < 9.2e18)
      return KnownValue(SymExpr(int64_t(value)));
    return real(std::trunc(value));
  }
  if (kind != Kind::Fraction)
    return {};
  if (den == 1)
    return *this;
  if (num.provablyGe(SymExpr(0)))
    return floor();
  return SymExpr(0).provablyGe(num) ? ceil() : KnownValue();
}

KnownValue KnownValue::negated() const {
  if (kind == Kind::Real)
    return real(-value);
  return kind == Kind::Fraction && isSafe(num) ? KnownValue(SymExpr(0) - num, den) : KnownValue();
}

KnownValue KnownValue::add(const KnownValue &a, const KnownValue &b) {
  if (a.kind == Kind::Fraction && b.kind == Kind::Fraction && isSafe(a.num) && isSafe(b.num)) {
    if (a.den == b.den)
      return KnownValue(a.num + b.num, a.den);
    if (a.den < symbolicLimit / b.den)
      return KnownValue(a.num * SymExpr(b.den) + b.num * SymExpr(a.den), a.den * b.den);
  }
  if (auto x = a.number(), y = b.number(); x && y) {
    if (a.integer() && b.integer()) // Too large for symbols: wraps as the tensor would.
      return KnownValue(
          SymExpr(int64_t(uint64_t(*a.num.constant()) + uint64_t(*b.num.constant()))));
    return real(*x + *y);
  }
  return {};
}

KnownValue KnownValue::mul(const KnownValue &a, const KnownValue &b) {
  if (a.integer() && b.integer() && a.number() && b.number())
    return KnownValue(SymExpr(int64_t(uint64_t(*a.num.constant()) * uint64_t(*b.num.constant()))));
  if (a.kind == Kind::Fraction && b.kind == Kind::Fraction && isSafe(a.num) && isSafe(b.num) &&
      a.den < symbolicLimit / b.den && !(a.number() && b.number()))
    return KnownValue(a.num * b.num, a.den * b.den);
  if (auto x = a.number(), y = b.number(); x && y)
    return real(*x * *y);
  return {};
}

KnownValue KnownValue::div(const KnownValue &a, const KnownValue &b, bool isFloat) {
  if (a.number() && b.number()) {
    if (isFloat)
      return real(*a.number() / *b.number());
    auto x = a.integer(), y = b.integer();
    if (!x || !y)
      return {};
    int64_t dividend = *x->constant(), divisor = *y->constant();
    if (divisor == 0)
      return KnownValue(SymExpr(0));
    return KnownValue(
        SymExpr(divisor == -1 ? int64_t(0 - uint64_t(dividend)) : dividend / divisor));
  }
  if (a.kind != Kind::Fraction || b.kind != Kind::Fraction)
    return {};
  if (isFloat) {
    auto divisor = b.num.constant();
    if (divisor && *divisor > 0 && *divisor < symbolicLimit / a.den && b.den < symbolicLimit)
      return KnownValue(a.num * SymExpr(b.den), a.den * *divisor);
    if (auto quotient = (a.num * SymExpr(b.den)).exactDiv(b.num * SymExpr(a.den)))
      return KnownValue(*quotient);
    return {};
  }
  if (a.num.provablyGe(SymExpr(0)) && b.num.provablyGt(SymExpr(0)))
    return KnownValue(a.num.floorDiv(b.num));
  // A divisor that is a plain dimension is zero only for empty tensors, where any quotient will do.
  if (auto quotient = a.num.exactDiv(b.num))
    return KnownValue(*quotient);
  return {};
}

KnownValue KnownValue::rem(const KnownValue &a, const KnownValue &b) {
  auto x = a.integer(), y = b.integer();
  if (!x || !y)
    return {};
  if (auto p = x->constant(), q = y->constant(); p && q)
    return KnownValue(SymExpr(*q == 0 || *q == -1 ? 0 : *p % *q));
  if (x->provablyGe(SymExpr(0)) && y->provablyGt(SymExpr(0)))
    return KnownValue(x->mod(*y));
  return {};
}

KnownValue KnownValue::smaller(const KnownValue &a, const KnownValue &b) {
  if (auto x = a.number(), y = b.number(); x && y)
    return std::isnan(*x) || *x <= *y ? a : b;
  if (a.kind == Kind::Fraction && b.kind == Kind::Fraction && a.den == b.den)
    return KnownValue(SymExpr::min(a.num, b.num), a.den);
  return {};
}

KnownValue KnownValue::greater(const KnownValue &a, const KnownValue &b) {
  if (auto x = a.number(), y = b.number(); x && y)
    return std::isnan(*x) || *x >= *y ? a : b;
  if (a.kind == Kind::Fraction && b.kind == Kind::Fraction && a.den == b.den)
    return KnownValue(SymExpr::max(a.num, b.num), a.den);
  return {};
}

KnownValue KnownValue::compare(prim::CompareDirection direction, const KnownValue &a,
                               const KnownValue &b) {
  using D = prim::CompareDirection;
  auto negate = [](KnownValue v) { return v.known() ? boolean(!*v.truth()) : v; };
  switch (direction) {
  case D::ne:
    return negate(compare(D::eq, a, b));
  case D::gt:
    return compare(D::lt, b, a);
  case D::ge:
    return compare(D::le, b, a);
  default:
    break;
  }
  if (a.integer() && b.integer() && a.number() && b.number()) {
    int64_t x = *a.num.constant(), y = *b.num.constant();
    return boolean(direction == D::eq ? x == y : direction == D::lt ? x < y : x <= y);
  }
  if (auto x = a.number(), y = b.number(); x && y)
    return boolean(direction == D::eq ? *x == *y : direction == D::lt ? *x < *y : *x <= *y);
  if (a.kind != Kind::Fraction || b.kind != Kind::Fraction || !isSafe(a.num) || !isSafe(b.num))
    return {};
  SymExpr x = a.num * SymExpr(b.den), y = b.num * SymExpr(a.den);
  switch (direction) {
  case D::eq:
    if (x == y)
      return boolean(true);
    return x.provablyGt(y) || y.provablyGt(x) ? boolean(false) : KnownValue();
  case D::lt:
    return y.provablyGt(x) ? boolean(true) : x.provablyGe(y) ? boolean(false) : KnownValue();
  default:
    return y.provablyGe(x) ? boolean(true) : x.provablyGt(y) ? boolean(false) : KnownValue();
  }
}
