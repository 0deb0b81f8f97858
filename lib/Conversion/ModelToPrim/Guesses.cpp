//===- Guesses.cpp - bounds that an import guesses ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guesses.h"

using namespace dynac;

/// Combinations of guesses that are tried for a node: each is another walk.
static constexpr int maxCombinations = 8;

bool Guesses::failed(const void *failing, std::optional<Pair> openBound,
                     std::optional<Pair> unequal) {
  if (node != failing) {
    node = failing;
    guesses.clear();
    withEquation.reset();
    combinations = 0;
  }
  // One size follows from the others whatever they are: that takes nothing for granted.
  if (guesses.empty() && unequal && assumptions.assumeSolved(unequal->first, unequal->second))
    return true;
  if (openBound) {
    guesses.push_back({*openBound, assumptions});
    assumptions.assumeLe(openBound->first, openBound->second);
    return true;
  }
  if (Assumptions more = assumptions;
      unequal && !withEquation && more.assumeEq(unequal->first, unequal->second))
    withEquation = std::move(more);
  ++combinations;
  while (!guesses.empty() && (guesses.back().isTurned || combinations >= maxCombinations))
    guesses.pop_back();
  if (!guesses.empty()) {
    Guess &last = guesses.back();
    last.isTurned = true;
    assumptions = last.before;
    assumptions.assumeLe(last.bound.second, last.bound.first);
    return true;
  }
  if (!withEquation)
    return false;
  assumptions = *std::exchange(withEquation, std::nullopt);
  combinations = 0;
  return true;
}
