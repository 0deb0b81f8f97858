//===- Rearrange.cpp - parts put to other places --------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

// Each axis cut or padded with zeros to the given size, around its centre
static RowStatus centerCropPad(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  auto axes = n.ints("axes");
  for (int64_t &axis : axes)
    axis = x.axis(axis);
  if (!n.has("axes"))
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      axes.push_back(axis);
  if (!openLength(n, 1, int64_t(axes.size())))
    return RowStatus::Done;
  auto target = n.bindDims(1);
  if (!target)
    return n.invalid("the target is no list of integers");
  if (target->size() != axes.size())
    return n.invalid("a target size for each axis is needed");
  Shape lo(x.rank(), SymExpr(0)), hi = lo;
  for (auto [axis, size] : llvm::zip(axes, *target)) {
    SymExpr cut = x.dim(axis) - size, two(2);
    SymExpr cropped = SymExpr::max(cut, SymExpr(0)), padded = SymExpr::max(-cut, SymExpr(0));
    // An odd element is cut, or added, at the end.
    SymExpr front = padded.floorDiv(two) - cropped.floorDiv(two);
    lo[axis] = front;
    hi[axis] = -cut - front;
  }
  n.out(0, pad(x, full(n.ctx(), {}, 0, x.dtype()), lo, hi));
  return RowStatus::Done;
}

// The first lengths[b] elements along the time axis in reverse, for each entry b of the batch axis
static RowStatus reverseSequence(Node &n) {
  Tensor x = n.in(0), lengths = n.in(1);
  if (!x || !lengths)
    return RowStatus::Done;
  int64_t batch = n.i("batch_axis", 1), time = n.i("time_axis", 0);
  if (x.rank() < 2 || batch + time != 1 || batch * time != 0)
    return n.invalid("time_axis and batch_axis must be 0 and 1");
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Shape perStep(x.rank(), SymExpr(1)), perEntry = perStep;
  perStep[time] = x.dim(time);
  perEntry[batch] = x.dim(batch);
  Tensor at = iota(n.ctx(), perStep, time, i64);
  Tensor length = reshape(convert(lengths, i64), perEntry);
  Tensor from = select(at < length, length - 1 - at, at);
  n.out(0, takeAlongAxis(x, broadcastTo(from, x.shape()), time));
  return RowStatus::Done;
}

// past with update written along `axis` from write_indices[b] on (circular: modulo the size)
static RowStatus tensorScatter(Node &n) {
  Tensor past = n.in(0), update = n.in(1);
  if (!past || !update)
    return RowStatus::Done;
  std::string mode = n.s("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return n.invalid("attribute 'mode': got '" + mode + "'");
  int64_t axis = past.axis(n.i("axis", -2));
  if (axis < 1 || update.rank() != past.rank())
    return n.invalid("axis 0 is the batch, and update must have the rank of the cache");
  mlir::Type i64 = n.ctx().builder.getI64Type();
  SymExpr batch = past.dim(0), steps = update.dim(axis);
  Tensor index = iota(n.ctx(), {batch, steps}, 1, i64);
  if (n.hasInput(2))
    index = index + unsqueeze(convert(n.in(2), i64), 1);
  if (mode == "circular")
    index = rem(index, dimScalar(n.ctx(), past.dim(axis), i64));
  // Updates as [batch, steps, the other axes].
  llvm::SmallVector<int64_t> order = {0, axis};
  for (int64_t other = 1; other < past.rank(); ++other)
    if (other != axis)
      order.push_back(other);
  n.out(0, scatter(Combiner::none, past, unsqueeze(index, 2), transpose(update, order), axis,
                   /*batch=*/1));
  return RowStatus::Done;
}

// swish(a) * b: a * logistic(alpha * a) * b
static RowStatus swiGlu(Node &n) {
  Tensor a = n.in(0), b = n.in(1);
  if (!a)
    return RowStatus::Done;
  double alpha = n.f("alpha", 1);
  n.out(0, a * logistic(alpha == 1 ? a : a * alpha) * b);
  return RowStatus::Done;
}

void onnx::addRearrangeRows(OpTable &t) {
  t.add("CenterCropPad", 18, centerCropPad, "T=any Tind=index");
  t.add("ReverseSequence", 10, reverseSequence, "T=any sequence_lens=index");
  t.add("TensorScatter", 24, tensorScatter, "T=any T write_indices=index");
  t.add("SwiGLU", 28, swiGlu, "T=float").inF32();
}
