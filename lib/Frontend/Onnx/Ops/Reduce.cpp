//===- Reduce.cpp - reductions and running combinations -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

using Reduction = Tensor (*)(Tensor, Axes, bool keep);

// With s the size of an axis that stays and t the size of one that is reduced, and 1 else, x is
// [s0, t0, s1, t1, ...] in memory, reduced over each t.
static RowStatus reduceAtRunTime(Node &n, Tensor x, Reduction reduction) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  int64_t rank = x.rank();
  RunTimeAxes axes = runTimeAxes(n, n.in(1), rank);
  if (!axes.list)
    return RowStatus::Done;
  Tensor reduces = axes.isListed;
  if (!axes.count && n.i("noop_with_empty_axes", 0) == 0) // An empty list stands for all axes.
    reduces = reduces | (dimScalar(ctx, axes.list.dim(0), i64) < 1);
  Tensor sizes = dimsTensor(ctx, x.shape(), i64);
  Tensor staying = select(reduces, 1.0, sizes), leaving = select(reduces, sizes, 1.0);
  if (!staying || !leaving)
    return RowStatus::Done;
  prim::Shape split;
  llvm::SmallVector<int64_t> reduced;
  for (int64_t axis = 0; axis < rank; ++axis) {
    split.push_back(bindDim(staying, axis));
    split.push_back(bindDim(leaving, axis));
    reduced.push_back(2 * axis + 1);
  }
  Tensor y = reduction(reshape(x, split), reduced, /*keep=*/false);
  if (n.i("keepdims", 1) == 0) {
    auto left = axes.count ? std::optional(rank - *axes.count) : n.declaredRank(0);
    if (!left)
      return n.unsupported(openAxes);
    if (*left < 0)
      return n.invalid("more axes than " + prim::shapeText(x.shape()) + " has");
    y = reshape(y, bindAll(compacted(n, sizes, ~reduces, *left, "reduced axes")));
  }
  n.out(0, y);
  return RowStatus::Done;
}

/// The axes are an attribute before opset `inputSince`, then an operand. None given: all, or
/// (noop_with_empty_axes) none, in which case the element function of the reduction still applies.
template <Reduction F, int64_t inputSince> static RowStatus reduceRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (n.opset() >= inputSince && n.hasInput(1) && !n.intsOf(1))
    return reduceAtRunTime(n, x, F);
  RowStatus status;
  auto axes = axesOf(n, x.rank(), inputSince, status);
  if (!axes)
    return status;
  if (axes->empty() && n.i("noop_with_empty_axes", 0) == 0)
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      axes->push_back(axis);
  n.out(0, F(x, *axes, n.i("keepdims", 1) != 0));
  return RowStatus::Done;
}

static Tensor product(Tensor x, Axes axes, bool keep) {
  return reduce(Combiner::mul, x, axes, keep);
}

// Maximum and minimum; of bool: any and all
static Tensor maximumOf(Tensor x, Axes axes, bool keep) {
  return x.isBool() ? reduce(Combiner::or_, x, axes, keep) : reduceMax(x, axes, keep);
}
static Tensor minimumOf(Tensor x, Axes axes, bool keep) {
  return x.isBool() ? reduce(Combiner::and_, x, axes, keep) : reduceMin(x, axes, keep);
}

// sum(x) / n; integers sum in 64 bits and truncate
static Tensor meanOf(Tensor x, Axes axes, bool keep) {
  if (x.isFloat())
    return mean(x, axes, keep);
  SymExpr count(1);
  for (int64_t axis : axes)
    count = count * x.dim(axis);
  mlir::Builder &builder = x.ctx().builder;
  mlir::Type wide =
      x.isUnsigned() ? mlir::Type(builder.getIntegerType(64, false)) : builder.getI64Type();
  Tensor total = sum(convert(x, wide), axes, keep);
  return convert(total / dimScalar(x.ctx(), count, wide), x.dtype());
}

// sum(|x|)
static Tensor l1(Tensor x, Axes axes, bool keep) { return sum(abs(x), axes, keep); }
// sum(x^2)
static Tensor sumSquare(Tensor x, Axes axes, bool keep) { return sum(x * x, axes, keep); }
// sqrt(sum(x^2)); integers go through f64
static Tensor l2(Tensor x, Axes axes, bool keep) {
  if (x.isFloat())
    return sqrt(sumSquare(x, axes, keep));
  Tensor wide = convert(x, x.ctx().builder.getF64Type());
  return convert(sqrt(sumSquare(wide, axes, keep)), x.dtype());
}
// log(sum(x))
static Tensor logSum(Tensor x, Axes axes, bool keep) {
  if (x.isFloat())
    return log(sum(x, axes, keep));
  return convert(log(sum(convert(x, x.ctx().builder.getF64Type()), axes, keep)), x.dtype());
}
// m + log(sum(exp(x - m))), m = max(x), or 0 where that is infinite or there is no element
static Tensor logSumExp(Tensor x, Axes axes, bool keep) {
  if (!x.isFloat())
    return convert(logSumExp(convert(x, x.ctx().builder.getF64Type()), axes, keep), x.dtype());
  Tensor m = reduceMax(x, axes, /*keep=*/true);
  m = select(isFinite(m), m, 0.0);
  Tensor total = log(sum(exp(x - m), axes, /*keep=*/true)) + m;
  return keep ? total : squeeze(total, axes);
}

