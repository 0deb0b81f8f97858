//===- Rows.cpp - what passes over one row keep for each other ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "dynac/Conversion/PrimToLoops.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

/// What is cheaper than this is computed again: a load, and the store before, are no less.
static constexpr double keepCost = 4;
/// Rows on the stack: two of them leave half of a first-level cache.
static constexpr int64_t maxArrayBytes = 12288;
static constexpr size_t maxArrays = 2;

static bool isKnown(const IndexSpace &space, IndicesRef indices) {
  return llvm::all_of(indices, [&](const Index &index) {
    return llvm::all_of(index.terms, [&](const Term &term) {
      const Var &var = space[term.var];
      return var.parent ? isKnown(space, *var.parent) : bool(var.value);
    });
  });
}

namespace {

using Values = llvm::SetVector<Value>;

/// `value` and all that elementwise ops make it from: what is at the same place.
void collect(Value value, Values &values) {
  if (!values.insert(value))
    return;
  if (Operation *op = value.getDefiningOp(); op && prim::isElementwise(op))
    for (Value operand : op->getOperands())
      collect(operand, values);
}

class RowScheduler {
public:
  RowScheduler(IndexSpace &space, prim::RegionOp region, const RootPlan &plan, IndicesRef outer)
      : space(space), region(region), plan(plan), outer(outer) {}

  RowSchedule run() {
    findPasses();
    findPlaces();
    for (size_t pass = schedule.passes.size(); pass-- > 1;)
      if (isAtRow[pass]) {
        visited.clear();
        for (Value root : rootsOf(pass))
          choose(root, pass);
      }
    return std::move(schedule);
  }

private:
  /// The reductions that are known before the loops over the row begin, in program order.
  void findPasses() {
    for (const SymExpr &dim : ArrayRef(plan.shape).drop_front(plan.unitDims))
      inner.push_back(space.make(dim));
    Indices place(outer);
    place.append(inner);
    AccessWalker walker(space);
    for (unsigned result : plan.results)
      walker.walk(yielded(region, result), place);
    for (const AccessWalker::Asked &asked : walker.reductions)
      if (isKnown(space, asked.indices))
        schedule.passes.push_back({asked.op, asked.indices, {}, {}});
    llvm::stable_sort(schedule.passes, [](const RowPass &a, const RowPass &b) {
      return a.reduce->isBeforeInBlock(b.reduce);
    });
    schedule.passes.push_back({});
  }

  /// Finds the passes that go over the same row, and what each asks for there.
  void findPlaces() {
    std::optional<RowPass> first;
    for (size_t pass = 0; pass < schedule.passes.size(); ++pass) {
      isAtRow.push_back(isSameRow(schedule.passes[pass], first));
      values.emplace_back();
      if (isAtRow.back())
        for (Value root : rootsOf(pass))
          collect(root, values.back());
    }
  }

  bool isSameRow(const RowPass &pass, std::optional<RowPass> &first) {
    auto reduce = dyn_cast_or_null<prim::ReduceOp>(pass.reduce);
    if (pass.reduce && !reduce)
      return false;
    prim::Shape shape = reduce ? prim::shapeOf(reduce.getX()) : plan.shape;
    const size_t rank = shape.size();
    if (reduce) {
      for (size_t i = 0; i < reduce.getAxes().size(); ++i)
        if (!llvm::is_contained(reduce.getAxes(), int64_t(rank - 1 - i)))
          return false;
      if (!first) {
        first = pass;
        rowShape = shape;
        schedule.rowAxes = reduce.getAxes().size();
      }
      return shape == rowShape && reduce.getAxes().size() == schedule.rowAxes &&
             pass.indices == first->indices;
    }
    if (!first || shape != rowShape)
      return false;
    Indices place(outer);
    place.append(inner);
    for (size_t axis = 0; axis + schedule.rowAxes < rank; ++axis)
      if (!shape[axis].isOne() && !(place[axis] == first->indices[axis]))
        return false;
    return true;
  }

  SmallVector<Value> rootsOf(size_t pass) {
    if (Operation *reduce = schedule.passes[pass].reduce)
      return {reduce->getOperand(0)};
    SmallVector<Value> roots;
    for (unsigned result : plan.results)
      roots.push_back(yielded(region, result));
    return roots;
  }

