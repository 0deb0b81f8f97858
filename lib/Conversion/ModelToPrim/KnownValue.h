//===- KnownValue.h - an element known while importing ----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files compute shapes with the same operators as data, often through floats: Floor(Cast(H) * 0.5).
// So a known element is a dimension expression over a positive denominator, or a constant real
// number, or unknown. Every function answers unknown where it cannot prove the result for all
// values of the symbols.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_KNOWNVALUE_H
#define DYNAC_CONVERSION_KNOWNVALUE_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac {

class KnownValue {
public:
  KnownValue() = default;
  KnownValue(SymExpr numerator, int64_t denominator = 1);
  /// A number; dyadic ones of moderate size become fractions.
  static KnownValue real(double value);
  static KnownValue boolean(bool value) { return KnownValue(SymExpr(value ? 1 : 0)); }

  bool known() const { return kind != Kind::Unknown; }
  /// The value as a dimension expression, if it is an integer for all values of the symbols.
  std::optional<SymExpr> integer() const;
  /// The value if it has no symbol.
  std::optional<double> number() const;
  std::optional<bool> truth() const;
  bool same(const KnownValue &other) const;

  /// The value as an element of `type` holds it: integers wrap, floats round.
  KnownValue as(mlir::Type type) const;
  /// The value converted to `type`, as prim.convert does.
  KnownValue converted(mlir::Type type) const;

  KnownValue floor() const;
  KnownValue ceil() const;
  KnownValue trunc() const;
  KnownValue negated() const;
  static KnownValue add(const KnownValue &a, const KnownValue &b);
  static KnownValue mul(const KnownValue &a, const KnownValue &b);
  static KnownValue div(const KnownValue &a, const KnownValue &b, bool isFloat);
  static KnownValue rem(const KnownValue &a, const KnownValue &b);
  static KnownValue smaller(const KnownValue &a, const KnownValue &b);
  static KnownValue greater(const KnownValue &a, const KnownValue &b);
  static KnownValue compare(prim::CompareDirection direction, const KnownValue &a,
                            const KnownValue &b);

private:
  enum class Kind { Unknown, Fraction, Real };
  Kind kind = Kind::Unknown;
  SymExpr num;
  int64_t den = 1;
  double value = 0;
};

} // namespace dynac

#endif // DYNAC_CONVERSION_KNOWNVALUE_H
