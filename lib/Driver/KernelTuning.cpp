//===- KernelTuning.cpp - measured choices in a compilation ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTuning.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/MappedFile.h"
#include "dynac/Support/OutputFile.h"
#include "dynac/Target/CPU/Tuner.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace dynac {

llvm::Expected<TuningCache> readTuningCache(const CompileOptions &options) {
  if (options.tuningCache.empty() ||
      (options.mode == Mode::MaxAutotune && !llvm::sys::fs::exists(options.tuningCache)))
    return TuningCache();
  auto file = MappedFile::open(options.tuningCache);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<char> bytes = (*file)->bytes();
  return TuningCache::parse(StringRef(bytes.data(), bytes.size()), options.tuningCache);
}

/// What others wrote in the meantime stays.
static llvm::Error writeTuningCache(const CompileOptions &options, const TuningCache &cache) {
  auto merged = readTuningCache(options);
  if (!merged)
    return merged.takeError();
  merged->merge(cache);
  auto file = OutputFile::create(options.tuningCache);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(merged->text()))
    return error;
  return file->commit();
}

/// The usual size of a symbol, as `--dim` says.
static std::optional<int64_t> usualSize(const CompileOptions &options, std::string_view symbol) {
  for (const DimOption &dim : options.dims)
    if (SymExpr::symbol(dim.name).str() == symbol)
      return dim.hint ? dim.hint : dim.min == dim.max ? std::optional(dim.min) : std::nullopt;
  return std::nullopt;
}

static std::string describe(StringRef spec, const TuningEntry &entry) {
  std::string text = spec.str() + ":";
  if (entry.values.empty())
    return text + " the usual choice";
  for (const auto &[name, value] : entry.values)
    text += " " + name + "=" + std::to_string(value);
  return text + llvm::formatv(", {0:f1} % faster", (1 - entry.ratio) * 100).str();
}

static llvm::Error tuneAndSchedule(func::FuncOp main, cpu::CpuRegionPlanner &planner,
                                   TuningCache &cache, WeightStore &weights, Plan &plan,
                                   const CompileOptions &options, Progress &progress) {
  const dynac_cpu_level_t host = cpu::hostCpuLevel();
  const auto *isa = llvm::find_if(llvm::reverse(planner.isas), [&](const cpu::Isa &candidate) {
                      return candidate.level <= host;
                    }).base();
  if (isa == planner.isas.begin())
    return noDevice("--mode max-autotune: this CPU runs none of the levels that --march names");
  planner.tuningCpu = llvm::sys::getHostCPUName().str();
  cpu::TunerOptions tuner{
      *std::prev(isa), planner.tuningCpu,
      [&](std::string_view symbol) { return usualSize(options, symbol); },
      [&](StringRef spec, unsigned choice) { progress.tries(spec, choice); },
      [&](StringRef spec, const TuningEntry &entry) { progress.info(describe(spec, entry)); }};
  cpu::TuningPlanner tuning(planner, cache, std::move(tuner));
  llvm::Error error = dynac::schedule(main, tuning, weights, plan);
  if (!tuning.unknownSizes.empty())
    progress.warning(llvm::formatv("{0} kernels were not tuned as their sizes are not known: --dim "
                                   "NAME=MIN..MAX:USUAL gives the usual ones",
                                   tuning.unknownSizes.size())
                         .str());
  return error;
}

llvm::Error scheduleTuned(func::FuncOp main, cpu::CpuRegionPlanner &planner, WeightStore &weights,
                          Plan &plan, const CompileOptions &options, Progress &progress) {
  auto cache = readTuningCache(options);
  if (!cache)
    return cache.takeError();
  planner.tuning = &*cache;
  const bool tunes = options.mode == Mode::MaxAutotune;
  llvm::Error error = tunes
                          ? tuneAndSchedule(main, planner, *cache, weights, plan, options, progress)
                          : dynac::schedule(main, planner, weights, plan);
  planner.tuning = nullptr;
  for (const std::string &spec : planner.misfits)
    progress.warning(options.tuningCache + ": the line of " + spec +
                     " names a choice that there is not; it is not followed");
  if (error || !tunes || options.tuningCache.empty())
    return error;
  return writeTuningCache(options, *cache);
}

} // namespace dynac
