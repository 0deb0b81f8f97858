//===- RegionPlanner.h - kernels of regions for x86 CPUs --------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_REGIONPLANNER_H
#define DYNAC_TARGET_CPU_REGIONPLANNER_H

#include "dynac/Target/CPU/GemmKernel.h"
#include "dynac/Target/Common/Schedule.h"
#include "dynac/Target/Common/Tuning.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <set>

namespace dynac::cpu {

/// Plans every region for the given CPU levels: by the claimed kernel that its root names, or the
/// generic way. Kernels are emitted into `kernels`.
class CpuRegionPlanner : public RegionPlanner {
public:
  /// `strict`: kernels add the products that the model names, with nothing transformed or left out
  /// for speed; only the order of sums is theirs.
  CpuRegionPlanner(mlir::ModuleOp kernels, llvm::ArrayRef<Isa> isas, bool strict = false)
      : kernels(kernels), isas(isas), strict(strict) {}

  llvm::Expected<RegionPlan> planRegion(prim::RegionOp region, Plan &plan,
                                        WeightStore &weights) override;

  /// Emits a kernel for each level by `body(symbol, isa)` and returns the symbols. A level that
  /// multiplies matrices shares the other kernels with the level below: it has a body (""
  /// otherwise) only if `takesTiles(isa)`. So does, if the kernel `isF32`, a level that has no more
  /// than products of shorter numbers beyond the one below.
  std::vector<std::string> emitBodies(llvm::StringRef name,
                                      llvm::function_ref<void(llvm::StringRef, const Isa &)> body,
                                      llvm::function_ref<bool(const Isa &)> takesTiles = nullptr,
                                      bool isF32 = false) const;

  mlir::ModuleOp kernels;
  llvm::SmallVector<Isa> isas;
  const bool strict;
  /// Packed weights by what they are made of, so that two users share one.
  std::map<std::string, int64_t> packed;
  /// How weights of matrix products are stored.
  WeightFormat weightFormat;
  struct WeightError {
    std::string layer; ///< the names of the product's nodes
    std::string weight;
    double relative;
  };
  /// By number of the packed weight: what storing it in fewer bits costs. Filled while the weights
  /// are written.
  std::shared_ptr<std::map<int64_t, WeightError>> weightErrors =
      std::make_shared<std::map<int64_t, WeightError>>();

  /// Measured choices, or null: policies alone choose.
  const TuningCache *tuning = nullptr;
  /// The CPU whose lines come first; "" for an answer that depends on the cache alone.
  std::string tuningCpu;
  /// The choice to take whatever the cache says, if the kernel has as many knobs.
  std::optional<Choice> forced;

  /// What a claimed kernel chooses of what it leaves open.
  Choice choose(const OpenKernel &kernel);
  /// What the region that was planned last leaves open.
  std::optional<OpenKernel> open;
  /// Kernels whose line in the cache names choices that they do not have: it is not followed.
  std::set<std::string> misfits;

private:
  llvm::Expected<RegionPlan> planGeneric(prim::RegionOp region, Plan &plan);
};

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_REGIONPLANNER_H
