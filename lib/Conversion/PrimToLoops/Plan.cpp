//===- Plan.cpp - the loops of a region's roots ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "Access.h"
#include "dynac/Conversion/PrimToLoops.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

bool loops::isSpecial(Operation *op) {
  return isa<prim::SortOp, prim::TopKOp, prim::CumulativeOp, prim::ScatterOp, prim::NonzeroOp,
             prim::FftOp>(op);
}

Value loops::yielded(prim::RegionOp region, unsigned number) {
  return region.getBody().front().getTerminator()->getOperand(number);
}

/// Scalar operations that make a piece of work worth a thread.
static constexpr double pieceCost = 32768;

//===----------------------------------------------------------------------===//
// Whole-tensor ops
//===----------------------------------------------------------------------===//

/// All lines along `axis` are units.
static void planLines(RootPlan &plan, prim::Shape shape, int64_t axis, double costPerElement) {
  SymExpr length = shape[axis];
  shape.erase(shape.begin() + axis);
  plan.units = prim::elementCount(shape);
  plan.unitCost = estimate(length) * costPerElement;
}

static void planSpecial(RootPlan &plan) {
  Operation *op = plan.special;
  if (auto sort = dyn_cast<prim::SortOp>(op))
    return planLines(plan, prim::shapeOf(sort.getXs()[0]), sort.getAxis(), 50);
  if (auto top = dyn_cast<prim::TopKOp>(op))
    return planLines(plan, prim::shapeOf(top.getX()), top.getAxis(), 10);
  if (auto cumulative = dyn_cast<prim::CumulativeOp>(op))
    return planLines(plan, prim::shapeOf(cumulative.getX()), cumulative.getAxis(), 4);
  if (auto fft = dyn_cast<prim::FftOp>(op)) {
    prim::Shape shape = prim::shapeOf(fft.getX());
    shape.pop_back();
    return planLines(plan, shape, shape.size() - 1, 2 * estimate(shape.back()));
  }
  if (auto scatter = dyn_cast<prim::ScatterOp>(op)) {
    prim::Shape batch(prim::shapeOf(scatter.getX()));
    batch.resize(scatter.getBatch());
    plan.units = prim::elementCount(batch);
    plan.unitCost = pieceCost;
    return;
  }
  plan.units = 1; // nonzero
  plan.unitCost = pieceCost;
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

/// The axis of an outer loop along which some access is contiguous that is not so along the inner
/// loop.
static std::optional<size_t> findTransposition(const IndexSpace &space, ArrayRef<Index> forms,
                                               ArrayRef<std::pair<size_t, unsigned>> outer,
                                               unsigned inner) {
  if (estimate(space[inner].extent) < 8)
    return std::nullopt;
  for (const Index &form : forms) {
    std::optional<SymExpr> along = space.strideOf(form, inner);
    if (along && (along->isZero() || along->isOne()))
      continue;
    for (auto [axis, var] : outer)
      if (auto stride = space.strideOf(form, var);
          stride && stride->isOne() && estimate(space[var].extent) >= 8)
        return axis;
  }
  return std::nullopt;
}

/// Short rows are no units: `firstInner` stays, but as many axes before it as all accesses treat as
/// one become a loop inside of the unit. A unit of one row would spend its time on its indices.
static void planShortRows(RootPlan &plan, const IndexSpace &space, ArrayRef<Index> forms,
                          ArrayRef<std::pair<size_t, unsigned>> outer) {
  constexpr double shortRow = 256, unitElements = 32768;
  double elements = estimate(prim::elementCount(plan.innerDims()));
  if (outer.empty() || elements >= shortRow)
    return;
  for (size_t i = outer.size(); i-- > 0; plan.unitDims = outer[i].first) {
    elements *= estimate(space[outer[i].second].extent);
    const bool isFirst = i + 1 == outer.size();
    if (!isFirst &&
        (elements > unitElements || !canMerge(space, forms, outer[i].second, outer[i + 1].second)))
      return;
  }
}

/// Chooses the loops over `plan.shape`: the trailing axes that all accesses treat as one become the
/// inner loop, the others are units.
static void planNest(RootPlan &plan, prim::RegionOp region) {
  IndexSpace space;
  Indices indices;
  SmallVector<std::pair<size_t, unsigned>> loops; // axis, variable
  for (auto [axis, dim] : llvm::enumerate(plan.shape)) {
    indices.push_back(space.make(dim));
    if (!indices.back().isConstant())
      loops.push_back({axis, indices.back().terms[0].var});
  }
  AccessWalker walker(space);
  if (!loops.empty())
    walker.lane = loops.back().second;
  for (unsigned result : plan.results)
    walker.walk(yielded(region, result), indices);
  plan.rows = walker.wantsRows;

  size_t first = loops.size();
  while (first > 0) {
    --first;
    if (first == 0 || !canMerge(space, walker.forms, loops[first - 1].second, loops[first].second))
      break;
  }
  plan.firstInner = plan.unitDims = loops.empty() || first == 0 ? 0 : loops[first].first;

  // What is reduced for a whole row, or for several, is computed once per unit.
  size_t lastNeeded = 0;
  double rowCost = 0;
  for (const AccessWalker::Asked &at : walker.reductions) {
    if (at.isInner)
      continue;
    auto isAsked = [&](unsigned var) {
      return llvm::any_of(at.indices,
                          [&](const Index &index) { return space.dependsOn(index, var); });
    };
    bool isAskedInside = false;
    for (auto [axis, var] : loops) {
      if (!isAsked(var))
        continue;
      if (axis >= plan.firstInner)
        isAskedInside = true;
      else
        lastNeeded = std::max(lastNeeded, axis + 1);
    }
    plan.reducesRow |= !isAskedInside;
    if (isAskedInside)
      lastNeeded = plan.firstInner;
    else
      rowCost += at.cost;
  }
  if (plan.reducesRow)
    plan.unitDims = lastNeeded;

  const double elementCost = 1 + walker.cost - rowCost;
  SymExpr inner = prim::elementCount(plan.innerDims());
  plan.unitsAreElements = plan.firstInner == 0 && !plan.reducesRow;
  if (plan.unitsAreElements) {
    plan.units = inner;
    plan.unitCost = elementCost;
    return;
  }
  if (!plan.reducesRow && !plan.rows)
    plan.blockedAxis = findTransposition(space, walker.forms, ArrayRef(loops).take_front(first),
                                         loops.back().second);
  if (plan.blockedAxis) {
    plan.units = prim::elementCount(plan.blockDims());
    plan.unitCost = elementCost * estimate(inner) * RootPlan::blockRows;
    return;
  }
  if (!plan.reducesRow && !plan.rows && walker.reductions.empty())
    planShortRows(plan, space, walker.forms, ArrayRef(loops).take_front(first));
  plan.units = prim::elementCount(plan.outerDims());
  plan.unitCost = elementCost * estimate(inner * prim::elementCount(plan.middleDims())) + rowCost;
  // Few long rows: cut them, so that there is work for all threads.
  std::optional<int64_t> outer = plan.units.constant();
  if (outer && *outer < 64 && !plan.reducesRow && plan.middleDims().empty() &&
      plan.unitCost > 2 * pieceCost) {
    plan.chunk = llvm::alignTo(std::max<int64_t>(1, std::ceil(pieceCost / elementCost)), 64);
    plan.units = plan.units * inner.ceilDiv(plan.chunk);
    plan.unitCost = elementCost * plan.chunk;
  }
}

RegionPlan loops::planRegion(prim::RegionOp region) {
  RegionPlan plan;
  for (unsigned number = 0; number < region.getNumResults(); ++number) {
    Operation *op = yielded(region, number).getDefiningOp();
    Operation *special = op && isSpecial(op) ? op : nullptr;
    prim::Shape shape = prim::shapeOf(yielded(region, number));
    auto *same = llvm::find_if(plan.roots, [&](const RootPlan &root) {
      return root.special == special && (special || root.shape == shape);
    });
    if (same != plan.roots.end()) {
      same->results.push_back(number);
      continue;
    }
    RootPlan root;
    root.special = special;
    root.shape = shape;
    root.results = {number};
    plan.roots.push_back(std::move(root));
  }
  for (RootPlan &root : plan.roots) {
    if (root.special)
      planSpecial(root);
    else
      planNest(root, region);
    plan.units = &root == plan.roots.begin() ? root.units : SymExpr::max(plan.units, root.units);
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// What the scheduler asks for
//===----------------------------------------------------------------------===//

RegionExtent dynac::extentOf(prim::RegionOp region) {
  RegionPlan plan = planRegion(region);
  double cost = 0;
  int64_t multiple = 1;
  for (const RootPlan &root : plan.roots) {
    cost +=
        root.unitCost * std::min(1.0, estimate(root.units) / std::max(1.0, estimate(plan.units)));
    if (root.unitsAreElements && !root.special)
      multiple = 64;
  }
  const double grain = std::clamp(std::ceil(pieceCost / std::max(1.0, cost)), 1.0, 1e6);
  return {plan.units, int64_t(llvm::alignTo(int64_t(grain), multiple))};
}

static void addSymbols(const SymExpr &expr, std::set<std::string> &names) {
  for (std::string &name : expr.symbols())
    names.insert(std::move(name));
}

static void addSymbols(Type type, std::set<std::string> &names) {
  if (isa<RankedTensorType>(type))
    for (const SymExpr &dim : prim::shapeOf(type))
      addSymbols(dim, names);
}

std::vector<std::string> dynac::symbolsOf(prim::RegionOp region) {
  std::set<std::string> names;
  for (Type type : region->getOperandTypes())
    addSymbols(type, names);
  for (Type type : region->getResultTypes())
    addSymbols(type, names);
  for (Operation &op : region.getBody().front()) {
    for (Type type : op.getResultTypes())
      addSymbols(type, names);
    for (NamedAttribute attribute : op.getAttrs())
      if (auto dims = dyn_cast<prim::DimsAttr>(attribute.getValue()))
        for (const SymExpr &dim : dims.exprs())
          addSymbols(dim, names);
  }
  return {names.begin(), names.end()};
}

static SmallVector<Type> bufferTypes(prim::RegionOp region) {
  SmallVector<Type> types(region->getOperandTypes());
  types.append(region->result_type_begin(), region->result_type_end());
  llvm::append_range(types, workspaceOf(region));
  return types;
}

SmallVector<SymExpr> dynac::kernelDimsOf(prim::RegionOp region) {
  SmallVector<SymExpr> dims;
  for (const std::string &name : symbolsOf(region))
    dims.push_back(SymExpr::symbol(name));
  for (Type type : bufferTypes(region))
    for (const SymExpr &dim : prim::shapeOf(type))
      if (!dim.isConstant() && !llvm::is_contained(dims, dim))
        dims.push_back(dim);
  return dims;
}

SmallVector<KernelBuffer> dynac::kernelBuffersOf(prim::RegionOp region) {
  SmallVector<SymExpr> dims = kernelDimsOf(region);
  SmallVector<KernelBuffer> buffers;
  for (auto [number, type] : llvm::enumerate(bufferTypes(region))) {
    KernelBuffer buffer{memoryType(cast<RankedTensorType>(type).getElementType()),
                        {},
                        number >= region.getNumOperands()};
    for (const SymExpr &dim : prim::shapeOf(type)) {
      if (auto value = dim.constant())
        buffer.shape.push_back({*value, false});
      else
        buffer.shape.push_back({llvm::find(dims, dim) - dims.begin(), true});
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

SmallVector<RankedTensorType> dynac::workspaceOf(prim::RegionOp region) {
  // Positions: a sort keeps two arrays of them for each line, top_k one heap.
  SmallVector<RankedTensorType> types;
  Type i64 = IntegerType::get(region.getContext(), 64);
  for (const RootPlan &root : planRegion(region).roots) {
    if (auto sort = dyn_cast_or_null<prim::SortOp>(root.special)) {
      SymExpr length = prim::shapeOf(sort.getXs()[0])[sort.getAxis()];
      types.push_back(prim::tensorType({root.units, SymExpr(2) * length}, i64));
    } else if (auto top = dyn_cast_or_null<prim::TopKOp>(root.special)) {
      types.push_back(
          prim::tensorType({root.units, prim::shapeOf(top.getValues())[top.getAxis()]}, i64));
    }
  }
  return types;
}
