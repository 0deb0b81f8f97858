//===- Dims.h - the dimension program: evaluation and printing --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_DIMS_H
#define DYNAC_LIB_RUNTIME_DIMS_H

#include "dynac/Runtime/abi.h"

#include <string>
#include <vector>

namespace dynac::rt {

/// The values of an artifact's dimension slots, as far as they are known.
struct SlotValues {
  enum State : uint8_t { Unbound, Known, Failed }; // Failed: overflow, or a divisor below 1

  std::vector<int64_t> value;
  std::vector<State> state;

  bool known(int32_t slot) const { return state[slot] == Known; }
  void set(int32_t slot, int64_t v) {
    value[slot] = v;
    state[slot] = Known;
  }
};

/// The expressions of a (validated) artifact, with what follows from them alone.
class DimProgram {
public:
  explicit DimProgram(const dynac_artifact_t &artifact);

  /// All slots unbound but the constants, and those that follow from them.
  SlotValues start() const;

  /// Computes every slot that is not known and whose operands are.
  void evaluate(SlotValues &values) const;

  /// Binds a symbol (again) and recomputes the slots that use it.
  void bind(SlotValues &values, int32_t symbol, int64_t value) const;

  /// Gives `slot` the value `target` by finding the one unbound symbol in it, where the expression
  /// is linear in it ("2*N+1"); false if it cannot be solved.
  bool solve(SlotValues &values, int32_t slot, int64_t target, int32_t &symbol,
             int64_t &solution) const;

  /// Uses a symbol that only a run binds.
  bool dataDependent(int32_t slot) const { return runtime[slot]; }
  /// The value of a slot that no symbol is in; false if there is one.
  bool constant(int32_t slot, int64_t &value) const;

  /// "batch", "seq*2", "(a+b)//2", "min(a, b)".
  std::string text(int32_t slot) const;
  /// The symbols in it, in order of appearance.
  std::vector<int32_t> symbolsOf(int32_t slot) const;

private:
  void step(SlotValues &values, int32_t slot) const;
  std::string print(int32_t slot, int precedence, int depth) const;

  const dynac_artifact_t &artifact;
  std::vector<bool> runtime;
  std::vector<std::vector<int32_t>> users; // per symbol: the slots that use it, rising
  SlotValues constants;
};

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_DIMS_H