  /// Scalar operations that computing `value` takes.
  double costOf(Value value, llvm::DenseSet<Value> &seen) {
    if (!seen.insert(value).second)
      return 0;
    Operation *op = value.getDefiningOp();
    if (!op)
      return 1;
    if (isa<prim::ConstantOp, prim::IotaOp>(op) || isReduction(op))
      return 0;
    double cost = 0;
    if (prim::isElementwise(op))
      cost = scalarCost(op);
    else if (!isa<prim::BroadcastOp, prim::ReshapeOp, prim::SliceOp, prim::TransposeOp>(op))
      return 8;
    for (Value operand : op->getOperands())
      cost += costOf(operand, seen);
    return cost;
  }

  /// Decides whether `pass`, which needs `value`, computes it or reads it back.
  void choose(Value value, size_t pass) {
    Operation *op = value.getDefiningOp();
    if (!op || !visited.insert(value).second)
      return;
    size_t first = pass;
    for (size_t earlier = pass; earlier-- > 0;)
      if (isAtRow[earlier] && values[earlier].contains(value))
        first = earlier;
    if (first != pass && keep(value, first, pass))
      return;
    if (prim::isElementwise(op))
      for (Value operand : op->getOperands())
        choose(operand, pass);
  }

  /// Finds memory for `value` from pass `first` to pass `last`.
  bool keep(Value value, size_t first, size_t last) {
    for (auto [number, kept] : llvm::enumerate(schedule.kept))
      if (kept.value == value) {
        schedule.passes[last].reads.push_back(number);
        return true;
      }
    llvm::DenseSet<Value> seen;
    if (costOf(value, seen) < keepCost)
      return false;
    std::optional<size_t> slot = slotFor(value, first, last);
    if (!slot)
      return false;
    schedule.slots[*slot].used.push_back({first, last});
    schedule.passes[first].writes.push_back(schedule.kept.size());
    schedule.passes[last].reads.push_back(schedule.kept.size());
    schedule.kept.push_back({value, first, *slot});
    return true;
  }

  std::optional<size_t> slotFor(Value value, size_t first, size_t last) {
    Type primType = cast<RankedTensorType>(value.getType()).getElementType();
    Type type = memoryType(primType);
    if (scalarType(primType) != type)
      return std::nullopt;
    auto isFree = [&](const RowSlot &slot) {
      // One pass may read the old row and write the new one: it reads an element before it writes
      // it.
      return slot.elementType == type && llvm::all_of(slot.used, [&](RowSlot::Lifetime used) {
               return used.last <= first || last <= used.first;
             });
    };
    for (auto [number, slot] : llvm::enumerate(schedule.slots))
      if (isFree(slot))
        return number;
    if (isAtRow.back())
      for (unsigned result : plan.results) {
        Type resultType =
            cast<RankedTensorType>(region.getResult(result).getType()).getElementType();
        if (memoryType(resultType) == type &&
            llvm::none_of(schedule.slots, [&](const RowSlot &s) { return s.result == result; })) {
          schedule.slots.push_back({result, type, 0, {}, {}});
          return schedule.slots.size() - 1;
        }
      }
    std::optional<int64_t> elements =
        prim::elementCount(ArrayRef(rowShape).take_back(schedule.rowAxes)).constant();
    const size_t arrays =
        llvm::count_if(schedule.slots, [](const RowSlot &s) { return !s.result; });
    if (!elements || *elements * (type.getIntOrFloatBitWidth() / 8) > maxArrayBytes ||
        arrays == maxArrays)
      return std::nullopt;
    schedule.slots.push_back({std::nullopt, type, *elements, {}, {}});
    return schedule.slots.size() - 1;
  }

  IndexSpace &space;
  prim::RegionOp region;
  const RootPlan &plan;
  IndicesRef outer;
  Indices inner;
  prim::Shape rowShape; ///< of all values at the row
  SmallVector<bool> isAtRow;
  std::vector<Values> values; ///< by pass
  llvm::DenseSet<Value> visited;
  RowSchedule schedule;
};

} // namespace

SmallVector<Value, 2> RowSchedule::readsOf(size_t pass) const {
  SmallVector<Value, 2> result;
  for (size_t number : passes[pass].reads)
    result.push_back(kept[number].value);
  return result;
}

std::optional<size_t> RowSchedule::passOf(Operation *reduce, IndicesRef indices) const {
  for (auto [number, pass] : llvm::enumerate(passes))
    if (pass.reduce == reduce && (!reduce || IndicesRef(pass.indices) == indices))
      return number;
  return std::nullopt;
}

RowSchedule loops::scheduleRow(IndexSpace &space, prim::RegionOp region, const RootPlan &plan,
                               IndicesRef outer) {
  return RowScheduler(space, region, plan, outer).run();
}
