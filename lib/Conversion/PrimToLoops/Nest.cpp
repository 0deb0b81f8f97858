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
  // Places in an axis of no elements are constants, and what hangs on constants alone would be
  // computed before the loops that never run.
  if (prim::elementCount(plan.shape).isZero())
    return;
  SymExpr inner = prim::elementCount(plan.innerDims());
  if (plan.unitsAreElements)
    return emitSplits(plan, {}, begin, end, inner);
  loop(begin, end, constantIndex(1), [&](Value iv) {
    Index unit = variable(iv, plan.units);
    if (plan.blockedAxis)
      return emitBlock(plan, unit);
    if (!plan.chunk) {
      Indices outer = space.split(unit, plan.outerDims());
      std::optional<RowSchedule> schedule;
      if (plan.reducesRow) {
        schedule = scheduleRow(space, region, plan, outer);
        row = &*schedule;
        for (const RowPass &pass : ArrayRef<RowPass>(schedule->passes).drop_back())
          emit(pass.reduce->getResult(0), pass.indices);
      }
      auto inside = [&](IndicesRef all) {
        emitSplits(plan, all, constantIndex(0), dim(inner), inner);
      };
      if (plan.middleDims().empty()) {
        inside(outer);
      } else {
        SymExpr steps = prim::elementCount(plan.middleDims());
        loop(steps, [&](Value step) {
          Indices all = outer;
          all.append(space.split(variable(step, steps), plan.middleDims()));
          inside(all);
        });
      }
      row = nullptr;
      return;
    }
    SmallVector<SymExpr> dims(plan.outerDims());
    dims.push_back(inner.ceilDiv(plan.chunk));
    Indices outer = space.split(unit, dims);
    Value lb = mul(index(outer.pop_back_val()), constantIndex(plan.chunk));
    Value ub = b.create<arith::MinSIOp>(loc, add(lb, constantIndex(plan.chunk)), dim(inner));
    emitSplits(plan, outer, lb, ub, inner);
  });
}

