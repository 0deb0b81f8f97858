//===- SymExprBounds.cpp - bounds, minimum and maximum --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymExprImpl.h"

#include <algorithm>
#include <limits>

using namespace dynac;
using Kind = SymExpr::Kind;
using Impl = SymExpr::Impl;

/// A sound lower end for a value that did not fit 64 bits, and the same of an upper end.
static std::optional<int64_t> clampLow(__int128 value) {
  if (value < std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return static_cast<int64_t>(std::min<__int128>(value, std::numeric_limits<int64_t>::max()));
}
static std::optional<int64_t> clampHigh(__int128 value) {
  if (value > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(std::max<__int128>(value, std::numeric_limits<int64_t>::min()));
}

static SymInterval multiply(const SymInterval &a, const SymInterval &b) {
  // Corners of the rectangle; 0 times an open end is 0, anything else times an open end is open.
  SymInterval result;
  __int128 low = 0, high = 0;
  bool openLow = false, openHigh = false, first = true;
  for (int corner = 0; corner < 4; ++corner) {
    bool aHigh = corner & 1, bHigh = corner & 2;
    const std::optional<int64_t> &x = aHigh ? a.high : a.low, &y = bHigh ? b.high : b.low;
    __int128 product = 0;
    if (x && y) {
      product = static_cast<__int128>(*x) * *y;
    } else {
      int signX = x ? (*x > 0) - (*x < 0) : (aHigh ? 1 : -1);
      int signY = y ? (*y > 0) - (*y < 0) : (bHigh ? 1 : -1);
      openHigh |= signX * signY > 0;
      openLow |= signX * signY < 0;
      if (signX * signY != 0)
        continue;
    }
    low = first ? product : std::min(low, product);
    high = first ? product : std::max(high, product);
    first = false;
  }
  // No finite corner: all corners are open, and a one-sided interval has its other end at a corner.
  if (!openLow && !first)
    result.low = clampLow(low);
  if (!openHigh && !first)
    result.high = clampHigh(high);
  return result;
}

SymInterval Impl::bounds(const SymAtomRef &atom, int depth) {
  if (atom->kind == Kind::Symbol)
    return {0, std::nullopt};
  std::vector<SymInterval> operands;
  for (const SymExpr &operand : atom->operands)
    operands.push_back(depth > 0 ? SymInterval{lower(operand, depth), upper(operand, depth)}
                                 : interval(operand, 0));
  SymInterval result = operands[0];
  if (atom->kind == Kind::FloorDiv) {
    const SymInterval &divisor = operands[1];
    if (divisor.high && *divisor.high <= 0)
      return {};
    // A divisor is positive by contract.
    int64_t least = std::max<int64_t>(divisor.low.value_or(1), 1);
    if (result.low && *result.low >= 0)
      result.low = divisor.high ? floorDivide(*result.low, *divisor.high) : 0;
    else if (result.low)
      result.low = floorDivide(*result.low, least);
    if (result.high && *result.high >= 0)
      result.high = floorDivide(*result.high, least);
    else if (result.high)
      result.high = divisor.high ? floorDivide(*result.high, *divisor.high) : -1;
    return result;
  }
  bool isMin = atom->kind == Kind::Min;
  for (size_t i = 1; i < operands.size(); ++i) {
    // An end that one operand alone decides survives another's being open.
    std::optional<int64_t> &all = isMin ? result.low : result.high;
    std::optional<int64_t> &any = isMin ? result.high : result.low;
    const std::optional<int64_t> &otherAll = isMin ? operands[i].low : operands[i].high;
    const std::optional<int64_t> &otherAny = isMin ? operands[i].high : operands[i].low;
    auto better = [&](int64_t a, int64_t b) { return isMin ? std::min(a, b) : std::max(a, b); };
    all = all && otherAll ? std::optional(better(*all, *otherAll)) : std::nullopt;
    if (otherAny)
      any = any ? better(*any, *otherAny) : *otherAny;
  }
  return result;
}

SymInterval Impl::bounds(const SymTerm &term, int depth) {
  SymInterval result{term.coefficient, term.coefficient};
  for (const SymAtomRef &atom : term.atoms)
    result = multiply(result, bounds(atom, depth));
  return result;
}

SymInterval Impl::interval(const SymExpr &e, int depth) {
  __int128 low = 0, high = 0;
  bool openLow = false, openHigh = false;
  for (const SymTerm &term : termsOf(e)) {
    SymInterval ends = bounds(term, depth);
    low += ends.low.value_or(0);
    high += ends.high.value_or(0);
    openLow |= !ends.low;
    openHigh |= !ends.high;
  }
  return {openLow ? std::nullopt : clampLow(low), openHigh ? std::nullopt : clampHigh(high)};
}

static void raise(std::optional<int64_t> &best, std::optional<int64_t> other) {
  if (other && (!best || *other > *best))
    best = other;
}

/// A lower bound of rest + scale * floordiv(a, b), scale's atoms being non-negative, from
/// (a - b + 1) / b <= floordiv(a, b) <= a / b.
static std::optional<int64_t> lowerOfDivision(const SymExpr &rest, const SymTerm &scale,
                                              const SymAtom &division, int depth) {
  const SymExpr &a = division.operands[0], &b = division.operands[1];
  SymExpr factor = Impl::fromTerm(scale);
  if (std::optional<int64_t> divisor = b.constant()) {
    if (*divisor <= 0)
      return std::nullopt;
    SymExpr bound = scale.coefficient < 0 ? a : a - b + SymExpr(1);
    std::optional<int64_t> low = Impl::lower(rest * b + factor * bound, depth);
    if (low)
      low = -floorDivide(-(*low + (*low == std::numeric_limits<int64_t>::min())), *divisor);
    return low;
  }
  if (scale.coefficient > 0 || Impl::termsOf(b).size() != 1)
    return std::nullopt;
  std::optional<SymTerm> quotient = Impl::divide(scale, Impl::termsOf(b)[0]);
  if (!quotient || quotient->coefficient > 0)
    return std::nullopt;
  return Impl::lower(rest + Impl::fromTerm(*quotient) * a, depth);
}

/// A lower bound of rest + scale * min or max(operands...), scale's atoms being non-negative.
static std::optional<int64_t> lowerOfMinMax(const SymExpr &rest, const SymTerm &scale,
                                            const SymAtom &atom, int depth) {
  bool least = (atom.kind == Kind::Min) == (scale.coefficient > 0);
  std::optional<int64_t> result;
  bool first = true;
  for (const SymExpr &operand : atom.operands) {
    std::optional<int64_t> low = Impl::lower(rest + Impl::fromTerm(scale) * operand, depth);
    if (!least)
      raise(result, low);
    else if (!low)
      return std::nullopt;
    else
      result = first ? low : std::min(*result, *low);
    first = false;
  }
  return result;
}

std::optional<int64_t> Impl::lower(const SymExpr &e, int depth) {
  if (std::optional<int64_t> value = e.constant())
    return value;
  std::optional<int64_t> best = interval(e, depth - 1 > 0 ? depth - 1 : 0).low;
  if (depth <= 0 || isOverflow(e))
    return best;
  for (const SymTerm &term : termsOf(e)) {
    for (size_t i = 0; i < term.atoms.size(); ++i) {
      const SymAtom &atom = *term.atoms[i];
      if (atom.kind == Kind::Symbol)
        continue;
      SymTerm scale = term;
      scale.atoms.erase(scale.atoms.begin() + i);
      if (bounds(SymTerm{1, scale.atoms}, 0).low.value_or(-1) < 0)
        continue;
      SymExpr rest = e - fromTerm(term);
      raise(best, atom.kind == Kind::FloorDiv ? lowerOfDivision(rest, scale, atom, depth - 1)
                                              : lowerOfMinMax(rest, scale, atom, depth - 1));
    }
  }
  return best;
}

std::optional<int64_t> Impl::upper(const SymExpr &e, int depth) {
  if (std::optional<int64_t> value = e.constant())
    return value;
  std::optional<int64_t> low = lower(-e, depth);
  if (!low || *low == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return -*low;
}

/// Replacements combined in one proof: three see through ceil-division inside a minimum, and fewer
/// keep large expressions cheap.
static int proofDepth(const SymExpr &e) { return Impl::sizeOf(e) <= 64 ? 3 : 1; }

std::optional<int64_t> SymExpr::lowerBound() const { return Impl::lower(*this, proofDepth(*this)); }
std::optional<int64_t> SymExpr::upperBound() const { return Impl::upper(*this, proofDepth(*this)); }

bool SymExpr::provablyGe(const SymExpr &other) const {
  return (*this - other).lowerBound().value_or(-1) >= 0;
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// Moves what all operands have in common (equal terms, the smallest constant) out of them.
static SymExpr takeCommonTerms(std::vector<SymExpr> &operands) {
  std::vector<SymTerm> common;
  for (const SymTerm &term : Impl::termsOf(operands[0])) {
    bool everywhere = std::all_of(operands.begin(), operands.end(), [&](const SymExpr &operand) {
      const std::vector<SymTerm> &terms = Impl::termsOf(operand);
      return std::any_of(terms.begin(), terms.end(), [&](const SymTerm &other) {
        return other.coefficient == term.coefficient &&
               Impl::compareProducts(other.atoms, term.atoms) == 0;
      });
    });
    if (everywhere && !term.atoms.empty())
      common.push_back(term);
  }
  std::optional<int64_t> least;
  for (const SymExpr &operand : operands) {
    const std::vector<SymTerm> &terms = Impl::termsOf(operand);
    int64_t value = !terms.empty() && terms.back().atoms.empty() ? terms.back().coefficient : 0;
    least = least ? std::min(*least, value) : value;
  }
  if (*least != 0)
    common.push_back({*least, {}});
  SymExpr shift = Impl::fromTerms(std::move(common));
  std::vector<SymExpr> shifted;
  for (const SymExpr &operand : operands) {
    shifted.push_back(operand - shift);
    if (Impl::isOverflow(shifted.back()))
      return SymExpr(0);
  }
  operands = std::move(shifted);
  return shift;
}

SymExpr Impl::minMax(Kind kind, const SymExpr &a, const SymExpr &b) {
  if (isOverflow(a) || isOverflow(b))
    return overflow();
  if (a.provablyGe(b))
    return kind == Kind::Min ? b : a;
  if (b.provablyGe(a))
    return kind == Kind::Min ? a : b;
  std::vector<SymExpr> all, kept;
  for (const SymExpr &e : {a, b}) {
    // min(min(x, y) + k, z): an inner one is moved out only together with its own shift.
    const std::vector<SymTerm> &terms = termsOf(e);
    const SymTerm *inner = nullptr;
    for (const SymTerm &term : terms)
      if (term.coefficient == 1 && term.atoms.size() == 1 && term.atoms[0]->kind == kind)
        inner = inner ? nullptr : &term;
    if (!inner) {
      all.push_back(e);
      continue;
    }
    SymExpr shift = e - fromTerm(*inner);
    for (const SymExpr &operand : inner->atoms[0]->operands)
      all.push_back(operand + shift);
  }
  if (all.size() > maxOperands)
    return overflow();
  // Of two that compare, the one that never decides is dropped; of equal ones the later.
  for (size_t i = 0; i < all.size(); ++i) {
    if (isOverflow(all[i]))
      return overflow();
    bool dropped = false;
    for (size_t j = 0; j < all.size() && !dropped; ++j) {
      if (i == j)
        continue;
      const SymExpr &large = kind == Kind::Min ? all[i] : all[j];
      const SymExpr &small = kind == Kind::Min ? all[j] : all[i];
      dropped = large.provablyGe(small) && (j < i || !small.provablyGe(large));
    }
    if (!dropped)
      kept.push_back(all[i]);
  }
  if (kept.size() == 1)
    return kept[0];
  SymExpr shift = takeCommonTerms(kept);
  std::sort(kept.begin(), kept.end());
  return shift + fromAtom(kind, "", std::move(kept));
}

SymExpr SymExpr::min(const SymExpr &a, const SymExpr &b) { return Impl::minMax(Kind::Min, a, b); }
SymExpr SymExpr::max(const SymExpr &a, const SymExpr &b) { return Impl::minMax(Kind::Max, a, b); }
