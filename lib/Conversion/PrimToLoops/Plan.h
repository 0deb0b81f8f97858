//===- Plan.h - the loops of a region's roots -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_CONVERSION_PRIMTOLOOPS_PLAN_H
#define DYNAC_LIB_CONVERSION_PRIMTOLOOPS_PLAN_H

#include "Index.h"
#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::loops {

/// What one loop nest computes: some results of equal shape, or all results of one whole-tensor op.
struct RootPlan {
  llvm::SmallVector<unsigned> results;
  mlir::Operation *special = nullptr;
  prim::Shape shape;
  /// The axes before `unitDims` are units. Those up to `firstInner` and then those from there on,
  /// as one long loop, are inside of a unit.
  size_t unitDims = 0, firstInner = 0;
  /// Units are elements; all axes are one loop.
  bool unitsAreElements = false;
  /// If not 0: a unit is a piece of so many steps of the inner loop.
  int64_t chunk = 0;
  /// An axis along which an operand is contiguous that the inner loop strides through (a
  /// transposition): a unit is a block of `blockRows` of its places, done in pieces of
  /// `blockColumns` inner steps.
  std::optional<size_t> blockedAxis;
  static constexpr int64_t blockRows = 32, blockColumns = 64;
  /// Some reduction is computed for a row of lanes at a time.
  bool rows = false;
  /// Some reduction is done once for a unit's row, before the loops over the row.
  bool reducesRow = false;
  SymExpr units;
  /// Estimated scalar operations per unit.
  double unitCost = 1;

  llvm::ArrayRef<SymExpr> outerDims() const { return llvm::ArrayRef(shape).take_front(unitDims); }
  /// outerDims with the number of blocks along the blocked axis.
  llvm::SmallVector<SymExpr> blockDims() const {
    llvm::SmallVector<SymExpr> dims(outerDims());
    dims[*blockedAxis] = dims[*blockedAxis].ceilDiv(blockRows);
    return dims;
  }
  llvm::ArrayRef<SymExpr> middleDims() const {
    return llvm::ArrayRef(shape).slice(unitDims, firstInner - unitDims);
  }
  llvm::ArrayRef<SymExpr> innerDims() const { return llvm::ArrayRef(shape).drop_front(firstInner); }
};

/// All roots of a region; `units` is the largest number of units of a root.
struct RegionPlan {
  llvm::SmallVector<RootPlan> roots;
  SymExpr units;
};
RegionPlan planRegion(prim::RegionOp region);

/// Ops that are coded for the whole tensor and cannot be pulled element by element.
bool isSpecial(mlir::Operation *op);

/// The value that the region yields as result `number`.
mlir::Value yielded(prim::RegionOp region, unsigned number);

} // namespace dynac::loops

#endif // DYNAC_LIB_CONVERSION_PRIMTOLOOPS_PLAN_H
