//===- Slice.cpp - slices -------------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

/// Files write "to the end" as one of the greatest integers.
static constexpr int64_t beyondAnySize = INT32_MAX - 1;

/// Position `at`, negative ones counting from the end, within [0, size].
static SymExpr position(Node &n, const SymExpr &at, const SymExpr &size) {
  if (auto value = at.constant()) {
    if (*value >= beyondAnySize)
      return size;
    if (*value <= -beyondAnySize)
      return SymExpr(0);
    return *value >= 0 ? n.clampDim(at, size) : size - n.clampDim(-at, size);
  }
  if (SymExpr(-1).provablyGe(at))
    return size - n.clampDim(-at, size);
  if (!at.provablyGe(SymExpr(0)))
    n.assumeLe(SymExpr(0), at);
  return n.clampDim(at, size);
}

/// The same seen from the other end, where position 0 is the last element: size - 1 - at, within
/// [0, size].
static SymExpr mirroredPosition(Node &n, const SymExpr &at, const SymExpr &size) {
  if (auto value = at.constant()) {
    if (*value >= beyondAnySize)
      return SymExpr(0);
    if (*value <= -beyondAnySize)
      return size;
    return *value >= 0 ? size - n.clampDim(at + 1, size) : n.clampDim(-at - 1, size);
  }
  if (SymExpr(-1).provablyGe(at))
    return n.clampDim(-at - 1, size);
  if (!at.provablyGe(SymExpr(0)))
    n.assumeLe(SymExpr(0), at);
  return size - n.clampDim(at + 1, size);
}

/// Where a slice that goes backwards starts, from the other end: a start before the first element
/// is the first element.
static SymExpr mirroredStart(Node &n, const SymExpr &at, const SymExpr &size) {
  std::optional<int64_t> value = at.constant();
  if (value ? *value >= 0 : !SymExpr(-1).provablyGe(at))
    return mirroredPosition(n, at, size);
  SymExpr reach = value && *value <= -beyondAnySize ? size : n.clampDim(-at, size);
  return reach.provablyGe(1) ? reach - 1 : SymExpr::max(reach - 1, 0);
}

/// Elements start, start + step, ... before end along one axis, all of them known while importing.
static Tensor sliceKnown(Node &n, Tensor x, int64_t axis, const SymExpr &start, const SymExpr &end,
                         int64_t step) {
  SymExpr size = x.dim(axis);
  SymExpr from = step > 0 ? position(n, start, size) : mirroredStart(n, start, size);
  SymExpr to = step > 0 ? position(n, end, size) : mirroredPosition(n, end, size);
  from = n.clampDim(from, to); // No elements where start is not before end.
  if (step < 0)
    x = reverse(x, axis);
  if (!x)
    return x;
  prim::Shape starts(x.rank(), SymExpr(0)), ends = x.shape();
  llvm::SmallVector<int64_t> strides(x.rank(), 1);
  starts[axis] = from;
  ends[axis] = to;
  strides[axis] = std::abs(step);
  if (from.isZero() && to == size && strides[axis] == 1)
    return x;
  return slice(x, starts, ends, strides);
}

/// The same with bounds and a step that only the run knows (scalars i64): the size becomes a
/// dimension, elements are gathered.
static Tensor sliceComputed(Tensor x, int64_t axis, Tensor start, Tensor end, Tensor step) {
  TensorContext &ctx = x.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor size = dimScalar(ctx, x.dim(axis), i64), ahead = step > 0;
  Tensor lowest = select(ahead, fullLike(size, 0), -1.0), highest = select(ahead, size, size - 1);
  auto bounded = [&](Tensor at, Tensor least) {
    at = select(at < 0, at + size, at);
    return minimum(maximum(at, least), highest);
  };
  // Backwards, a start before the first element is the first element; an end there is before it.
  Tensor from = bounded(start, fullLike(size, 0)), to = bounded(end, lowest);
  // A step may be as large as its type allows.
  Tensor extent = select(ahead, to - from, from - to);
  Tensor count = select(extent > 0, (extent - 1) / maximum(abs(step), 1) + 1, 0.0);
  if (!count)
    return {};
  SymExpr elements = bindDim(count, 0, x.dim(axis));
  return take(x, iota(ctx, {elements}, 0, i64) * step + from, axis);
}

/// What a scalar is but for its shape and integer type.
static mlir::Value peeled(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!llvm::isa<prim::ReshapeOp, prim::ConvertOp, prim::SliceOp>(op))
      break;
    auto type = llvm::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1 ||
        !type.getElementType().isIntOrIndex())
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// c where `end` is made as start + c with a literal c, as loops over positions do.
static std::optional<int64_t> literalDistance(Tensor start, Tensor end) {
  auto sum = peeled(end.value()).getDefiningOp<prim::AddOp>();
  if (!sum)
    return std::nullopt;
  mlir::Value base = peeled(start.value());
  for (bool swapped : {false, true}) {
    mlir::Value left = peeled(swapped ? sum.getB() : sum.getA());
    auto literal = peeled(swapped ? sum.getA() : sum.getB()).getDefiningOp<prim::ConstantOp>();
    auto value = literal ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(literal.getValue())
                         : mlir::DenseIntElementsAttr();
    if (left == base && value && value.getNumElements() == 1)
      return (*value.getValues<llvm::APInt>().begin()).getSExtValue();
  }
  return std::nullopt;
}

