//===- Plan.h - what the schedule phase makes: kernels and steps -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's side of `Runtime/abi.h`: the same tables, growable. Every target fills a `Plan`;
// the artifact writer turns it into constant data. Field meanings are those of abi.h and are not
// repeated here.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_PLAN_H
#define DYNAC_TARGET_COMMON_PLAN_H

#include "dynac/Runtime/abi.h"
#include "dynac/Support/SymExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dynac {

/// A weight of the artifact: its place in the table and a way to produce its bytes. Bytes are
/// produced when the artifact is written, in table order, one weight at a time.
struct PlanWeight {
  std::string name;
  dynac_dtype_t dtype = DYNAC_DTYPE_INVALID;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  /// Fills `out` (of `bytes` bytes). Deterministic: the result must not depend on the compiling
  /// CPU.
  std::function<llvm::Error(llvm::MutableArrayRef<char> out)> fill;
};

struct PlanValue {
  std::string name;
  dynac_dtype_t dtype = DYNAC_DTYPE_INVALID;
  std::vector<int32_t> dimSlots;
  int32_t buffer = -1;
  int32_t aliasInput = -1;
};

/// The fields of dynac_growth_t.
struct PlanGrowth {
  int32_t input, output, axis;
  int64_t capacity;
};

struct PlanSymbol {
  std::string name;
  int64_t min = 0, max = INT64_MAX, multipleOf = 1;
  int32_t slot = -1;
  bool dataDependent = false;
};

struct PlanKernel {
  std::string name; ///< unique; also the stem of its function symbols
  std::string kind;
  /// Symbol of its body for each target of the plan; "" where a lower target's body serves.
  std::vector<std::string> bodies;
  int64_t scratchBytes = 0;
};

/// The fields of dynac_step_work_t; -1: not known.
struct PlanWork {
  int32_t flopsSlot = -1, bytesSlot = -1, weightBytesSlot = -1;
  dynac_dtype_t factor = DYNAC_DTYPE_INVALID;
  int32_t firstResult = -1, resultCount = 0;
};

struct PlanStep {
  dynac_step_kind_t kind = DYNAC_STEP_KERNEL;
  int32_t index = 0, index2 = -1, extentSlot = -1;
  std::vector<int32_t> buffers, dims;
  int64_t grain = 1;
  std::string name;
  PlanWork work;
};

struct Plan {
  std::string name; ///< of the model
  uint64_t irHash = 0;
  std::vector<dynac_target_t> targets; ///< names are string literals
  std::vector<PlanValue> inputs, outputs;
  std::vector<PlanGrowth> growths;
  std::vector<PlanSymbol> symbols;
  std::vector<dynac_expr_t> exprs;
  std::vector<dynac_buffer_t> buffers;
  std::vector<PlanWeight> weights;
  std::vector<PlanKernel> kernels;
  std::vector<PlanStep> steps;
  std::vector<dynac_block_t> blocks;
  std::vector<std::string> messages, hostKernels;

  /// The slot that holds `expr`, made if need be. Its symbols are added to `symbols` (unbounded) on
  /// first use.
  int32_t slotOf(const SymExpr &expr);
  /// The same for what only profiles read: -1 where `expr` is an overflow.
  int32_t slotOrNone(const SymExpr &expr) { return expr.isOverflow() ? -1 : slotOf(expr); }
  /// Whether a slot is asked for that no run can compute.
  bool overflows() const;
  /// The slot of symbol `name`.
  int32_t symbolSlot(llvm::StringRef name);
  /// Index of `text` in `messages`, added if new.
  int32_t messageOf(llvm::StringRef text);

private:
  std::map<std::string, int32_t> slots; ///< by canonical text
};

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_PLAN_H
