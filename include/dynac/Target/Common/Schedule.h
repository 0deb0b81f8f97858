//===- Schedule.h - from kernel regions to a plan ---------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule phase walks a fused function and fills the plan: a buffer per value, a step per
// region, one kernel for all regions that are the same up to the names of their symbols. What a
// kernel looks like is the target's business.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_SCHEDULE_H
#define DYNAC_TARGET_COMMON_SCHEDULE_H

#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Target/Common/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dynac {

/// How a target runs one region.
struct RegionPlan {
  std::string key;  ///< regions with equal keys share a kernel
  std::string kind; ///< for tables and profiles
  /// Values of the kernel's dimension arguments, in its order.
  llvm::SmallVector<SymExpr> dims;
  SymExpr units = 1; ///< work units of the step
  int64_t grain = 1; ///< units below which splitting does not pay
  int64_t scratchBytes = 0;
  /// Operands whose buffer is another weight than the operand's own (packed weights), by operand
  /// number.
  llvm::SmallDenseMap<unsigned, int64_t> weights;
  /// Multiplications that the kernel does for the region's composite; negative: those that it does
  /// without, of those that the region's products and convolutions are.
  SymExpr products = 0;
  /// The operands that the kernel reads, in the order of its buffers; nothing: all, in their order.
  std::optional<llvm::SmallVector<unsigned>> operands;
  /// Bytes read of operands that the kernel reads in part, in a way that only it knows.
  llvm::SmallDenseMap<unsigned, SymExpr> bytesRead;
  /// Temporary memory of the step: buffers after the results'.
  llvm::SmallVector<mlir::RankedTensorType> workspace;
  /// Emits the kernel under symbols that start with `name`; called once per key. Returns one symbol
  /// per target of the plan ("" where a lower target's body serves).
  std::function<llvm::Expected<std::vector<std::string>>(llvm::StringRef name)> emit;
};

/// What a target brings to the schedule phase.
class RegionPlanner {
public:
  virtual ~RegionPlanner() = default;
  /// The error names the region's nodes if no kernel can be made (exit code 4).
  virtual llvm::Expected<RegionPlan> planRegion(prim::RegionOp region, Plan &plan,
                                                WeightStore &weights) = 0;
};

/// Fills `plan` from @main of a fused module. `plan.targets` is set before. Names of inputs and
/// outputs come from argument and result attributes `dynac.name`, the types of those that are
/// packed bytes from `dynac.type`.
llvm::Error schedule(mlir::func::FuncOp main, RegionPlanner &target, WeightStore &weights,
                     Plan &plan);

/// The region with its symbols renamed to s0, s1, … in order of first appearance, in a module of
/// its own, and the renamed symbols in that order. Equal regions up to names give equal text.
struct CanonicalRegion {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  prim::RegionOp region;
  llvm::SmallVector<std::string> symbols;
  std::string text;
};
CanonicalRegion canonicalRegion(prim::RegionOp region);

/// "name of a, name of b": the model's node names that `loc` carries.
std::string nodeNames(mlir::Location loc);

/// The ABI's number for an element type; DYNAC_DTYPE_INVALID if it has none.
dynac_dtype_t dtypeOf(mlir::Type elementType);
/// Bytes of a tensor, as an expression.
SymExpr byteSize(mlir::Type tensor);

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_SCHEDULE_H