/// x[start : start + count] along an axis, with a start that only the run knows, and knows to be in
/// range.
static Tensor sliceBlock(Node &n, Tensor x, int64_t axis, Tensor start, int64_t count) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor last = dimScalar(ctx, x.dim(axis) - SymExpr(count), i64);
  require(n, (start >= 0) & (start <= last),
          "a slice of " + llvm::Twine(count) + " elements is not within axis " + llvm::Twine(axis) +
              " of " + prim::shapeText(x.shape()));
  Tensor index = iota(ctx, {SymExpr(count)}, 0, i64) + start;
  return take(x, index, axis);
}

/// Slices along axes that only the run knows: one along every axis, with bounds that keep it whole
/// where it is not listed.
static RowStatus sliceAtRunTime(Node &n, Tensor x) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor given = n.in(1), to = n.in(2);
  if (!given || !to)
    return RowStatus::Done;
  Tensor list = n.hasInput(3) ? n.in(3) : iota(ctx, {given.dim(0)}, 0, i64);
  RunTimeAxes axes = runTimeAxes(n, list, x.rank());
  Tensor ones = fullInt(ctx, {SymExpr(x.rank())}, 1, i64);
  Tensor starts = atAxes(axes, given, ones - 1),
         ends = atAxes(axes, to, dimsTensor(ctx, x.shape(), i64));
  Tensor steps = n.hasInput(4) ? atAxes(axes, n.in(4), ones) : ones;
  if (ctx.failed())
    return RowStatus::Done;
  require(n, notEqual(steps, ones - 1), "a step of 0");
  for (int64_t axis = 0; x && axis < x.rank(); ++axis)
    x = sliceComputed(x, axis, elementOf(starts, axis), elementOf(ends, axis),
                      elementOf(steps, axis));
  n.out(0, x);
  return RowStatus::Done;
}

/// The bounds of a Slice in the order of its axes. Starts and ends are known while importing or
/// not at all; steps alike.
struct Bounds {
  std::optional<llvm::SmallVector<SymExpr>> starts, ends;
  std::optional<llvm::SmallVector<int64_t>> steps;
  llvm::SmallVector<int64_t> axes;
};

/// One of the listed slices.
static Tensor sliceOne(Node &n, Tensor x, const Bounds &bounds, int64_t i) {
  int64_t axis = x.axis(bounds.axes[i]);
  if (bounds.starts && bounds.ends && bounds.steps)
    return sliceKnown(n, x, axis, (*bounds.starts)[i], (*bounds.ends)[i], (*bounds.steps)[i]);
  Tensor start = elementOf(n.in(1), i), end = elementOf(n.in(2), i);
  if (!start || !end)
    return {};
  if (bounds.steps && (*bounds.steps)[i] == 1)
    if (auto distance = literalDistance(start, end); distance && *distance > 0)
      return sliceBlock(n, x, axis, start, *distance);
  Tensor step = bounds.steps ? fullInt(n.ctx(), {}, (*bounds.steps)[i], start.dtype())
                             : elementOf(n.in(4), i);
  if (!bounds.steps && step)
    require(n, notEqual(step, fullLike(step, 0)), "a step of 0");
  return step ? sliceComputed(x, axis, start, end, step) : step;
}

// x[start : end : step] along each of `axes` (default: the first ones)
static RowStatus sliceRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  Bounds bounds;
  int64_t count;
  if (n.opset() >= 10) {
    Tensor starts = n.in(1);
    if (!starts)
      return RowStatus::Done;
    auto length = starts.rank() == 1 ? starts.dim(0).constant() : std::nullopt;
    auto axes = n.hasInput(3) ? n.intsOf(3) : std::optional(llvm::SmallVector<int64_t>());
    if (!length || !axes)
      return sliceAtRunTime(n, x);
    count = *length;
    bounds = {n.dimsOf(1), n.dimsOf(2), llvm::SmallVector<int64_t>(), *axes};
    if (n.hasInput(4))
      bounds.steps = n.intsOf(4);
  } else {
    auto toDims = [](llvm::ArrayRef<int64_t> values) {
      return llvm::SmallVector<SymExpr>(values.begin(), values.end());
    };
    bounds = {toDims(n.ints("starts")), toDims(n.ints("ends")), llvm::SmallVector<int64_t>(),
              n.ints("axes")};
    count = bounds.starts->size();
  }
  if (bounds.axes.empty())
    for (int64_t axis = 0; axis < count; ++axis)
      bounds.axes.push_back(axis);
  if (bounds.steps && bounds.steps->empty())
    bounds.steps->assign(count, 1);
  if (int64_t(bounds.axes.size()) != count ||
      (bounds.steps && int64_t(bounds.steps->size()) != count) ||
      (bounds.ends && int64_t(bounds.ends->size()) != count))
    return n.invalid("starts, ends, axes and steps differ in length");
  for (int64_t i = 0; i < count; ++i) {
    if (bounds.steps && (*bounds.steps)[i] == 0)
      return n.invalid("a step of 0");
    if (bounds.axes[i] < -x.rank() || bounds.axes[i] >= x.rank())
      return n.invalid("axis " + llvm::Twine(bounds.axes[i]) + " of rank " + llvm::Twine(x.rank()));
    x = sliceOne(n, x, bounds, i);
    if (!x)
      return RowStatus::Done;
  }
  n.out(0, x);
  return RowStatus::Done;
}

void onnx::addSliceRows(OpTable &t) { t.add("Slice", 1, sliceRow, "T=any Tind=index"); }
