//===- SymExprImpl.h - canonical form of symbolic dimensions ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An expression is a sum of terms, a term is a coefficient times a sorted list of atoms. Terms are
// in graded lexicographic order (highest degree first, the constant last): the order in which they
// are printed and in which polynomial division works. mod is no atom: a - b * floordiv(a, b) has
// one normal form less to keep in step; `splitMods` finds it again for printing and code.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_SUPPORT_SYMEXPRIMPL_H
#define DYNAC_LIB_SUPPORT_SYMEXPRIMPL_H

#include "dynac/Support/SymExpr.h"

namespace dynac {

struct SymAtom {
  /// Symbol, FloorDiv, Min or Max.
  SymExpr::Kind kind;
  /// Of a Symbol.
  std::string name;
  /// FloorDiv: dividend and divisor. Min, Max: two or more, sorted, flat.
  std::vector<SymExpr> operands;
  /// Number of nodes when printed as a tree, and how deep its calls nest.
  size_t size, depth;
};
using SymAtomRef = std::shared_ptr<const SymAtom>;

struct SymTerm {
  int64_t coefficient;
  std::vector<SymAtomRef> atoms;
};

/// An interval; an absent end is unbounded.
struct SymInterval {
  std::optional<int64_t> low, high;
};

/// scale * mod(dividend, divisor), found in a sum.
struct SymModTerm {
  SymTerm scale;
  SymExpr dividend, divisor;
};

/// floor(a / b) of b > 0.
inline int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct SymExpr::Impl {
  std::vector<SymTerm> terms;
  size_t size, depth;

  /// Larger and deeper expressions count as overflow: no real shape comes near, and a hostile file
  /// cannot make the compiler run out of memory or stack. What is printed can be parsed.
  static constexpr size_t maxSize = 4096, maxDepth = 200;
  /// So do minima and maxima of more operands: each is compared with all others.
  static constexpr size_t maxOperands = 32;

  static const std::vector<SymTerm> &termsOf(const SymExpr &e) { return e.impl->terms; }
  static size_t sizeOf(const SymExpr &e) { return e.impl->size; }
  static bool same(const SymExpr &a, const SymExpr &b) { return a.impl == b.impl; }

  /// Sorts, adds up equal products and drops zeros.
  static SymExpr fromTerms(std::vector<SymTerm> terms);
  static SymExpr fromAtom(SymExpr::Kind kind, std::string name, std::vector<SymExpr> operands);
  static SymExpr fromTerm(SymTerm term);
  /// floordiv(0,0).
  static SymExpr overflow();
  static bool isOverflow(const SymExpr &e) { return e.isOverflow(); }

  static int compare(const SymAtomRef &a, const SymAtomRef &b);
  static int compareProducts(const std::vector<SymAtomRef> &a, const std::vector<SymAtomRef> &b);
  static int compare(const SymExpr &a, const SymExpr &b);
  /// The term that times `b` is `a`, if there is one with an integer coefficient.
  static std::optional<SymTerm> divide(const SymTerm &a, const SymTerm &b);

  /// Takes out of `e` each group x * (a - b * floordiv(a, b)) whose removal makes it shorter.
  static SymExpr splitMods(const SymExpr &e, std::vector<SymModTerm> &mods);

  static SymInterval bounds(const SymAtomRef &atom, int depth);
  static SymInterval bounds(const SymTerm &term, int depth);
  /// Sum of the terms' bounds; at depth 0 one walk over the tree.
  static SymInterval interval(const SymExpr &e, int depth);
  /// The best lower bound found: interval arithmetic, improved by what floordiv, min and max say
  /// about their operands. `depth` limits how many such replacements are combined.
  static std::optional<int64_t> lower(const SymExpr &e, int depth);
  static std::optional<int64_t> upper(const SymExpr &e, int depth);
  static SymExpr minMax(SymExpr::Kind kind, const SymExpr &a, const SymExpr &b);
};

} // namespace dynac

#endif // DYNAC_LIB_SUPPORT_SYMEXPRIMPL_H
