//===- Assumptions.h - what an import takes for granted ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_ASSUMPTIONS_H
#define DYNAC_CONVERSION_ASSUMPTIONS_H

#include "dynac/Dialect/Prim/Prim.h"

#include <map>
#include <optional>
#include <set>

namespace dynac {

/// What holds of dimensions because the model is wrong otherwise, or because the user says so.
/// Inequalities are kept as such; an equation is solved for a symbol of the entry, which then
/// vanishes from all shapes.
class Assumptions {
public:
  /// small <= large. Nothing changes if that is proved already.
  void assumeLe(const SymExpr &small, const SymExpr &large);
  bool provesLe(const SymExpr &small, const SymExpr &large) const;
  /// `dim` with every min and max decided that can be.
  SymExpr simplify(const SymExpr &dim) const;
  /// What would decide a min or max between a constant and something symbolic in `dim`, the first
  /// that is open: that the limit is not exceeded, as small <= large.
  std::optional<std::pair<SymExpr, SymExpr>> openBound(const SymExpr &dim) const;
  /// a = b where that gives one symbol of the entry for all values of the others. Returns whether
  /// it does.
  bool assumeSolved(const SymExpr &a, const SymExpr &b);
  /// a = b, all their symbols being the entry's. Returns whether the equation was new and could be
  /// solved for a symbol or for the quotient of one, whose remainder then is a symbol of its own:
  /// floordiv(N,2) = 4 makes N 8 + min(N_rest_2,1). Where neither can be, the symbol becomes a
  /// multiple of the divisor, which may ask more than the equation.
  bool assumeEq(const SymExpr &a, const SymExpr &b);
  /// `dim` without the symbols that equations gave.
  SymExpr replaced(const SymExpr &dim) const;
  /// Symbols that the user has said something about: others are replaced first.
  std::set<std::string> named;
  llvm::ArrayRef<std::pair<SymExpr, SymExpr>> all() const { return pairs; }

private:
  void replace(const std::string &symbol, const SymExpr &value);
  bool solve(const SymExpr &difference, bool mayBeNegative);

  std::vector<std::pair<SymExpr, SymExpr>> pairs; ///< first <= second
  std::map<std::string, SymExpr> values;          ///< of symbols that are replaced
  std::set<std::string> rests; ///< symbols of remainders: their minimum is no limit to decide
};

} // namespace dynac

#endif // DYNAC_CONVERSION_ASSUMPTIONS_H
