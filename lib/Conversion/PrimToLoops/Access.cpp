//===- Access.cpp - which elements of its operands an op reads ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Indices mapIndices(IndexSpace &, prim::BroadcastOp op, IndicesRef indices) {
  Indices result;
  prim::Shape x = prim::shapeOf(op.getX()), y = prim::shapeOf(op.getY());
  for (auto [axis, target] : llvm::enumerate(op.getAxes()))
    result.push_back(x[axis].isOne() ? Index() : indices[target]);
  return result;
}

static Indices mapIndices(IndexSpace &space, prim::ReshapeOp op, IndicesRef indices) {
  return space.split(space.linearize(indices, prim::shapeOf(op.getY())), prim::shapeOf(op.getX()));
}

static Indices mapIndices(IndexSpace &, prim::TransposeOp op, IndicesRef indices) {
  Indices result(indices.size());
  for (auto [axis, source] : llvm::enumerate(op.getPermutation()))
    result[source] = indices[axis];
  return result;
}

static Indices mapIndices(IndexSpace &, prim::ReverseOp op, IndicesRef indices) {
  Indices result(indices);
  prim::Shape shape = prim::shapeOf(op.getX());
  for (int64_t axis : op.getAxes())
    result[axis] = Index(shape[axis] - SymExpr(1)) + indices[axis] * SymExpr(-1);
  return result;
}

static Indices mapIndices(IndexSpace &, prim::SliceOp op, IndicesRef indices) {
  Indices result;
  for (auto [index, start, stride] : llvm::zip(indices, op.getStarts().exprs(), op.getStrides()))
    result.push_back(index * SymExpr(stride) + Index(start));
  return result;
}

static Indices mapIndices(IndexSpace &, prim::StopGradientOp, IndicesRef indices) {
  return Indices(indices);
}
static Indices mapIndices(IndexSpace &, prim::BarrierOp, IndicesRef indices) {
  return Indices(indices);
}

std::optional<Access> loops::viewAccess(IndexSpace &space, Operation *op, IndicesRef indices) {
  return TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case<prim::BroadcastOp, prim::ReshapeOp, prim::TransposeOp, prim::ReverseOp, prim::SliceOp,
            prim::StopGradientOp, prim::BarrierOp>(
          [&](auto view) { return Access{view.getX(), mapIndices(space, view, indices), {}}; })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Pad, gather
//===----------------------------------------------------------------------===//

Access loops::padAccess(IndexSpace &space, prim::PadOp op, IndicesRef indices) {
  Access access{op.getX(), {}, {}};
  prim::Shape x = prim::shapeOf(op.getX());
  SmallVector<SymExpr> lo = op.getLo().exprs(), hi = op.getHi().exprs();
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const int64_t divisor = op.getInterior()[axis] + 1;
    Index index = indices[axis] - lo[axis];
    // Cropping needs no test.
    if (!SymExpr(0).provablyGe(lo[axis]) || !SymExpr(0).provablyGe(hi[axis]) || divisor != 1)
      access.guards.push_back({index, x[axis], divisor, axis});
    if (divisor != 1)
      index = space.divide(index, divisor, x[axis]).first;
    access.indices.push_back(index);
  }
  return access;
}

GatherAccess loops::gatherAccess(IndicesRef indices, size_t indicesRank, int64_t batch) {
  GatherAccess access;
  const size_t positions = indicesRank - 1; // the last axis holds the coordinates
  access.batch = Indices(indices.take_front(batch));
  access.position = Indices(indices.take_front(positions));
  access.slab = Indices(indices.drop_front(positions));
  return access;
}