// Index of the first (select_last_index: last) extreme along the axis
template <Combiner C> static RowStatus argRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  n.out(0,
        argReduce(C, x, n.i("axis", 0), n.i("select_last_index", 0) != 0, n.i("keepdims", 1) != 0));
  return RowStatus::Done;
}

// y[i] = combination of x[..i], exclusive without x[i], reverse from the end
template <Combiner C> static RowStatus cumulativeRow(Node &n) {
  Tensor x = n.in(0);
  auto axis = n.intsOf(1);
  if (!x)
    return RowStatus::Done;
  bool exclusive = n.i("exclusive", 0) != 0, reverse = n.i("reverse", 0) != 0;
  if (axis && axis->size() == 1) {
    n.out(0, cumulative(C, x, x.axis(axis->front()), exclusive, reverse));
    return RowStatus::Done;
  }
  if (!requireLength(n, 1, SymExpr(1)))
    return RowStatus::Done;
  Tensor around = cumulative(C, aroundAxis(n, x, n.in(1)).x, 1, exclusive, reverse);
  n.out(0, reshape(around, x.shape()));
  return RowStatus::Done;
}

// The k greatest (smallest) elements along the axis and their indices, in order; NaN counts as the
// greatest
static RowStatus topKRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  SymExpr k(n.i("k", 0));
  if (n.opset() >= 10) {
    if (!requireLength(n, 1, SymExpr(1)))
      return RowStatus::Done;
    auto given = n.bindDims(1);
    if (!given || given->size() != 1)
      return n.invalid("operand k must have one element");
    k = given->front();
  }
  int64_t axis = x.axis(n.i("axis", -1));
  if (SymExpr size = x.dim(axis); !size.isConstant() || !k.isConstant()) {
    mlir::Type i64 = n.ctx().builder.getI64Type();
    if (!size.provablyGe(k))
      require(n, dimScalar(n.ctx(), k, i64) <= dimScalar(n.ctx(), size, i64),
              "k is greater than the size of axis " + llvm::Twine(axis));
  }
  if (auto size = x.dim(axis).constant(), count = k.constant();
      size && count && (*count < 0 || *count > *size))
    return n.invalid("k = " + llvm::Twine(*count) + " of " + llvm::Twine(*size) + " elements");
  auto [values, indices] = topK(x, k, axis, n.i("largest", 1) == 0);
  n.out(0, values);
  n.out(1, indices);
  return RowStatus::Done;
}

void onnx::addReduceRows(OpTable &t) {
  t.add("ReduceSum", 1, reduceRow<sum, 13>, "T=number axes=index").inF32().limits({&openAxes});
  t.add("ReduceProd", 1, reduceRow<product, 18>, "T=number axes=index").inF32().limits({&openAxes});
  t.add("ReduceMean", 1, reduceRow<meanOf, 18>, "T=number axes=index").inF32().limits({&openAxes});
  t.add("ReduceMax", 1, reduceRow<maximumOf, 18>, "T=number|bool axes=index").limits({&openAxes});
  t.add("ReduceMin", 1, reduceRow<minimumOf, 18>, "T=number|bool axes=index").limits({&openAxes});
  t.add("ReduceL1", 1, reduceRow<l1, 18>, "T=number axes=index").inF32().limits({&openAxes});
  t.add("ReduceL2", 1, reduceRow<l2, 18>, "T=number axes=index").inF32().limits({&openAxes});
  t.add("ReduceSumSquare", 1, reduceRow<sumSquare, 18>, "T=number axes=index")
      .inF32()
      .limits({&openAxes});
  t.add("ReduceLogSum", 1, reduceRow<logSum, 18>, "T=float axes=index").inF32().limits({&openAxes});
  t.add("ReduceLogSumExp", 1, reduceRow<logSumExp, 18>, "T=float axes=index")
      .inF32()
      .limits({&openAxes});
  t.add("ArgMax", 1, argRow<Combiner::max>, "T=number");
  t.add("ArgMin", 1, argRow<Combiner::min>, "T=number");
  t.add("CumSum", 11, cumulativeRow<Combiner::add>, "T=number T2=index").inF32();
  t.add("CumProd", 26, cumulativeRow<Combiner::mul>, "T=number T2=index").inF32();
  t.add("TopK", 1, topKRow, "T=number K=index");
}