/// Pieces of rows of the inner loop, so that what they read with a stride is read again while it is
/// near.
void Emitter::emitBlock(const RootPlan &plan, const Index &unit) {
  SymExpr inner = prim::elementCount(plan.innerDims()), rows = plan.shape[*plan.blockedAxis];
  Indices outer = space.split(unit, plan.blockDims());
  Index first = outer[*plan.blockedAxis] * SymExpr(RootPlan::blockRows);
  Value begin = index(first);
  Value height =
      b.create<arith::MinSIOp>(loc, sub(dim(rows), begin), constantIndex(RootPlan::blockRows));
  loop(constantIndex(0), dim(inner), constantIndex(RootPlan::blockColumns), [&](Value lb) {
    Value ub =
        b.create<arith::MinSIOp>(loc, add(lb, constantIndex(RootPlan::blockColumns)), dim(inner));
    loop(constantIndex(0), height, constantIndex(1), [&](Value row) {
      Indices here = outer;
      here[*plan.blockedAxis] = space.digit(first + variable(row, RootPlan::blockRows), 1, 0, rows);
      emitSplits(plan, here, lb, ub, inner);
    });
  });
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

std::optional<size_t> Emitter::chosenSegment(Operation *op, size_t axis) const {
  for (const Choice &choice : choices)
    if (choice.op == op && choice.axis == axis)
      return choice.segment;
  return std::nullopt;
}

/// The loop over inner elements [lb, ub), cut where a concat changes its operand or a pad begins or
/// ends, so that no loop has to choose for each element.
void Emitter::emitSplits(const RootPlan &plan, IndicesRef outer, Value lb, Value ub,
                         const SymExpr &extent) {
  Index trial = space.make(extent, {}, level() + 1);
  std::optional<unsigned> var;
  if (!trial.isConstant())
    var = trial.terms[0].var;
  Indices indices(outer);
  indices.append(space.split(trial, plan.innerDims()));
  AccessWalker walker(space);
  for (unsigned result : plan.results)
    walker.walk(yielded(region, result), indices);
  SmallVector<Split> splits;
  size_t loops = 1;
  for (const Split &split : walker.splits) {
    std::optional<SymExpr> stride = var ? space.strideOf(split.index, *var) : SymExpr(0);
    loops *= split.bounds.size() + 1;
    if (split.isUnique && stride && (stride->isZero() || stride->isOne()) && loops <= 64)
      splits.push_back(split);
  }
  std::function<void(size_t, Value, Value)> from = [&](size_t number, Value first, Value last) {
    if (number == splits.size())
      return emitInner(plan, outer, first, last, extent);
    emitSplit(splits[number], var, first, last,
              [&](Value begin, Value end) { from(number + 1, begin, end); });
  };
  from(0, lb, ub);
}

/// Runs `inside` for each segment, with that segment chosen and its part of [lb, ub).
void Emitter::emitSplit(const Split &split, std::optional<unsigned> var, Value lb, Value ub,
                        llvm::function_ref<void(Value lb, Value ub)> inside) {
  const size_t segments = split.bounds.size() + 1;
  auto choose = [&](size_t segment, Value begin, Value end) {
    choices.push_back({split.op, split.axis, segment});
    inside(begin, end);
    choices.pop_back();
  };
  const bool isAlongLoop = var && !space.strideOf(split.index, *var)->isZero();
  // `var` has no value yet: where the index does not move along the loop, its start will do.
  Value start = index(var ? space.substitute(split.index, *var, Index()) : split.index);
  if (isAlongLoop) {
    for (size_t segment = 0; segment < segments; ++segment) {
      auto bound = [&](size_t number) { return sub(dim(split.bounds[number]), start); };
      Value begin = segment == 0 ? lb : b.create<arith::MaxSIOp>(loc, lb, bound(segment - 1));
      Value end = segment + 1 == segments ? ub : b.create<arith::MinSIOp>(loc, ub, bound(segment));
      choose(segment, begin, end);
    }
    return;
  }
  std::function<void(size_t)> from = [&](size_t segment) {
    if (segment + 1 == segments)
      return choose(segment, lb, ub);
    Value isHere = cmp(arith::CmpIPredicate::slt, start, dim(split.bounds[segment]));
    branch(
        isHere, TypeRange(),
        [&] {
          choose(segment, lb, ub);
          return Values();
        },
        [&] {
          from(segment + 1);
          return Values();
        });
  };
  from(0);
}

/// The loop over inner elements [lb, ub) out of `extent`.
void Emitter::emitInner(const RootPlan &plan, IndicesRef outer, Value lb, Value ub,
                        const SymExpr &extent) {
  if ((row || !plan.middleDims().empty()) && !plan.rows && choices.empty() &&
      emitVectors(plan, outer, extent))
    return;
  if (!plan.rows)
    return loop(lb, ub, constantIndex(1),
                [&](Value iv) { emitElements(plan, outer, variable(iv, extent)); });
  // Full tiles have a constant number of lanes, so LLVM can keep their accumulators in registers.
  Value lanes = constantIndex(rowLanes);
  const bool isWhole =
      !plan.unitsAreElements && !plan.chunk && !plan.blockedAxis && choices.empty();
  Value length = sub(ub, lb);
  if (!choices.empty())
    length = b.create<arith::MaxSIOp>(loc, length, constantIndex(0));
  Value full = sub(ub, b.create<arith::RemUIOp>(loc, length, lanes));
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

/// The loop over all of a row, as vectors; whether that can be.
bool Emitter::emitVectors(const RootPlan &plan, IndicesRef outer, const SymExpr &extent) {
  if (!fillsVectors(extent))
    return false;
  Var trial;
  trial.extent = extent;
  const unsigned var = space.addVar(std::move(trial));
  Indices indices(outer);
  indices.append(space.split(space.of(var), plan.innerDims()));
  SmallVector<Value, 2> known;
  if (row)
    known = row->readsOf(row->passes.size() - 1);
  for (unsigned result : plan.results) {
    std::optional<SymExpr> stride = space.strideOf(space.linearize(indices, plan.shape), var);
    if (!stride || !stride->isOne() || !isVector(yielded(region, result), indices, var, known))
      return false;
  }
  vectorLoop(extent, 2, {}, [&](unsigned inner, ValueRange) {
    emitElements(plan, outer, space.of(inner));
    return Values();
  });
  return true;
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
  if (row)
    readKept(row->passes.size() - 1, indices);
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
