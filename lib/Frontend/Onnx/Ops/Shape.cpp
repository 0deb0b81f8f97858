//===- Shape.cpp - shapes and changes of shape ----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

// The dimensions [start, end) of x
static RowStatus shapeRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t rank = x.rank(), start = n.i("start", 0), end = n.i("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, start, rank);
  prim::Shape shape = x.shape();
  n.outDims(0, llvm::ArrayRef(shape).slice(start, end - start), 1, n.ctx().builder.getI64Type());
  return RowStatus::Done;
}

// The number of elements of x
static RowStatus sizeRow(Node &n) {
  if (Tensor x = n.in(0))
    n.outDims(0, {x.size()}, 0, n.ctx().builder.getI64Type());
  return RowStatus::Done;
}

/// x in `shape`. Where the import cannot prove that the sizes agree, the run checks it.
static RowStatus reshapeTo(Node &n, Tensor x, Dims shape) {
  SymExpr from = x.size(), to = prim::elementCount(shape);
  if (from.constant() && to.constant() && from != to)
    return n.invalid("cannot reshape " + prim::shapeText(x.shape()) + " to " +
                     prim::shapeText(shape));
  if (from != to) {
    mlir::Type i64 = n.ctx().builder.getI64Type();
    Tensor equalSizes = equal(dimScalar(n.ctx(), from, i64), dimScalar(n.ctx(), to, i64));
    require(n, equalSizes,
            "cannot reshape " + prim::shapeText(x.shape()) + " to " + prim::shapeText(shape));
  }
  n.out(0, reshape(x, shape));
  return RowStatus::Done;
}

/// A target shape that only the run knows, with its 0 and -1 replaced, as dimensions.
static std::optional<prim::Shape> computedShape(Node &n, Tensor x, bool allowZero) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor target = convert(n.in(1), i64);
  auto rank = target && target.rank() == 1 ? target.dim(0).constant() : std::nullopt;
  if (!rank)
    return std::nullopt;
  if (!allowZero) {
    prim::Shape copied = x.shape();
    copied.resize(*rank, SymExpr(0));
    target = select(equal(target, fullLike(target, 0)), dimsTensor(ctx, copied, i64), target);
  }
  Tensor isOpen = equal(target, fullLike(target, -1));
  Tensor product = reduce(Combiner::mul, select(isOpen, fullLike(target, 1), target), 0);
  target = select(isOpen, dimScalar(ctx, x.size(), i64) / product, target);
  if (!target)
    return std::nullopt;
  prim::Shape shape;
  for (int64_t i = 0; i < *rank; ++i)
    shape.push_back(bindDim(target, i));
  return shape;
}

// x in row-major order under a shape in which 0 stands for x's dimension (unless allowzero) and one
// -1 for what is left
static RowStatus reshapeRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  prim::Shape shape;
  bool allowZero = n.i("allowzero", 0) != 0, hasZero = false;
  if (n.opset() < 5) {
    for (int64_t dim : n.ints("shape"))
      shape.push_back(SymExpr(dim));
  } else {
    if (!openLength(n, 1, n.declaredRank(0)))
      return RowStatus::Done;
    auto given = n.dimsOf(1);
    if (!given) {
      auto computed = computedShape(n, x, allowZero);
      return computed           ? reshapeTo(n, x, *computed)
             : n.ctx().failed() ? RowStatus::Done
                                : n.unsupported(openList);
    }
    shape.assign(given->begin(), given->end());
  }
  int64_t unknown = -1;
  SymExpr rest(1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].constant() == -1) {
      if (unknown >= 0)
        return n.invalid("the target shape has two -1");
      unknown = i;
      continue;
    }
    if (auto value = shape[i].constant(); value && *value < -1)
      return n.invalid("the target shape has the dimension " + llvm::Twine(*value));
    if (shape[i].isZero()) {
      hasZero = true;
      if (!allowZero && int64_t(i) >= x.rank())
        return n.invalid("the target shape's 0 at axis " + llvm::Twine(i) +
                         " has no dimension of " + prim::shapeText(x.shape()) + " to copy");
      if (!allowZero)
        shape[i] = x.dim(i);
    }
    rest = rest * shape[i];
  }
  if (unknown >= 0) {
    if (allowZero && hasZero)
      return n.invalid("with allowzero, a target shape cannot have both 0 and -1");
    // Equal dimensions on both sides cancel, so that zero-size tensors keep theirs.
    if (auto quotient = x.size().exactDiv(rest))
      shape[unknown] = *quotient;
    else if (rest.isZero())
      shape[unknown] = SymExpr(0);
    else if (x.size().constant() && rest.constant())
      return n.invalid("cannot reshape " + prim::shapeText(x.shape()) + ": " + rest.str() +
                       " does not divide its size");
    else
      shape[unknown] = x.size().floorDiv(rest);
  }
  return reshapeTo(n, x, shape);
}

