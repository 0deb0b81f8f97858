//===- SymExpr.h - canonical symbolic dimensions ----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension is an integer expression over symbols: a sum of products of atoms, where an atom is a
// symbol or floordiv, mod, min or max of expressions. Expressions are kept canonical, so two that
// this file can prove equal compare equal and print the same text. Symbols stand for non-negative
// integers of 64 bits.
//
// A coefficient that leaves 64 bits, and an expression of thousands of terms or hundreds of levels,
// is an overflow: one value that spreads, has no bounds and never evaluates. It says nothing about
// what it came from, so nobody may take two of them for the same number.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_SYMEXPR_H
#define DYNAC_SUPPORT_SYMEXPR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynac {

class SymExpr {
public:
  /// The constant `value`.
  SymExpr(int64_t value = 0);
  /// The symbol `name`: letters, digits, `_`, `.`; any other character is replaced by `_`; a
  /// leading digit gets a `_` before it.
  static SymExpr symbol(std::string_view name);
  /// Parses what `str` prints: + - * with the usual binding, parentheses, `floordiv(a,b)`,
  /// `mod(a,b)`, `min(a,b)`, `max(a,b)`. Nothing if `text` is not of that form.
  static std::optional<SymExpr> parse(std::string_view text);

  SymExpr operator+(const SymExpr &other) const;
  SymExpr operator-(const SymExpr &other) const;
  SymExpr operator*(const SymExpr &other) const;
  SymExpr operator-() const { return SymExpr(0) - *this; }
  /// floor(this / other). `other` must be positive for every value of the symbols; a constant
  /// zero divisor gives a `floordiv` that never folds and fails when evaluated.
  SymExpr floorDiv(const SymExpr &other) const;
  /// ceil(this / other), as floorDiv(this + other - 1, other).
  SymExpr ceilDiv(const SymExpr &other) const;
  /// this - other * floorDiv(this, other).
  SymExpr mod(const SymExpr &other) const;
  static SymExpr min(const SymExpr &a, const SymExpr &b);
  static SymExpr max(const SymExpr &a, const SymExpr &b);

  /// Whether this is the overflow, which prints as "floordiv(0,0)".
  bool isOverflow() const;
  bool isConstant() const;
  /// Its value if it has no symbol.
  std::optional<int64_t> constant() const;
  bool isZero() const { return constant() == 0; }
  bool isOne() const { return constant() == 1; }
  /// The quotient if `other` divides this exactly for all values of the symbols, as far as this
  /// file can prove (2*N*S by N gives 2*S).
  std::optional<SymExpr> exactDiv(const SymExpr &other) const;
  /// Bounds that hold for all values of the symbols (symbols range over [0, inf)); nothing:
  /// unbounded.
  std::optional<int64_t> lowerBound() const;
  std::optional<int64_t> upperBound() const;
  /// Whether this >= other, or this > other, is proved. False says nothing.
  bool provablyGe(const SymExpr &other) const;
  bool provablyGt(const SymExpr &other) const { return provablyGe(other + SymExpr(1)); }

  /// Names of all symbols in it, sorted, without repetition.
  std::vector<std::string> symbols() const;
  /// Value under an assignment; nothing if a symbol has none, a divisor is not positive or 64 bits
  /// overflow.
  std::optional<int64_t>
  evaluate(const std::function<std::optional<int64_t>(std::string_view)> &valueOf) const;
  /// Replaces symbols for which `replacement` gives an expression.
  SymExpr
  substitute(const std::function<std::optional<SymExpr>(std::string_view)> &replacement) const;

  /// Canonical text, such as "2*N*S+floordiv(N+3,4)-1".
  std::string str() const;
  bool operator==(const SymExpr &other) const;
  bool operator!=(const SymExpr &other) const { return !(*this == other); }
  /// A total order of canonical forms (for sorting only; says nothing about values).
  bool operator<(const SymExpr &other) const;

  /// The shape of an expression for consumers that emit code: visits it as a tree.
  enum class Kind { Constant, Symbol, Add, Mul, FloorDiv, Mod, Min, Max };
  struct Visitor {
    virtual ~Visitor() = default;
    /// Both return a handle of the visitor's own; operands come before their user.
    virtual int64_t constant(int64_t value) = 0;
    virtual int64_t symbol(std::string_view name) = 0;
    virtual int64_t binary(Kind kind, int64_t a, int64_t b) = 0;
  };
  int64_t visit(Visitor &visitor) const;

  struct Impl;

private:
  explicit SymExpr(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}
  std::shared_ptr<const Impl> impl;
  friend struct Impl;
};

} // namespace dynac

#endif // DYNAC_SUPPORT_SYMEXPR_H
