//===- Tuner.h - measures the choices of kernels on this CPU ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_TUNER_H
#define DYNAC_TARGET_CPU_TUNER_H

#include "dynac/Target/CPU/RegionPlanner.h"
#include "dynac/Target/Common/Tuning.h"

#include <set>

namespace dynac::cpu {

/// What a tuner has to know.
struct TunerOptions {
  Isa isa;         ///< whose code is measured: this machine runs it
  std::string cpu; ///< this machine's name in the cache
  /// The usual size of a symbol; nothing: kernels of such sizes are not tuned.
  std::function<std::optional<int64_t>(std::string_view)> sizeOf;
  /// Called before each choice is compiled and measured.
  std::function<void(llvm::StringRef spec, unsigned choice)> trying;
  /// Called with each kernel that has been tuned.
  std::function<void(llvm::StringRef spec, const TuningEntry &entry)> tuned;
};

/// Plans regions as `inner` does, whose cache it fills: of each kernel that leaves decisions open
/// and has no line for this machine, it first compiles and runs the choices, alone, on made-up
/// data. Knobs are varied one after the other, starting from the policy's values; what is more than
/// 3 % faster than these is kept. Times are of one thread, the least of runs that take turns with
/// the policy's.
class TuningPlanner : public RegionPlanner {
public:
  TuningPlanner(CpuRegionPlanner &inner, TuningCache &cache, TunerOptions options)
      : inner(inner), cache(cache), options(std::move(options)) {}

  llvm::Expected<RegionPlan> planRegion(prim::RegionOp region, Plan &plan,
                                        WeightStore &weights) override;

  /// Specs that were not tuned as a size is not known.
  std::set<std::string> unknownSizes;

private:
  class Search;

  CpuRegionPlanner &inner;
  TuningCache &cache;
  TunerOptions options;
};

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_TUNER_H