// Two axes: the product of those before `axis`, the product of the others
static RowStatus flatten(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t axis = n.i("axis", 1);
  axis += axis < 0 ? x.rank() : 0;
  if (axis < 0 || axis > x.rank())
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(x.rank()));
  prim::Shape shape = x.shape();
  n.out(0, reshape(x, {prim::elementCount(llvm::ArrayRef(shape).take_front(axis)),
                       prim::elementCount(llvm::ArrayRef(shape).drop_front(axis))}));
  return RowStatus::Done;
}

/// x without the axes at which `leaves` holds, which the run finds to have size 1; `rank` are left.
static RowStatus squeezeAtRunTime(Node &n, Tensor x, Tensor leaves, int64_t rank) {
  mlir::Type i64 = n.ctx().builder.getI64Type();
  if (rank < 0 || rank > x.rank())
    return n.invalid("a result of rank " + llvm::Twine(rank) + " for " +
                     prim::shapeText(x.shape()));
  Tensor sizes = dimsTensor(n.ctx(), x.shape(), i64);
  require(n, ~leaves | equal(sizes, fullLike(sizes, 1)), "a squeezed axis has not size 1");
  n.out(0, reshape(x, bindAll(compacted(n, sizes, ~leaves, rank, "squeezed axes"))));
  return RowStatus::Done;
}

// Without the axes, which have size 1; none given: all of size 1
static RowStatus squeezeRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (n.opset() >= 13 && n.hasInput(1) && !n.intsOf(1)) {
    RunTimeAxes listed = runTimeAxes(n, n.in(1), x.rank());
    if (!listed.list)
      return RowStatus::Done;
    auto left = listed.count ? std::optional(x.rank() - *listed.count) : n.declaredRank(0);
    if (!left)
      return n.unsupported(openAxes);
    return squeezeAtRunTime(n, x, listed.isListed, *left);
  }
  RowStatus status;
  auto axes = axesOf(n, x.rank(), 13, status);
  if (!axes)
    return status;
  if (!n.has("axes") && !n.hasInput(1)) {
    for (int64_t axis = 0; axis < x.rank(); ++axis) {
      if (!x.dim(axis).constant()) {
        auto left = n.declaredRank(0);
        if (!left)
          return n.unsupported(openAxes, "is " + x.dim(axis).str() + " 1?");
        Tensor sizes = dimsTensor(n.ctx(), x.shape(), n.ctx().builder.getI64Type());
        return squeezeAtRunTime(n, x, equal(sizes, fullLike(sizes, 1)), *left);
      }
      if (x.dim(axis).isOne())
        axes->push_back(axis);
    }
  }
  for (int64_t axis : *axes) {
    if (x.dim(axis).constant())
      continue;
    Tensor size = dimScalar(n.ctx(), x.dim(axis), n.ctx().builder.getI64Type());
    require(n, equal(size, fullLike(size, 1)),
            "axis " + llvm::Twine(axis) + " of " + prim::shapeText(x.shape()) + " is not 1");
    x = sliceAxis(x, axis, SymExpr(0), SymExpr(1));
  }
  n.out(0, squeeze(x, *axes));
  return RowStatus::Done;
}

