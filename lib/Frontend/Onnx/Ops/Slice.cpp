//===- Slice.cpp - slices -------------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

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

/// Elements start, start + step, ... before end along one axis, all of them known while importing.
static Tensor sliceKnown(Node &n, Tensor x, int64_t axis, const SymExpr &start, const SymExpr &end,
                         int64_t step) {
  SymExpr size = x.dim(axis);
  SymExpr from = step > 0 ? position(n, start, size) : mirroredPosition(n, start, size);
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

/// The same with bounds that only the run knows (scalars i64): the size becomes a dimension,
/// elements are gathered.
static Tensor sliceComputed(Tensor x, int64_t axis, Tensor start, Tensor end, int64_t step) {
  TensorContext &ctx = x.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor size = dimScalar(ctx, x.dim(axis), i64);
  Tensor lowest = fullLike(size, step > 0 ? 0 : -1), highest = step > 0 ? size : size - 1;
  auto bounded = [&](Tensor at) {
    at = select(at < 0, at + size, at);
    return minimum(maximum(at, lowest), highest);
  };
  Tensor from = bounded(start), to = bounded(end);
  Tensor extent = step > 0 ? to - from : from - to;
  Tensor count = maximum((extent + double(std::abs(step) - 1)) / double(std::abs(step)), 0);
  if (!count)
    return {};
  SymExpr elements = bindDim(count, 0, x.dim(axis));
  Tensor index = iota(ctx, {elements}, 0, i64) * double(step) + from;
  return take(x, index, axis);
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

/// Element i of operand `operand` as a scalar i64.
static Tensor scalarOf(Node &n, int64_t operand, int64_t i) {
  Tensor values = convert(n.in(operand), n.ctx().builder.getI64Type());
  return reshape(sliceAxis(values, 0, SymExpr(i), SymExpr(i + 1)), {});
}

// x[start : end : step] along each of `axes` (default: the first ones)
static RowStatus sliceRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  bool asOperands = n.opset() >= 10;
  std::optional<llvm::SmallVector<SymExpr>> starts, ends;
  llvm::SmallVector<int64_t> axes, steps;
  int64_t count;
  if (asOperands) {
    starts = n.dimsOf(1);
    ends = n.dimsOf(2);
    Tensor bounds = n.in(1);
    if (!bounds)
      return RowStatus::Done;
    auto length = bounds.rank() == 1 ? bounds.dim(0).constant() : std::nullopt;
    if (!length)
      return n.unsupported("starts of unknown length");
    count = *length;
    for (int64_t operand : {3, 4}) {
      if (!n.hasInput(operand))
        continue;
      auto known = n.intsOf(operand);
      if (!known)
        return n.unsupported((operand == 3 ? "axes" : "steps") +
                             llvm::Twine(" that are computed while running"));
      (operand == 3 ? axes : steps) = *known;
    }
  } else {
    auto toDims = [](llvm::ArrayRef<int64_t> values) {
      return llvm::SmallVector<SymExpr>(values.begin(), values.end());
    };
    starts = toDims(n.ints("starts"));
    ends = toDims(n.ints("ends"));
    axes = n.ints("axes");
    count = starts->size();
  }
  if (axes.empty())
    for (int64_t axis = 0; axis < count; ++axis)
      axes.push_back(axis);
  if (steps.empty())
    steps.assign(count, 1);
  if (int64_t(axes.size()) != count || int64_t(steps.size()) != count ||
      (ends && int64_t(ends->size()) != count))
    return n.invalid("starts, ends, axes and steps differ in length");
  for (int64_t i = 0; i < count; ++i) {
    if (steps[i] == 0)
      return n.invalid("a step of 0");
    if (axes[i] < -x.rank() || axes[i] >= x.rank())
      return n.invalid("axis " + llvm::Twine(axes[i]) + " of rank " + llvm::Twine(x.rank()));
    int64_t axis = axes[i] < 0 ? axes[i] + x.rank() : axes[i];
    if (starts && ends) {
      x = sliceKnown(n, x, axis, (*starts)[i], (*ends)[i], steps[i]);
    } else {
      Tensor start = scalarOf(n, 1, i), end = scalarOf(n, 2, i);
      if (!start || !end)
        return RowStatus::Done;
      auto distance = steps[i] == 1 ? literalDistance(start, end) : std::nullopt;
      x = distance && *distance > 0 ? sliceBlock(n, x, axis, start, *distance)
                                    : sliceComputed(x, axis, start, end, steps[i]);
    }
    if (!x)
      return RowStatus::Done;
  }
  n.out(0, x);
  return RowStatus::Done;
}

void onnx::addSliceRows(OpTable &t) { t.add("Slice", 1, sliceRow); }
