//===- TensorReduce.cpp - reductions, windows, sorting --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor dynac::reduce(Combiner combiner, Tensor x, Axes axes, bool keep) {
  if (!x || axes.empty())
    return x;
  auto places = normaliseAxes(x.ctx(), axes, x.rank(), "reduce");
  if (!places)
    return invalidTensor(x.ctx());
  if (prim::isSmallFloat(x.dtype()))
    return failTensor(x.ctx(), "reduce: got element type " + typeText(x.dtype()));
  prim::Misfit why;
  Shape shape = *prim::inferReduce(x.shape(), *places, why);
  // Sums and products of halves are rounded once.
  bool accumulates = combiner == Combiner::add || combiner == Combiner::mul;
  Type dtype = accumulates ? accumulatorType(x.dtype()) : x.dtype();
  Tensor y =
      build<prim::ReduceOp>(x.ctx(), prim::tensorType(shape, dtype), x.value(), combiner, *places);
  y = convert(y, x.dtype());
  return keep ? reshape(y, keptShape(x.shape(), *places)) : y;
}

Tensor dynac::sum(Tensor x, Axes axes, bool keep) { return reduce(Combiner::add, x, axes, keep); }
Tensor dynac::reduceMax(Tensor x, Axes axes, bool keep) {
  return reduce(Combiner::max, x, axes, keep);
}
Tensor dynac::reduceMin(Tensor x, Axes axes, bool keep) {
  return reduce(Combiner::min, x, axes, keep);
}

Tensor dynac::mean(Tensor x, Axes axes, bool keep) {
  if (!x)
    return x;
  auto places = normaliseAxes(x.ctx(), axes, x.rank(), "mean");
  if (!places)
    return invalidTensor(x.ctx());
  SymExpr count(1);
  for (int64_t axis : *places)
    count = count * x.dim(axis);
  Tensor total = sum(x, *places, keep);
  return total / dimScalar(x.ctx(), count, x.dtype());
}

Tensor dynac::argReduce(Combiner combiner, Tensor x, int64_t axis, bool last, bool keep) {
  if (!x)
    return x;
  auto places = normaliseAxes(x.ctx(), axis, x.rank(), "argument reduction");
  if (!places)
    return invalidTensor(x.ctx());
  if (prim::isSmallFloat(x.dtype()))
    return failTensor(x.ctx(), "reduce: got element type " + typeText(x.dtype()));
  prim::Misfit why;
  Shape shape = *prim::inferReduce(x.shape(), *places, why);
  Tensor y =
      build<prim::ArgReduceOp>(x.ctx(), prim::tensorType(shape, int64Type(x.ctx())), x.value(),
                               combiner, static_cast<uint64_t>(places->front()), last);
  return keep ? reshape(y, keptShape(x.shape(), *places)) : y;
}

Tensor dynac::cumulative(Combiner combiner, Tensor x, int64_t axis, bool exclusive, bool reverse) {
  if (!x)
    return x;
  auto places = normaliseAxes(x.ctx(), axis, x.rank(), "cumulative");
  if (!places)
    return invalidTensor(x.ctx());
  return build<prim::CumulativeOp>(x.ctx(), x.value(), combiner,
                                   static_cast<uint64_t>(places->front()), exclusive, reverse);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The op with one or two results; null after reporting.
static prim::ReduceWindowOp buildWindow(Combiner combiner, Tensor x, Axes window, Axes strides,
                                        Axes dilations, Dims lo, Dims hi, bool withIndices) {
  TensorContext &context = x.ctx();
  prim::Misfit why;
  auto shape = prim::inferWindow(x.shape(), window, strides, dilations, lo, hi, why);
  if (!shape) {
    context.fail("window", why);
    return {};
  }
  Type indices = withIndices ? prim::tensorType(*shape, int64Type(context)) : Type();
  return context.builder.create<prim::ReduceWindowOp>(
      context.loc, prim::tensorType(*shape, x.dtype()), indices, x.value(), combiner, window,
      strides, dilations, dimsAttr(context, lo), dimsAttr(context, hi));
}

Tensor dynac::reduceWindow(Combiner combiner, Tensor x, Axes window, Axes strides, Axes dilations,
                           Dims lo, Dims hi) {
  if (!x)
    return x;
  auto op = buildWindow(combiner, x, window, strides, dilations, lo, hi, false);
  return op ? Tensor(x.ctx(), op.getY()) : invalidTensor(x.ctx());
}

std::pair<Tensor, Tensor> dynac::maxWindowWithIndices(Tensor x, Axes window, Axes strides,
                                                      Axes dilations, Dims lo, Dims hi) {
  if (!x)
    return {x, x};
  auto op = buildWindow(Combiner::max, x, window, strides, dilations, lo, hi, true);
  if (!op)
    return {invalidTensor(x.ctx()), invalidTensor(x.ctx())};
  return {Tensor(x.ctx(), op.getY()), Tensor(x.ctx(), op.getIndices())};
}

//===----------------------------------------------------------------------===//
// Sorting and counting
//===----------------------------------------------------------------------===//

Tensors dynac::sort(ArrayRef<Tensor> xs, int64_t axis, bool descending) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Tensor &x : xs) {
    if (!x)
      return Tensors(xs.size());
    if (x.shape() != xs.front().shape()) {
      x.ctx().fail("sort: shapes " + prim::shapeText(xs.front().shape()) + " and " +
                   prim::shapeText(x.shape()) + " differ");
      return Tensors(xs.size());
    }
    values.push_back(x.value());
    types.push_back(x.value().getType());
  }
  if (xs.empty())
    return {};
  TensorContext &context = xs.front().ctx();
  auto places = normaliseAxes(context, axis, xs.front().rank(), "sort");
  if (!places)
    return Tensors(xs.size());
  auto op = context.builder.create<prim::SortOp>(
      context.loc, types, values, static_cast<uint64_t>(places->front()), descending);
  Tensors results;
  for (Value result : op.getResults())
    results.push_back(Tensor(context, result));
  return results;
}

std::pair<Tensor, Tensor> dynac::topK(Tensor x, const SymExpr &k, int64_t axis, bool smallest) {
  if (!x)
    return {x, x};
  TensorContext &context = x.ctx();
  auto places = normaliseAxes(context, axis, x.rank(), "top k");
  if (!places)
    return {invalidTensor(context), invalidTensor(context)};
  Shape shape = x.shape();
  int64_t place = places->front();
  if (k.provablyGt(shape[place])) {
    context.fail("top k: takes " + k.str() + " of " + shape[place].str() + " elements along axis " +
                 Twine(place));
    return {invalidTensor(context), invalidTensor(context)};
  }
  shape[place] = k;
  auto op = context.builder.create<prim::TopKOp>(context.loc, prim::tensorType(shape, x.dtype()),
                                                 prim::tensorType(shape, int64Type(context)),
                                                 x.value(), static_cast<uint64_t>(place), smallest);
  return {Tensor(context, op.getValues()), Tensor(context, op.getIndices())};
}

std::pair<Tensor, Tensor> dynac::nonzero(Tensor x) {
  if (!x)
    return {x, x};
  TensorContext &context = x.ctx();
  if (!x.isBool())
    x = notEqual(x, fullLike(x, 0));
  Type int64 = int64Type(context);
  Shape indices{SymExpr(x.rank()), x.size()};
  auto op = context.builder.create<prim::NonzeroOp>(context.loc, prim::tensorType(indices, int64),
                                                    prim::tensorType({}, int64), x.value());
  return {Tensor(context, op.getIndices()), Tensor(context, op.getCount())};
}
