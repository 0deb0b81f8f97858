//===- SymExprDivide.cpp - floordiv, mod and exact division ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymExprImpl.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

using namespace dynac;
using Kind = SymExpr::Kind;
using Impl = SymExpr::Impl;

static bool divides(int64_t divisor, int64_t value) {
  // INT64_MIN / -1 does not fit.
  if (divisor == -1)
    return value != std::numeric_limits<int64_t>::min();
  return divisor != 0 && value % divisor == 0;
}

/// Greatest common divisor of magnitudes, 0 being neutral.
static uint64_t commonDivisor(uint64_t a, int64_t b) {
  return std::gcd(a, b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b));
}

/// `a` without the atoms of `b`; nothing if one is missing.
static std::optional<std::vector<SymAtomRef>> withoutAtoms(const std::vector<SymAtomRef> &a,
                                                           const std::vector<SymAtomRef> &b) {
  std::vector<SymAtomRef> rest;
  size_t next = 0;
  for (const SymAtomRef &atom : a) {
    if (next < b.size() && Impl::compare(atom, b[next]) == 0)
      ++next;
    else
      rest.push_back(atom);
  }
  if (next != b.size())
    return std::nullopt;
  return rest;
}

std::optional<SymTerm> Impl::divide(const SymTerm &a, const SymTerm &b) {
  if (!divides(b.coefficient, a.coefficient))
    return std::nullopt;
  std::optional<std::vector<SymAtomRef>> atoms = withoutAtoms(a.atoms, b.atoms);
  if (!atoms)
    return std::nullopt;
  return SymTerm{a.coefficient / b.coefficient, std::move(*atoms)};
}

std::optional<SymExpr> SymExpr::exactDiv(const SymExpr &other) const {
  if (other.isZero() || Impl::isOverflow(*this) || Impl::isOverflow(other))
    return std::nullopt;
  // Long division by the leading term. Each step removes the leading term of the rest.
  SymExpr rest = *this, quotient(0);
  for (size_t steps = 0; !rest.isZero(); ++steps) {
    std::optional<SymTerm> term = Impl::divide(rest.impl->terms[0], other.impl->terms[0]);
    if (!term || steps > 64)
      return std::nullopt;
    SymExpr part = Impl::fromTerm(std::move(*term));
    quotient = quotient + part;
    rest = rest - part * other;
    if (Impl::isOverflow(rest) || Impl::isOverflow(quotient))
      return std::nullopt;
  }
  return quotient;
}

