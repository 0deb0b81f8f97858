//===- TensorMovement.cpp - shapes, views, concatenation, padding ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

static SmallVector<int64_t> identityAxes(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

//===----------------------------------------------------------------------===//
// Broadcast and reshape
//===----------------------------------------------------------------------===//

Tensor dynac::broadcastInDim(Tensor x, Dims shape, Axes axes) {
  if (!x)
    return x;
  prim::Misfit why;
  if (!prim::checkBroadcast(x.shape(), axes, shape, why))
    return failTensor(x.ctx(), "broadcast", why);
  return build<prim::BroadcastOp>(x.ctx(), prim::tensorType(shape, x.dtype()), x.value(), axes);
}

Tensor dynac::broadcastTo(Tensor x, Dims shape) {
  if (!x)
    return x;
  int64_t added = static_cast<int64_t>(shape.size()) - x.rank();
  if (added < 0)
    return failTensor(x.ctx(), "broadcast: " + prim::shapeText(x.shape()) + " has more axes than " +
                                   prim::shapeText(shape));
  return broadcastInDim(x, shape, llvm::to_vector(llvm::seq<int64_t>(added, shape.size())));
}

Tensor dynac::reshape(Tensor x, Dims shape) {
  if (!x)
    return x;
  SymExpr difference = x.size() - prim::elementCount(shape);
  if (difference.provablyGt(0) || (-difference).provablyGt(0))
    return failTensor(x.ctx(), "reshape: " + prim::shapeText(x.shape()) + " and " +
                                   prim::shapeText(shape) + " differ in number of elements");
  return build<prim::ReshapeOp>(x.ctx(), prim::tensorType(shape, x.dtype()), x.value());
}

Tensor dynac::unsqueeze(Tensor x, Axes axes) {
  if (!x)
    return x;
  int64_t rank = x.rank() + axes.size();
  auto places = normaliseAxes(x.ctx(), axes, rank, "unsqueeze");
  if (!places)
    return invalidTensor(x.ctx());
  Shape shape = x.shape();
  for (int64_t place : *places)
    shape.insert(shape.begin() + place, SymExpr(1));
  return reshape(x, shape);
}

Tensor dynac::squeeze(Tensor x, Axes axes) {
  if (!x)
    return x;
  auto places = normaliseAxes(x.ctx(), axes, x.rank(), "squeeze");
  if (!places)
    return invalidTensor(x.ctx());
  Shape shape = x.shape();
  for (int64_t place : llvm::reverse(*places)) {
    if (!shape[place].isOne())
      return failTensor(x.ctx(), "squeeze: axis " + Twine(place) + " of " +
                                     prim::shapeText(x.shape()) + " is not 1");
    shape.erase(shape.begin() + place);
  }
  return reshape(x, shape);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Tensor dynac::transpose(Tensor x, Axes permutation) {
  if (!x)
    return x;
  SmallVector<int64_t> axes;
  for (int64_t axis : permutation)
    axes.push_back(axis < 0 ? axis + x.rank() : axis);
  prim::Misfit why;
  auto shape = prim::inferTranspose(x.shape(), axes, why);
  if (!shape)
    return failTensor(x.ctx(), "transpose", why);
  return build<prim::TransposeOp>(x.ctx(), prim::tensorType(*shape, x.dtype()), x.value(), axes);
}

Tensor dynac::swapAxes(Tensor x, int64_t a, int64_t b) {
  if (!x)
    return x;
  int64_t first = x.axis(a), second = x.axis(b);
  if (x.ctx().failed())
    return invalidTensor(x.ctx());
  SmallVector<int64_t> axes = identityAxes(x.rank());
  if (first != second)
    std::swap(axes[first], axes[second]);
  return transpose(x, axes);
}

Tensor dynac::reverse(Tensor x, Axes axes) {
  if (!x)
    return x;
  auto places = normaliseAxes(x.ctx(), axes, x.rank(), "reverse");
  if (!places)
    return invalidTensor(x.ctx());
  return build<prim::ReverseOp>(x.ctx(), x.value(), *places);
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

Tensor dynac::slice(Tensor x, Dims starts, Dims ends, Axes strides) {
  if (!x)
    return x;
  size_t rank = x.rank();
  if (starts.size() != rank || ends.size() != rank || strides.size() != rank)
    return failTensor(x.ctx(), "slice: got " + Twine(starts.size()) + " starts, " +
                                   Twine(ends.size()) + " ends and " + Twine(strides.size()) +
                                   " strides for rank " + Twine(rank));
  Shape shape, from(starts);
  for (size_t i = 0; i < rank; ++i) {
    if (strides[i] < 1)
      return failTensor(x.ctx(), "slice: stride " + Twine(strides[i]) + " is not positive");
    SymExpr extent = ends[i] - starts[i];
    SymExpr dim = x.dim(i);
    if (SymExpr(-1).provablyGe(starts[i]) || (extent.provablyGt(0) && ends[i].provablyGt(dim)))
      return failTensor(x.ctx(), "slice: elements [" + starts[i].str() + ", " + ends[i].str() +
                                     ") of axis " + Twine(i) + " are not within its size " +
                                     dim.str());
    // An empty slice may be given by any start.
    bool isEmpty = SymExpr(0).provablyGe(extent);
    if (isEmpty)
      from[i] = SymExpr(0);
    shape.push_back(isEmpty ? SymExpr(0) : extent.ceilDiv(strides[i]));
  }
  // What has one element along an axis has no stride there.
  SmallVector<int64_t> steps(strides);
  for (size_t i = 0; i < rank; ++i)
    if (shape[i].isOne() || shape[i].isZero())
      steps[i] = 1;
  return build<prim::SliceOp>(x.ctx(), prim::tensorType(shape, x.dtype()), x.value(),
                              dimsAttr(x.ctx(), from), steps);
}

Tensor dynac::sliceAxis(Tensor x, int64_t axis, const SymExpr &start, const SymExpr &end) {
  if (!x)
    return x;
  int64_t place = x.axis(axis);
  Shape starts(x.rank(), SymExpr(0)), ends = x.shape();
  if (place >= x.rank())
    return invalidTensor(x.ctx());
  starts[place] = start;
  ends[place] = end;
  return slice(x, starts, ends, SmallVector<int64_t>(x.rank(), 1));
}

Tensor dynac::concat(ArrayRef<Tensor> tensors, int64_t axis) {
  if (tensors.empty())
    return {};
  if (!llvm::all_of(tensors, [](const Tensor &x) { return bool(x); }))
    return invalidTensor(tensors);
  TensorContext &context = tensors.front().ctx();
  int64_t place = tensors.front().axis(axis);
  SmallVector<Shape> shapes;
  for (const Tensor &x : tensors) {
    if (x.dtype() != tensors.front().dtype())
      return failTensor(context, "concat: element types " + typeText(tensors.front().dtype()) +
                                     " and " + typeText(x.dtype()) + " differ");
    shapes.push_back(x.shape());
  }
  prim::Misfit why;
  auto shape = prim::inferConcat(shapes, place, why);
  if (!shape)
    return failTensor(context, "concat", why);
  SmallVector<Value> values;
  for (const Tensor &x : tensors)
    if (!x.dim(place).isZero())
      values.push_back(x.value());
  if (values.empty())
    return tensors.front();
  return build<prim::ConcatOp>(context, prim::tensorType(*shape, tensors.front().dtype()), values,
                               static_cast<uint64_t>(place));
}

Tensor dynac::stack(ArrayRef<Tensor> tensors, int64_t axis) {
  if (tensors.empty())
    return {};
  SmallVector<Tensor> slabs;
  for (const Tensor &x : tensors)
    slabs.push_back(unsqueeze(x, axis));
  return concat(slabs, axis);
}

Tensor dynac::pad(Tensor x, Tensor value, Dims lo, Dims hi, Axes interior) {
  if (!x || !value)
    return invalidTensor({x, value});
  SmallVector<int64_t> between(interior);
  if (between.empty())
    between.assign(x.rank(), 0);
  if (value.dtype() != x.dtype() || !value.size().isOne())
    return failTensor(x.ctx(), "pad: got a value of type " + typeText(value.value().getType()) +
                                   ", expected one " + typeText(x.dtype()));
  prim::Misfit why;
  auto shape = prim::inferPad(x.shape(), lo, hi, between, why);
  if (!shape)
    return failTensor(x.ctx(), "pad", why);
  Tensor scalar = reshape(value, {});
  return build<prim::PadOp>(x.ctx(), prim::tensorType(*shape, x.dtype()), x.value(), scalar.value(),
                            dimsAttr(x.ctx(), lo), dimsAttr(x.ctx(), hi), between);
}
