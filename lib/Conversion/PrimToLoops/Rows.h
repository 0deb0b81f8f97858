//===- Rows.h - what passes over one row keep for each other ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reduces rows and then uses the results in the same rows goes over a row several
// times: once for each reduction, last for its own results. What two passes need is computed again
// if that is cheap; else the first pass that has it keeps it for the others, as softmax keeps its
// exponentials between their sum and the division.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ROWS_H
#define DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ROWS_H

#include "Access.h"
#include "Plan.h"

namespace dynac::loops {

/// Memory for one row of values at a time.
struct RowSlot {
  /// The result in whose memory the row lies, before the last pass writes the result there;
  /// nothing: an array on the stack.
  std::optional<unsigned> result;
  mlir::Type elementType; ///< as of memoryType
  int64_t elements = 0;   ///< of the array
  mlir::Value array;      ///< set when it is made
  struct Lifetime {
    size_t first, last;
  };
  llvm::SmallVector<Lifetime, 2> used; ///< passes
};

struct KeptValue {
  mlir::Value value;
  size_t firstPass;
  size_t slot;
};

struct RowPass {
  mlir::Operation *reduce = nullptr;          ///< null: the loops over the results
  Indices indices;                            ///< at which the reduction is asked for
  llvm::SmallVector<size_t, 2> reads, writes; ///< numbers of kept values
};

struct RowSchedule {
  std::vector<RowPass> passes; ///< in order
  llvm::SmallVector<KeptValue> kept;
  std::vector<RowSlot> slots;
  /// The trailing axes of kept values that are the row.
  size_t rowAxes = 0;

  /// The values that the pass of `reduce` at `indices` (null: the last pass) reads back.
  llvm::SmallVector<mlir::Value, 2> readsOf(size_t pass) const;
  std::optional<size_t> passOf(mlir::Operation *reduce, IndicesRef indices) const;
};

/// Plans the passes over the row at `outer`, the indices of `plan`'s units.
RowSchedule scheduleRow(IndexSpace &space, prim::RegionOp region, const RootPlan &plan,
                        IndicesRef outer);

} // namespace dynac::loops

#endif // DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ROWS_H