Indices GatherAccess::inX(ArrayRef<int64_t> axes, IndicesRef coordinates, size_t rank) const {
  Indices result(rank);
  size_t nextSlab = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    const auto *indexed = llvm::find(axes, int64_t(axis));
    if (axis < batch.size())
      result[axis] = batch[axis];
    else if (indexed != axes.end())
      result[axis] = coordinates[indexed - axes.begin()];
    else
      result[axis] = slab[nextSlab++];
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool loops::isReduction(Operation *op) {
  return isa<prim::ReduceOp, prim::ArgReduceOp, prim::ReduceWindowOp, prim::DotOp, prim::ConvOp>(
      op);
}

SmallVector<SymExpr> loops::reducedDims(Operation *op) {
  SmallVector<SymExpr> dims;
  if (auto reduce = dyn_cast<prim::ReduceOp>(op)) {
    prim::Shape x = prim::shapeOf(reduce.getX());
    for (size_t axis = 0; axis < x.size(); ++axis)
      if (llvm::is_contained(reduce.getAxes(), int64_t(axis)))
        dims.push_back(x[axis]);
  } else if (auto arg = dyn_cast<prim::ArgReduceOp>(op)) {
    dims.push_back(prim::shapeOf(arg.getX())[arg.getAxis()]);
  } else if (auto window = dyn_cast<prim::ReduceWindowOp>(op)) {
    for (int64_t size : window.getWindow())
      dims.push_back(size);
  } else if (auto dot = dyn_cast<prim::DotOp>(op)) {
    for (int64_t axis : dot.getContractA())
      dims.push_back(prim::shapeOf(dot.getA())[axis]);
  } else {
    prim::Shape w = prim::shapeOf(cast<prim::ConvOp>(op).getW());
    dims.append(w.begin() + 1, w.end());
  }
  return dims;
}

static Indices insertAxes(IndicesRef kept, IndicesRef reduced, ArrayRef<int64_t> axes) {
  Indices result;
  size_t nextKept = 0, nextReduced = 0;
  for (size_t axis = 0, rank = kept.size() + reduced.size(); axis < rank; ++axis)
    result.push_back(llvm::is_contained(axes, int64_t(axis)) ? reduced[nextReduced++]
                                                             : kept[nextKept++]);
  return result;
}

/// The indices of one operand of a dot: `free` are what is left of the result's indices.
static Indices dotIndices(size_t rank, ArrayRef<int64_t> batchAxes, ArrayRef<int64_t> contractAxes,
                          IndicesRef batch, IndicesRef reduced, IndicesRef &free) {
  Indices result(rank);
  SmallVector<bool> isSet(rank, false);
  for (auto [axis, index] : llvm::zip(batchAxes, batch))
    result[axis] = index, isSet[axis] = true;
  for (auto [axis, index] : llvm::zip(contractAxes, reduced))
    result[axis] = index, isSet[axis] = true;
  for (size_t axis = 0; axis < rank; ++axis)
    if (!isSet[axis]) {
      result[axis] = free.front();
      free = free.drop_front();
    }
  return result;
}

static SmallVector<Access, 2> accessesOf(IndexSpace &, prim::DotOp op, IndicesRef indices,
                                         IndicesRef reduced) {
  IndicesRef batch = indices.take_front(op.getBatchA().size());
  IndicesRef free = indices.drop_front(op.getBatchA().size());
  SmallVector<Access, 2> result;
  result.push_back({op.getA(),
                    dotIndices(prim::shapeOf(op.getA()).size(), op.getBatchA(), op.getContractA(),
                               batch, reduced, free),
                    {}});
  result.push_back({op.getB(),
                    dotIndices(prim::shapeOf(op.getB()).size(), op.getBatchB(), op.getContractB(),
                               batch, reduced, free),
                    {}});
  return result;
}

static SmallVector<Access, 2> accessesOf(IndexSpace &, prim::ReduceWindowOp op, IndicesRef indices,
                                         IndicesRef reduced) {
  Access access{op.getX(), {}, {}};
  prim::Shape x = prim::shapeOf(op.getX());
  SmallVector<SymExpr> lo = op.getLo().exprs(), hi = op.getHi().exprs();
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    Index index = indices[axis] * SymExpr(op.getStrides()[axis]) +
                  reduced[axis] * SymExpr(op.getDilations()[axis]) - lo[axis];
    if (!SymExpr(0).provablyGe(lo[axis]) || !SymExpr(0).provablyGe(hi[axis]))
      access.guards.push_back({index, x[axis]});
    access.indices.push_back(index);
  }
  return {access};
}

/// x[n, g*C/G + c, o*stride + r*rhsDilation - lo] * w[k, c, r], g = k / (K/G).
static SmallVector<Access, 2> accessesOf(IndexSpace &space, prim::ConvOp op, IndicesRef indices,
                                         IndicesRef reduced) {
  prim::Shape x = prim::shapeOf(op.getX()), w = prim::shapeOf(op.getW());
  SmallVector<SymExpr> lo = op.getLo().exprs(), hi = op.getHi().exprs();
  Access data{op.getX(), {indices[0]}, {}}, weight{op.getW(), {indices[1]}, {}};
  const int64_t groups = op.getGroups();
  SymExpr perGroup = w[0].exactDiv(groups).value_or(w[0]);
  Index group = groups == 1 ? Index() : space.divide(indices[1], perGroup, groups).first;
  data.indices.push_back(group * w[1] + reduced[0]);
  for (size_t axis = 2; axis < indices.size(); ++axis) {
    const size_t i = axis - 2;
    Index index = indices[axis] * SymExpr(op.getStrides()[i]) +
                  reduced[axis - 1] * SymExpr(op.getRhsDilation()[i]) - lo[i];
    const int64_t divisor = op.getLhsDilation()[i];
    if (!SymExpr(0).provablyGe(lo[i]) || !SymExpr(0).provablyGe(hi[i]) || divisor != 1)
      data.guards.push_back({index, x[axis], divisor});
    data.indices.push_back(divisor == 1 ? index : space.divide(index, divisor, x[axis]).first);
  }
  weight.indices.append(reduced.begin(), reduced.end());
  weight.guards = data.guards;
  return {data, weight};
}

