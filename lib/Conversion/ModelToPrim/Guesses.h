//===- Guesses.h - bounds that an import guesses --------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_GUESSES_H
#define DYNAC_CONVERSION_GUESSES_H

#include "Assumptions.h"

namespace dynac {

/// Looks for what must be assumed for a node whose operands' shapes do not fit as they stand: which
/// way the bounds in them are decided, as few equations of sizes as can be. Each call of `failed`
/// changes the assumptions, and the walk starts again. Guesses that the node is imported with stay.
class Guesses {
public:
  explicit Guesses(Assumptions &assumptions) : assumptions(assumptions) {}

  using Pair = std::pair<SymExpr, SymExpr>;
  /// `node` failed. `openBound`: a bound small <= large that its shapes leave open, if any;
  /// `unequal`: the dimensions that had to be equal, if that was the reason. Returns whether there
  /// is something else to try.
  bool failed(const void *node, std::optional<Pair> openBound, std::optional<Pair> unequal);

private:
  struct Guess {
    Pair bound; ///< first <= second, or the opposite if it is turned
    Assumptions before;
    bool isTurned = false;
  };

  Assumptions &assumptions;
  const void *node = nullptr; ///< which the guesses are for
  std::vector<Guess> guesses;
  std::optional<Assumptions> withEquation; ///< the first combination that an equation may help
  int combinations = 0;                    ///< tried without success
};

} // namespace dynac

#endif // DYNAC_CONVERSION_GUESSES_H
