//===- RegionPlanner.cpp - kernels of regions for x86 CPUs ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/RegionPlanner.h"

#include "Claim.h"
#include "dynac/Conversion/PrimToLoops.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "dynac/Target/CPU/Passes.h"
#include "dynac/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

llvm::ArrayRef<ClaimedKernel> dynac::cpu::claimTable() {
  static const ClaimedKernel table[] = {attentionClaim, gemmClaim,      batchedGemmClaim,
                                        convClaim,      depthwiseClaim, groupedClaim};
  return table;
}

std::vector<std::string>
CpuRegionPlanner::emitBodies(StringRef name, llvm::function_ref<void(StringRef, const Isa &)> body,
                             llvm::function_ref<bool(const Isa &)> takesTiles, bool isF32) const {
  std::vector<std::string> symbols;
  const Isa *below = nullptr;
  for (const Isa &isa : isas) {
    bool isShared = isa.matrices != MatrixUnit::None && !(takesTiles && takesTiles(isa));
    if (below && isF32)
      isShared |= isa.matrices == MatrixUnit::None && isa.lanes == below->lanes &&
                  isa.hasFma == below->hasFma;
    below = &isa;
    if (isShared && !symbols.empty()) {
      symbols.emplace_back();
      continue;
    }
    symbols.push_back((name + "." + isa.suffix).str());
    body(symbols.back(), isa);
  }
  return symbols;
}

std::string dynac::cpu::specText(const Extent &extent) {
  return extent.dynamic ? "?" : std::to_string(extent.value);
}

std::string dynac::cpu::specText(llvm::ArrayRef<Extent> extents) {
  return llvm::join(llvm::map_range(extents, [](const Extent &e) { return specText(e); }), "x");
}

llvm::StringRef dynac::cpu::dotName(DotKind kind) {
  return kind == DotKind::F32 ? "f32" : kind == DotKind::Bf16 ? "bf16" : "u8s8";
}

llvm::Expected<RegionPlan> CpuRegionPlanner::planRegion(RegionOp region, Plan &plan,
                                                        WeightStore &weights) {
  open.reset();
  if (std::optional<StringRef> claim = region.getClaim())
    for (const ClaimedKernel &kernel : claimTable())
      if (kernel.name == *claim)
        for (Operation &op : region.getBody().front())
          if (op.hasAttr(kClaimAttr))
            return kernel.plan(region, &op, *this, weights);
  return planGeneric(region, plan);
}

Choice CpuRegionPlanner::choose(const OpenKernel &kernel) {
  open = kernel;
  if (forced && forced->size() == kernel.knobs.size())
    return *forced;
  if (!tuning)
    return kernel.preferred();
  std::vector<std::string> levels;
  for (const Isa &isa : isas)
    levels.push_back(isa.name.str());
  const TuningEntry *entry = tuning->find(kernel.spec, levels, tuningCpu);
  if (!entry)
    return kernel.preferred();
  if (std::optional<Choice> choice = choiceOf(kernel, *entry))
    return *choice;
  misfits.insert(kernel.spec);
  return kernel.preferred();
}

llvm::Expected<RegionPlan> CpuRegionPlanner::planGeneric(RegionOp region, Plan &plan) {
  auto canonical = std::make_shared<CanonicalRegion>(canonicalRegion(region));
  std::string reason = whyNotSupported(canonical->region);
  if (!reason.empty())
    return unsupported("{0}: {1}", nodeNames(region.getLoc()), reason);

  RegionPlan result;
  result.key = canonical->text;
  result.kind = region.getKind().str();
  // The kernel is emitted for the canonical names; the step passes the model's own expressions.
  auto toModel = [&](const SymExpr &expr) {
    return expr.substitute([&](std::string_view name) -> std::optional<SymExpr> {
      unsigned index;
      if (StringRef(name).drop_front().getAsInteger(10, index))
        return std::nullopt;
      return SymExpr::symbol(canonical->symbols[index]);
    });
  };
  for (const SymExpr &dim : kernelDimsOf(canonical->region))
    result.dims.push_back(toModel(dim));
  RegionExtent extent = extentOf(canonical->region);
  result.units = toModel(extent.units);
  result.grain = extent.grain;
  result.scratchBytes = scratchBytesOf(canonical->region);
  for (RankedTensorType type : workspaceOf(canonical->region)) {
    Shape shape;
    for (const SymExpr &dim : shapeOf(type))
      shape.push_back(toModel(dim));
    result.workspace.push_back(tensorType(shape, type.getElementType()));
  }
  result.emit = [this, canonical,
                 &plan](StringRef name) -> llvm::Expected<std::vector<std::string>> {
    llvm::Error errors = llvm::Error::success();
    std::vector<std::string> symbols = emitBodies(name, [&](StringRef symbol, const Isa &isa) {
      SmallVector<BufferArg> buffers = bufferArgsOf<BufferArg>(canonical->region);
      KernelFunction kernel(kernels, symbol, isa, buffers, kernelDimsOf(canonical->region).size(),
                            scratchBytesOf(canonical->region));
      auto message = [&](StringRef text) { return plan.messageOf(text); };
      errors =
          llvm::joinErrors(std::move(errors), emitRegionKernel(canonical->region, kernel, message));
      kernel.finish();
    });
    if (errors)
      return std::move(errors);
    return symbols;
  };
  return result;
}

namespace {
struct ClaimPass : PassWrapper<ClaimPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClaimPass)
  StringRef getArgument() const override { return "cpu-claim"; }
  StringRef getDescription() const override {
    return "Marks the ops that have a CPU kernel of their own";
  }
  void runOnOperation() override {
    Builder b(&getContext());
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(kClaimAttr))
        return;
      for (const ClaimedKernel &kernel : claimTable()) {
        if (!kernel.matches(op))
          continue;
        op->setAttr(kClaimAttr, b.getStringAttr(kernel.name));
        if (kernel.takesEpilogue)
          op->setAttr(kEpilogueAttr, b.getUnitAttr());
        return;
      }
    });
  }
};
} // namespace

std::unique_ptr<Pass> dynac::cpu::createClaimPass() { return std::make_unique<ClaimPass>(); }
