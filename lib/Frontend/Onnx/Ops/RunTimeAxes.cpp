//===- RunTimeAxes.cpp - axes and sizes that only the run knows -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

static mlir::Type int64Of(TensorContext &ctx) { return ctx.builder.getI64Type(); }

/// Axes from the end as axes from the front; the run checks that they are within [-rank, rank).
static Tensor normalised(Node &n, Tensor axes, int64_t rank) {
  if (!axes)
    return axes;
  axes = convert(axes, int64Of(n.ctx()));
  require(n, (axes >= double(-rank)) & (axes < double(rank)),
          "an axis is not within [-" + llvm::Twine(rank) + ", " + llvm::Twine(rank) + ")");
  return select(axes < 0, axes + double(rank), axes);
}

/// [count, rank]: whether list[i] is axis j.
static Tensor matches(Tensor list, int64_t rank) {
  TensorContext &ctx = list.ctx();
  Tensor axis = iota(ctx, {SymExpr(1), SymExpr(rank)}, 1, list.dtype());
  return list ? equal(unsqueeze(list, 1), axis) : list;
}

RunTimeAxes onnx::runTimeAxes(Node &n, Tensor list, int64_t rank) {
  if (!list)
    return {};
  if (list.rank() == 0)
    list = reshape(list, {SymExpr(1)});
  if (list.rank() != 1) {
    n.ctx().fail("axes of shape " + prim::shapeText(list.shape()) + ", expected a list");
    return {};
  }
  RunTimeAxes axes;
  axes.count = list.dim(0).constant();
  axes.list = normalised(n, list, rank);
  Tensor times = sum(convert(matches(axes.list, rank), int64Of(n.ctx())), 0);
  require(n, times <= 1, "an axis is listed twice");
  axes.isListed = times > 0;
  return axes;
}

Tensor onnx::atAxes(const RunTimeAxes &axes, Tensor values, Tensor others) {
  if (!axes.list || !values || !others)
    return {};
  TensorContext &ctx = values.ctx();
  values = convert(values, others.dtype());
  if (!ctx.requireEqual(values.dim(0), axes.list.dim(0), "one value for each axis"))
    return {};
  Tensor placed = select(matches(axes.list, *others.dim(0).constant()), unsqueeze(values, 1), 0.0);
  return select(axes.isListed, sum(placed, 0), others);
}

Tensor onnx::compacted(Node &n, Tensor values, Tensor keep, int64_t count,
                       const llvm::Twine &what) {
  if (!values || !keep)
    return {};
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = int64Of(ctx);
  Tensor kept = convert(keep, i64), total = sum(kept, 0);
  require(n, equal(total, fullInt(ctx, {}, count, i64)),
          what + ": the axes do not leave " + llvm::Twine(count));
  // Element j of the result is the one before which j are kept.
  Tensor place = cumulative(Combiner::add, kept, 0, /*exclusive=*/true);
  Tensor target = iota(ctx, {SymExpr(count), SymExpr(1)}, 0, i64);
  Tensor chosen = equal(unsqueeze(place, 0), target) & unsqueeze(keep, 0);
  return sum(select(chosen, unsqueeze(values, 0), 0.0), 1);
}

prim::Shape onnx::bindAll(Tensor values) {
  prim::Shape shape;
  for (int64_t i = 0; values && i < values.dim(0).constant().value_or(0); ++i)
    shape.push_back(bindDim(values, i));
  return shape;
}

Tensor onnx::elementOf(Tensor values, int64_t i) {
  return scalarOf(sliceAxis(values, 0, SymExpr(i), SymExpr(i + 1)));
}

Tensor onnx::scalarOf(Tensor value) {
  return value ? reshape(convert(value, int64Of(value.ctx())), {}) : value;
}

AxisView onnx::aroundAxis(Node &n, Tensor x, Tensor axis, int64_t trailing) {
  if (!x || !axis)
    return {};
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = int64Of(ctx);
  int64_t rank = x.rank() - trailing;
  prim::Shape shape = x.shape(), outer(shape.begin(), shape.begin() + rank);
  AxisView view{{}, normalised(n, scalarOf(axis), rank)};
  if (!view.axis)
    return {};
  Tensor sizes = dimsTensor(ctx, outer, i64), at = iota(ctx, {SymExpr(rank)}, 0, i64);
  auto product = [&](Tensor counts) {
    return bindDim(reduce(Combiner::mul, select(counts, sizes, 1.0), 0), 0);
  };
  prim::Shape around = {product(at < view.axis), product(equal(at, view.axis)),
                        product(at > view.axis)};
  around.append(shape.begin() + rank, shape.end());
  view.x = reshape(x, around);
  return view;
}

bool onnx::requireLength(Node &n, int64_t operand, const SymExpr &length) {
  Tensor list = n.hasInput(operand) ? n.in(operand) : Tensor();
  if (!list)
    return !n.ctx().failed();
  if (list.rank() > 1) {
    n.ctx().fail("operand " + llvm::Twine(operand) + " has rank " + llvm::Twine(list.rank()) +
                 ", expected a list");
    return false;
  }
  SymExpr given = list.rank() == 0 ? SymExpr(1) : list.dim(0);
  return n.ctx().requireEqual(given, length, "the length of operand " + llvm::Twine(operand));
}

bool onnx::openLength(Node &n, int64_t operand, std::optional<int64_t> length) {
  Tensor list = n.hasInput(operand) ? n.in(operand) : Tensor();
  bool isOpen = list && list.rank() == 1 && !list.dim(0).isConstant();
  return !isOpen || !length || requireLength(n, operand, SymExpr(*length));
}
