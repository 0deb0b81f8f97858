//===- TunerRun.h - one kernel in this process, with made-up data -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_TUNERRUN_H
#define DYNAC_LIB_TARGET_CPU_TUNERRUN_H

#include "dynac/Target/Common/Schedule.h"

namespace dynac::cpu {

/// A kernel loaded into this process, and memory for its buffers.
class TunerRun {
public:
  /// Emits `plan`'s kernel into `kernels`, compiles and loads it. `sizeOf`: values of symbols.
  /// Null if a size is not known, or there is too much memory to ask for.
  static llvm::Expected<std::unique_ptr<TunerRun>>
  load(prim::RegionOp region, const RegionPlan &plan, mlir::ModuleOp kernels,
       const WeightStore &weights,
       const std::function<std::optional<int64_t>(std::string_view)> &sizeOf);
  ~TunerRun();

  int64_t units() const { return unitCount; }
  /// Runs all units `times` times on this thread and returns the CPU seconds; negative if the
  /// kernel refuses the data.
  double seconds(int64_t times);

private:
  TunerRun();

  struct Memory;
  struct Code;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Code> code;
  int64_t unitCount = 0;
};

/// The least time of `candidate` as a share of the least time of `base`, in turns.
double ratio(TunerRun &candidate, TunerRun &base);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_TUNERRUN_H
