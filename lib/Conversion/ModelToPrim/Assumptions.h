//===- Assumptions.h - what an import takes for granted ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_ASSUMPTIONS_H
#define DYNAC_CONVERSION_ASSUMPTIONS_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac {

/// Inequalities between dimensions that hold because the model is wrong otherwise, or because the
/// user says so.
class Assumptions {
public:
  /// small <= large. Nothing changes if that is proved already.
  void assumeLe(const SymExpr &small, const SymExpr &large);
  bool provesLe(const SymExpr &small, const SymExpr &large) const;
  /// `dim` with every min and max decided that can be.
  SymExpr simplify(const SymExpr &dim) const;
  /// Assumes what decides a min or max between a constant and something symbolic in `dim`: that a
  /// limit is not exceeded. Returns whether there was one.
  bool decideBounds(const SymExpr &dim);
  llvm::ArrayRef<std::pair<SymExpr, SymExpr>> all() const { return pairs; }

private:
  std::vector<std::pair<SymExpr, SymExpr>> pairs; ///< first <= second
};

} // namespace dynac

#endif // DYNAC_CONVERSION_ASSUMPTIONS_H