SmallVector<Access, 2> loops::reductionAccesses(IndexSpace &space, Operation *op,
                                                IndicesRef indices, IndicesRef reduced) {
  return TypeSwitch<Operation *, SmallVector<Access, 2>>(op)
      .Case<prim::DotOp, prim::ConvOp, prim::ReduceWindowOp>(
          [&](auto reduction) { return accessesOf(space, reduction, indices, reduced); })
      .Case([&](prim::ReduceOp reduce) -> SmallVector<Access, 2> {
        return {Access{reduce.getX(), insertAxes(indices, reduced, reduce.getAxes()), {}}};
      })
      .Case([&](prim::ArgReduceOp reduce) -> SmallVector<Access, 2> {
        return {Access{reduce.getX(), insertAxes(indices, reduced, int64_t(reduce.getAxis())), {}}};
      });
}

//===----------------------------------------------------------------------===//
// The walker
//===----------------------------------------------------------------------===//

double loops::estimate(const SymExpr &expr) {
  auto value = expr.evaluate([](std::string_view) { return std::optional<int64_t>(64); });
  return value ? double(*value) : 64.0;
}

double loops::scalarCost(Operation *op) {
  return isa<prim::ExpOp, prim::TanhOp, prim::ErfOp, prim::LogOp, prim::PowOp, prim::LogisticOp>(op)
             ? 10
             : 1;
}

void AccessWalker::addGuards(ArrayRef<Guard> guards) {
  for (const Guard &guard : guards)
    forms.push_back(guard.index);
}

void AccessWalker::addSplit(Operation *op, size_t axis, const Index &index,
                            SmallVector<SymExpr> bounds) {
  for (Split &known : splits)
    if (known.op == op && known.axis == axis) {
      known.isUnique &= known.index == index && depth == 0;
      return;
    }
  splits.push_back({op, axis, index, std::move(bounds), depth == 0});
}

Indices loops::placeOf(Value value, IndicesRef indices) {
  Indices place(indices);
  for (auto [index, dim] : llvm::zip(place, prim::shapeOf(value)))
    if (dim.isOne())
      index = Index();
  return place;
}

void AccessWalker::walk(Value value, IndicesRef anyIndices) {
  const Indices indices = placeOf(value, anyIndices);
  std::vector<Indices> &known = visited[value];
  if (llvm::is_contained(known, indices))
    return;
  known.push_back(indices);
  if (isa<BlockArgument>(value)) {
    forms.push_back(space.linearize(indices, prim::shapeOf(value)));
    return;
  }
  walkOp(value.getDefiningOp(), indices);
}

void AccessWalker::walkReduction(Operation *op, IndicesRef indices) {
  if (lane && !wantsRows)
    wantsRows = preferRows(space, op, indices, *lane);
  const bool isInner = depth > 0;
  const double outerWeight = weight, costBefore = cost;
  ++depth;
  Indices reduced;
  for (const SymExpr &dim : reducedDims(op)) {
    reduced.push_back(space.make(dim));
    weight *= std::max(1.0, estimate(dim));
  }
  cost += weight;
  for (const Access &access : reductionAccesses(space, op, indices, reduced)) {
    addGuards(access.guards);
    walk(access.operand, access.indices);
  }
  weight = outerWeight;
  --depth;
  if (!prim::elementCount(reducedDims(op)).isOne())
    reductions.push_back({op, Indices(indices), isInner, cost - costBefore});
}