/// The sizes of the result are 1 at the listed axes, and x's one after another at the others.
static RowStatus unsqueezeAtRunTime(Node &n, Tensor x) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor list = n.in(1);
  if (!list)
    return RowStatus::Done;
  if (auto declared = n.declaredRank(0); declared && list.rank() == 1 && !list.dim(0).constant())
    ctx.requireEqual(list.dim(0), SymExpr(*declared - x.rank()), "the number of axes");
  auto count = list.size().constant();
  if (!count)
    return ctx.failed() ? RowStatus::Done : n.unsupported(openAxes);
  int64_t rank = x.rank() + *count;
  RunTimeAxes axes = runTimeAxes(n, list, rank);
  if (!axes.list)
    return RowStatus::Done;
  // The last entry is never read, but makes the list long enough for all that are listed.
  prim::Shape sizes = x.shape();
  sizes.push_back(SymExpr(1));
  Tensor place = cumulative(Combiner::add, convert(~axes.isListed, i64), 0, /*exclusive=*/true);
  Tensor dims = select(axes.isListed, 1.0, take(dimsTensor(ctx, sizes, i64), place, 0));
  n.out(0, reshape(x, bindAll(dims)));
  return RowStatus::Done;
}

// With axes of size 1 at positions `axes` of the result
static RowStatus unsqueezeRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  llvm::SmallVector<int64_t> given = n.ints("axes");
  if (n.opset() >= 13) {
    auto known = n.intsOf(1);
    if (!known)
      return unsqueezeAtRunTime(n, x);
    given = *known;
  }
  int64_t rank = x.rank() + given.size();
  for (int64_t axis : given)
    if (axis < -rank || axis >= rank)
      return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(rank));
  n.out(0, unsqueeze(x, given));
  return RowStatus::Done;
}

/// Lets the run check that a dimension is 1 or `size`.
static void requireOneOr(Node &n, const SymExpr &dim, const SymExpr &size) {
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor value = dimScalar(n.ctx(), dim, i64);
  Tensor holds =
      equal(value, fullInt(n.ctx(), {}, 1, i64)) | equal(value, dimScalar(n.ctx(), size, i64));
  require(n, holds, "cannot expand a dimension of " + size.str());
}

// x broadcast with a shape, each dimension being that of either
static RowStatus expand(Node &n) {
  Tensor x = n.in(0), wanted = n.in(1);
  if (!x || !wanted)
    return RowStatus::Done;
  if (!openLength(n, 1, n.declaredRank(0)))
    return RowStatus::Done;
  auto target = n.bindDims(1);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (!target)
    return n.unsupported(openList);
  prim::Shape from = x.shape(), shape(target->begin(), target->end());
  while (from.size() < shape.size())
    from.insert(from.begin(), SymExpr(1));
  while (shape.size() < from.size())
    shape.insert(shape.begin(), SymExpr(1));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isOne() || shape[i] == from[i])
      shape[i] = from[i];
    else if (!from[i].isOne() && !shape[i].constant()) {
      // A symbol never stands for a stretched 1.
      requireOneOr(n, shape[i], from[i]);
      shape[i] = from[i];
    } else if (!from[i].isOne() && !n.ctx().requireEqual(from[i], shape[i], "the expanded shape")) {
      return RowStatus::Done;
    }
  }
  n.out(0, broadcastTo(x, shape));
  return RowStatus::Done;
}

void onnx::addShapeRows(OpTable &t) {
  t.add("Shape", 1, shapeRow, "T=any");
  t.add("Size", 1, sizeRow, "T=any");
  t.add("Reshape", 1, reshapeRow, "T=any shape=index").limits({&openList});
  t.add("Flatten", 1, flatten, "T=any");
  t.add("Squeeze", 1, squeezeRow, "T=any axes=index").limits({&openAxes});
  t.add("Unsqueeze", 1, unsqueezeRow, "T=any axes=index").limits({&openAxes});
  t.add("Expand", 8, expand, "T=any shape=index").limits({&openList});
}