/// Divides `a` and `b` by the largest constant and by all non-negative atoms that divide both.
/// Right for floordiv since `b` is positive.
static void cancelCommonFactor(SymExpr &a, SymExpr &b) {
  uint64_t constant = 0;
  std::vector<SymAtomRef> atoms = Impl::termsOf(b)[0].atoms;
  for (const SymExpr *e : {&a, &b}) {
    for (const SymTerm &term : Impl::termsOf(*e)) {
      constant = commonDivisor(constant, term.coefficient);
      std::vector<SymAtomRef> common;
      std::set_intersection(
          atoms.begin(), atoms.end(), term.atoms.begin(), term.atoms.end(),
          std::back_inserter(common),
          [](const SymAtomRef &x, const SymAtomRef &y) { return Impl::compare(x, y) < 0; });
      atoms = std::move(common);
    }
  }
  atoms.erase(std::remove_if(atoms.begin(), atoms.end(),
                             [](const SymAtomRef &atom) {
                               return Impl::bounds(atom, 1).low.value_or(-1) < 0;
                             }),
              atoms.end());
  if (constant > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    constant = 1;
  if (constant <= 1 && atoms.empty())
    return;
  SymExpr factor = Impl::fromTerm({static_cast<int64_t>(constant), std::move(atoms)});
  std::optional<SymExpr> x = a.exactDiv(factor), y = b.exactDiv(factor);
  if (x && y) {
    a = *x;
    b = *y;
  }
}

/// Splits `a` into quotient * b + rest where `b` is one term, with coefficients of the rest's
/// multiples of b's atoms in [0, coefficient of b).
static SymExpr takeMultiples(SymExpr &a, const SymTerm &b) {
  std::vector<SymTerm> quotient, rest;
  for (const SymTerm &term : Impl::termsOf(a)) {
    std::optional<std::vector<SymAtomRef>> atoms = withoutAtoms(term.atoms, b.atoms);
    int64_t times = atoms ? floorDivide(term.coefficient, b.coefficient) : 0;
    if (times != 0)
      quotient.push_back({times, std::move(*atoms)});
    // times * b may leave 64 bits, what is left is in [0, b).
    int64_t left =
        static_cast<int64_t>(term.coefficient - static_cast<__int128>(times) * b.coefficient);
    if (left != 0)
      rest.push_back({left, term.atoms});
  }
  a = Impl::fromTerms(std::move(rest));
  return Impl::fromTerms(std::move(quotient));
}

/// floor((g*y + r) / (g*c)) = floor((y + floor(r/g)) / c).
static void cancelBesidesConstant(SymExpr &a, int64_t &divisor) {
  uint64_t common = static_cast<uint64_t>(divisor);
  for (const SymTerm &term : Impl::termsOf(a))
    if (!term.atoms.empty())
      common = commonDivisor(common, term.coefficient);
  if (common <= 1)
    return;
  int64_t g = static_cast<int64_t>(common);
  std::vector<SymTerm> terms = Impl::termsOf(a);
  for (SymTerm &term : terms)
    term.coefficient = floorDivide(term.coefficient, g);
  a = Impl::fromTerms(std::move(terms));
  divisor /= g;
}

/// floor((floordiv(a, b) + y) / c) = floordiv(a + b*y, b*c): the only floordiv of a sum, standing
/// alone, merges into the outer one.
static std::optional<SymExpr> mergeNested(const SymExpr &e, const SymExpr &divisor) {
  const SymTerm *found = nullptr;
  for (const SymTerm &term : Impl::termsOf(e)) {
    for (const SymAtomRef &atom : term.atoms) {
      if (atom->kind != Kind::FloorDiv)
        continue;
      if (found || term.coefficient != 1 || term.atoms.size() != 1)
        return std::nullopt;
      found = &term;
    }
  }
  if (!found)
    return std::nullopt;
  const SymExpr &a = found->atoms[0]->operands[0], &b = found->atoms[0]->operands[1];
  if (std::optional<int64_t> value = b.constant(); value && *value <= 0)
    return std::nullopt;
  SymExpr inner = a + b * (e - Impl::fromTerm(*found)), outer = b * divisor;
  if (Impl::isOverflow(inner) || Impl::isOverflow(outer))
    return std::nullopt;
  return inner.floorDiv(outer);
}

SymExpr SymExpr::floorDiv(const SymExpr &other) const {
  if (Impl::isOverflow(*this) || Impl::isOverflow(other))
    return Impl::overflow();
  std::optional<int64_t> divisor = other.constant();
  if (divisor && *divisor <= 0)
    return Impl::fromAtom(Kind::FloorDiv, "", {*this, other});
  if (isZero() || other.isOne())
    return *this;
  if (std::optional<int64_t> value = constant(); value && divisor)
    return floorDivide(*value, *divisor);
  if (std::optional<SymExpr> quotient = exactDiv(other))
    return *quotient;
  if (constant() == -1)
    return -1;
  if (divisor) {
    std::optional<int64_t> low = lowerBound(), high = upperBound();
    if (low && high && floorDivide(*low, *divisor) == floorDivide(*high, *divisor))
      return floorDivide(*low, *divisor);
  } else if (provablyGe(0) && other.provablyGt(*this)) {
    return 0;
  }

  SymExpr a = *this, b = other, quotient(0);
  cancelCommonFactor(a, b);
  if (b.impl->terms.size() == 1 && b.impl->terms[0].coefficient > 0)
    quotient = takeMultiples(a, b.impl->terms[0]);
  if (std::optional<int64_t> value = b.constant()) {
    cancelBesidesConstant(a, *value);
    b = *value;
  }
  // Each of these steps made the operands smaller, so starting again ends.
  if (a != *this || b != other)
    return quotient + a.floorDiv(b);
  if (std::optional<SymExpr> merged = mergeNested(a, b))
    return *merged;
  return Impl::fromAtom(Kind::FloorDiv, "", {a, b});
}

SymExpr SymExpr::ceilDiv(const SymExpr &other) const {
  return (*this + other - SymExpr(1)).floorDiv(other);
}

SymExpr SymExpr::mod(const SymExpr &other) const { return *this - other * floorDiv(other); }
