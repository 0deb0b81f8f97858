//===- KernelTuning.h - measured choices in a compilation -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_DRIVER_KERNELTUNING_H
#define DYNAC_LIB_DRIVER_KERNELTUNING_H

#include "dynac/Driver/Pipeline.h"
#include "dynac/Target/CPU/RegionPlanner.h"

namespace dynac {

/// The file that `options` name, an empty cache without one. With Mode::MaxAutotune the file need
/// not exist. Errors: ExitCode::Usage, ExitCode::System.
llvm::Expected<TuningCache> readTuningCache(const CompileOptions &options);

/// Schedules `main` with the choices of the tuning cache; with Mode::MaxAutotune measures what is
/// missing and writes the file. Without that mode the plan depends on the arguments alone, not on
/// the machine.
llvm::Error scheduleTuned(mlir::func::FuncOp main, cpu::CpuRegionPlanner &planner,
                          WeightStore &weights, Plan &plan, const CompileOptions &options,
                          Progress &progress);

} // namespace dynac

#endif // DYNAC_LIB_DRIVER_KERNELTUNING_H
