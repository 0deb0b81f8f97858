//===- Nest.cpp - the loop nests over a region's results ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

void Emitter::run() {
  RegionPlan plan = planRegion(region);
  for (const RootPlan &root : plan.roots) {
    Value begin = frame.begin, end = frame.end;
    if (root.units != plan.units) {
      // The same share of this root's own units: [begin * own / all, end * own / all).
      Value own = dim(root.units), all = dim(SymExpr::max(plan.units, 1));
      begin = b.create<arith::DivUIOp>(loc, mul(begin, own), all);
      end = b.create<arith::DivUIOp>(loc, mul(end, own), all);
    }
    emitRoot(root, begin, end);
  }
}

void Emitter::emitRoot(const RootPlan &plan, Value begin, Value end) {
  if (plan.special) {
    TypeSwitch<Operation *>(plan.special)
        .Case([&](prim::SortOp op) { emitSort(op, begin, end); })
        .Case([&](prim::TopKOp op) { emitTopK(op, begin, end); })
        .Case([&](prim::CumulativeOp op) { emitCumulative(op, begin, end); })
        .Case([&](prim::ScatterOp op) { emitScatter(op, begin, end); })
        .Case([&](prim::NonzeroOp op) { emitNonzero(op, begin, end); })
        .Case([&](prim::FftOp op) { emitFft(op, begin, end); });
    return;
  }
  SymExpr inner = prim::elementCount(plan.innerDims());
  if (plan.unitsAreElements())
    return emitInner(plan, {}, begin, end, inner);
  loop(begin, end, constantIndex(1), [&](Value iv) {
    Index unit = variable(iv, plan.units);
    if (!plan.chunk)
      return emitInner(plan, space.split(unit, plan.outerDims()), constantIndex(0), dim(inner), inner);
    SmallVector<SymExpr> dims(plan.outerDims());
    dims.push_back(inner.ceilDiv(plan.chunk));
    Indices outer = space.split(unit, dims);
    Value lb = mul(index(outer.pop_back_val()), constantIndex(plan.chunk));
    Value ub = b.create<arith::MinSIOp>(loc, add(lb, constantIndex(plan.chunk)), dim(inner));
    emitInner(plan, outer, lb, ub, inner);
  });
}

/// The loop over inner elements [lb, ub) out of `extent`.
void Emitter::emitInner(const RootPlan &plan, IndicesRef outer, Value lb, Value ub, const SymExpr &extent) {
  if (!plan.rows)
    return loop(lb, ub, constantIndex(1),
                [&](Value iv) { emitElements(plan, outer, variable(iv, extent)); });
  // Full tiles have a constant number of lanes, so LLVM can keep their accumulators in registers.
  Value lanes = constantIndex(rowLanes);
  Value rest = b.create<arith::RemUIOp>(loc, sub(ub, lb), lanes);
  Value full = sub(ub, rest);
  const bool isWhole = !plan.unitsAreElements() && !plan.chunk;
  std::optional<int64_t> count = extent.constant();
  if (!count || *count >= rowLanes)
    loop(lb, full, lanes, [&](Value start) { emitTile(plan, outer, start, lanes, extent); });
  if (isWhole && count && *count % rowLanes == 0)
    return;
  loop(full, ub, lanes, [&](Value start) {
    Value lanesLeft = isWhole && count ? constantIndex(*count % rowLanes) : sub(ub, start);
    emitTile(plan, outer, start, lanesLeft, extent);
  });
}

void Emitter::emitTile(const RootPlan &plan, IndicesRef outer, Value start, Value count,
                       const SymExpr &extent) {
  Index tile = variable(start, extent);
  loop(constantIndex(0), count, constantIndex(1), [&](Value iv) {
    Var lane;
    lane.extent = SymExpr::min(extent, rowLanes);
    lane.value = iv;
    lane.level = level();
    lane.isLane = true;
    unsigned var = space.addVar(std::move(lane));
    laneCounts[var] = count;
    Index form = tile;
    form = form + space.of(var);
    emitElements(plan, outer, space.digit(form, 1, 0, extent));
  });
}

void Emitter::emitElements(const RootPlan &plan, IndicesRef outer, const Index &inner) {
  Indices indices(outer);
  indices.append(space.split(inner, plan.innerDims()));
  Values scalars;
  for (unsigned result : plan.results)
    scalars.push_back(emit(yielded(region, result), indices));
  for (auto [result, scalar] : llvm::zip(plan.results, scalars))
    store(result, indices, scalar);
}

//===----------------------------------------------------------------------===//
// Whole-tensor ops
//===----------------------------------------------------------------------===//

Indices Emitter::lineIndices(Value unit, Dims shape, int64_t axis) {
  SmallVector<SymExpr> kept(shape);
  kept.erase(kept.begin() + axis);
  Indices indices = space.split(variable(unit, prim::elementCount(kept)), kept);
  indices.insert(indices.begin() + axis, Index());
  return indices;
}

SmallVector<unsigned> Emitter::resultsOf(Value value) {
  SmallVector<unsigned> results;
  for (unsigned number = 0; number < region.getNumResults(); ++number)
    if (yielded(region, number) == value)
      results.push_back(number);
  return results;
}

void Emitter::storeAll(Value result, IndicesRef indices, Value scalar) {
  for (unsigned number : resultsOf(result))
    store(number, indices, scalar);
}

llvm::Error dynac::emitRegion(prim::RegionOp region, KernelFrame &frame) {
  std::string reason = whyNotSupported(region);
  if (!reason.empty())
    return makeDiagnostic(ExitCode::Unsupported, reason);
  Emitter(region, frame).run();
  return llvm::Error::success();
}