void AccessWalker::walkOp(Operation *op, IndicesRef indices) {
  if (std::optional<Access> view = viewAccess(space, op, indices))
    return walk(view->operand, view->indices);
  if (isReduction(op))
    return walkReduction(op, indices);
  if (prim::isElementwise(op)) {
    cost += weight * scalarCost(op);
    for (Value operand : op->getOperands())
      walk(operand, indices);
    return;
  }
  if (auto pad = dyn_cast<prim::PadOp>(op)) {
    Access access = padAccess(space, pad, indices);
    addGuards(access.guards);
    for (const Guard &guard : access.guards)
      if (guard.divisor == 1)
        addSplit(op, guard.axis, guard.index, {SymExpr(0), guard.extent});
    walk(access.operand, access.indices);
    return walk(pad.getValue(), {});
  }
  if (auto concat = dyn_cast<prim::ConcatOp>(op)) {
    forms.push_back(indices[concat.getAxis()]);
    SymExpr start(0);
    SmallVector<SymExpr> bounds;
    for (Value x : concat.getXs())
      bounds.push_back(start = start + prim::shapeOf(x)[concat.getAxis()]);
    bounds.pop_back();
    addSplit(op, concat.getAxis(), indices[concat.getAxis()], std::move(bounds));
    start = 0;
    for (Value x : concat.getXs()) {
      Indices inner(indices);
      inner[concat.getAxis()] = inner[concat.getAxis()] - start;
      walk(x, inner);
      start = start + prim::shapeOf(x)[concat.getAxis()];
    }
    return;
  }
  if (auto gather = dyn_cast<prim::GatherOp>(op)) {
    prim::Shape x = prim::shapeOf(gather.getX());
    GatherAccess access =
        gatherAccess(indices, prim::shapeOf(gather.getIndices()).size(), gather.getBatch());
    Indices coordinates;
    for (auto [number, axis] : llvm::enumerate(gather.getAxes())) {
      Indices position = access.position;
      position.push_back(Index(SymExpr(number)));
      walk(gather.getIndices(), position);
      coordinates.push_back(space.make(x[axis]));
    }
    cost += weight * 4;
    return walk(gather.getX(), access.inX(gather.getAxes(), coordinates, x.size()));
  }
  if (isa<prim::ConstantOp>(op)) {
    if (!cast<prim::ConstantOp>(op).getValue().isSplat())
      forms.push_back(space.linearize(indices, prim::shapeOf(op->getResult(0))));
    return;
  }
  if (auto iota = dyn_cast<prim::IotaOp>(op)) {
    forms.push_back(indices[iota.getAxis()]);
    return;
  }
  if (isa<prim::RngBitsOp>(op)) {
    forms.push_back(space.linearize(indices, prim::shapeOf(op->getResult(0))));
    cost += weight * 40;
    return;
  }
  // What is left (dynamic slices, dims) looks at each index by itself.
  forms.insert(forms.end(), indices.begin(), indices.end());
  if (auto slice = dyn_cast<prim::DynamicSliceOp>(op))
    return walk(slice.getX(), indices);
  if (auto update = dyn_cast<prim::DynamicUpdateSliceOp>(op)) {
    walk(update.getX(), indices);
    return walk(update.getUpdate(), indices);
  }
}

/// Whether `outer` has `inner`'s coefficient times its extent, in `form` and in what its digits
/// hide.
static bool canMergeIn(const IndexSpace &space, const Index &form, unsigned outer, unsigned inner) {
  if (form.coeffOf(outer) != form.coeffOf(inner) * space[inner].extent)
    return false;
  return llvm::all_of(form.terms, [&](const Term &term) {
    return !space[term.var].parent || canMergeIn(space, *space[term.var].parent, outer, inner);
  });
}

bool loops::canMerge(const IndexSpace &space, ArrayRef<Index> forms, unsigned outer,
                     unsigned inner) {
  return llvm::all_of(forms,
                      [&](const Index &form) { return canMergeIn(space, form, outer, inner); });
}

bool loops::preferRows(IndexSpace &space, Operation *op, IndicesRef indices, unsigned lane) {
  if (space[lane].extent.provablyGe(0) && estimate(space[lane].extent) < 4)
    return false;
  if (!llvm::any_of(indices, [&](const Index &index) {
        auto stride = space.strideOf(index, lane);
        return !stride || !stride->isZero();
      }))
    return false;
  Indices reduced;
  SmallVector<unsigned> loops;
  for (const SymExpr &dim : reducedDims(op)) {
    reduced.push_back(space.make(dim));
    if (!reduced.back().isConstant())
      loops.push_back(reduced.back().terms[0].var);
  }
  if (loops.empty())
    return false;
  AccessWalker walker(space);
  for (const Access &access : reductionAccesses(space, op, indices, reduced))
    walker.walk(access.operand, access.indices);
  // Strided or hidden accesses are gathers; contiguous ones are vectors, and those of stride 0 are
  // free.
  auto costAlong = [&](unsigned var) {
    double cost = 0;
    for (const Index &form : walker.forms) {
      std::optional<SymExpr> stride = space.strideOf(form, var);
      if (!stride || !(stride->isZero() || stride->isOne()))
        cost += 4;
      else
        cost += stride->isOne();
    }
    return cost;
  };
  const double rowCost = costAlong(lane), innerCost = costAlong(loops.back());
  double innerExtent = estimate(space[loops.back()].extent);
  for (size_t i = loops.size(); i-- > 1 && canMerge(space, walker.forms, loops[i - 1], loops[i]);)
    innerExtent *= estimate(space[loops[i - 1]].extent);
  if (innerExtent < 16 && estimate(space[lane].extent) > innerExtent)
    return true;
  return rowCost <= innerCost;
}
