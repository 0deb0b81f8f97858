//===- Tuner.cpp - measures the choices of kernels on this CPU ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/Tuner.h"

#include "TunerRun.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

/// A choice is kept if its time is below this share of the policy's.
static constexpr double worthKeeping = 0.97;
/// Differences below this share are noise while searching.
static constexpr double noise = 0.01;
/// A choice may not leave fewer units than this to share among threads, if the policy leaves more.
static constexpr int64_t fewestUnits = 16;

/// The search for one region's best choice.
class TuningPlanner::Search {
public:
  Search(TuningPlanner &tuner, RegionOp region, WeightStore &weights, const OpenKernel &open)
      : tuner(tuner), region(region), weights(weights), open(open) {}

  /// Nothing if the region cannot be run: a size is not known, or it is too large.
  llvm::Expected<std::optional<TuningEntry>> run();

private:
  llvm::Expected<std::unique_ptr<TunerRun>> load(const Choice &choice);
  /// The time of `choice` as a share of the policy's; 2 if it is out of the question.
  llvm::Expected<double> ratioOf(const Choice &choice);
  llvm::Error vary(unsigned knob);

  TuningPlanner &tuner;
  RegionOp region;
  WeightStore &weights;
  const OpenKernel &open;
  std::unique_ptr<TunerRun> policy;
  Choice best;
  double bestRatio = 1;
  unsigned tried = 0;
};

llvm::Expected<std::unique_ptr<TunerRun>> TuningPlanner::Search::load(const Choice &choice) {
  if (tuner.options.trying)
    tuner.options.trying(open.spec, ++tried);
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(UnknownLoc::get(region.getContext()));
  CpuRegionPlanner planner(*kernels, tuner.options.isa, tuner.inner.strict);
  planner.forced = choice;
  planner.weightFormat = tuner.inner.weightFormat;
  Plan messages;
  auto plan = planner.planRegion(region, messages, weights);
  if (!plan)
    return plan.takeError();
  return TunerRun::load(region, *plan, *kernels, weights, tuner.options.sizeOf);
}

llvm::Expected<double> TuningPlanner::Search::ratioOf(const Choice &choice) {
  auto run = load(choice);
  if (!run)
    return run.takeError();
  if (!*run || (*run)->units() < std::min(policy->units(), fewestUnits))
    return 2;
  return ratio(**run, *policy);
}

llvm::Error TuningPlanner::Search::vary(unsigned knob) {
  const Choice start = best;
  for (int64_t value : open.knobs[knob].legal) {
    if (value == start[knob])
      continue;
    Choice choice = start;
    choice[knob] = value;
    auto ratio = ratioOf(choice);
    if (!ratio)
      return ratio.takeError();
    if (*ratio < bestRatio - noise) {
      bestRatio = *ratio;
      best = choice;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<TuningEntry>> TuningPlanner::Search::run() {
  best = open.preferred();
  auto loaded = load(best);
  if (!loaded)
    return loaded.takeError();
  policy = std::move(*loaded);
  if (!policy)
    return std::nullopt;
  for (unsigned knob = 0; knob < open.knobs.size(); ++knob)
    if (llvm::Error error = vary(knob))
      return std::move(error);
  TuningEntry entry;
  if (best == open.preferred())
    return entry;
  // The least of many times flatters: the winner has to win once more.
  auto again = ratioOf(best);
  if (!again)
    return again.takeError();
  if (*again >= worthKeeping)
    return entry;
  entry.ratio = *again;
  for (auto [knob, value] : llvm::zip(open.knobs, best))
    if (value != knob.preferred)
      entry.values[knob.name] = value;
  return entry;
}

llvm::Expected<RegionPlan> TuningPlanner::planRegion(RegionOp region, Plan &plan,
                                                     WeightStore &weights) {
  auto usual = inner.planRegion(region, plan, weights);
  if (!usual || !inner.open)
    return usual;
  const OpenKernel open = *inner.open;
  const TuningEntry *known = cache.findExact(open.spec, options.isa.name, options.cpu);
  if ((known && choiceOf(open, *known)) || unknownSizes.count(open.spec))
    return usual;
  auto entry = Search(*this, region, weights, open).run();
  if (!entry)
    return entry.takeError();
  if (!*entry) {
    unknownSizes.insert(open.spec);
    return usual;
  }
  cache.replace(open.spec, options.isa.name, options.cpu, **entry);
  if (options.tuned)
    options.tuned(open.spec, **entry);
  return inner.planRegion(region, plan, weights);
}
