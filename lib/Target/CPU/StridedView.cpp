//===- StridedView.cpp - a tensor where another one lies ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedView.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

StridedView dynac::cpu::plainView(Value value) {
  StridedView view{value, shapeOf(value), {}};
  SymExpr stride(1);
  view.strides.assign(view.shape.size(), SymExpr(0));
  for (size_t axis = view.shape.size(); axis-- > 0;) {
    if (!view.shape[axis].isOne())
      view.strides[axis] = stride;
    stride = stride * view.shape[axis];
  }
  return view;
}

/// The strides under another shape of as many elements: axes are split, and merged where the one is
/// as far apart as the other is long. Nothing where that does not do, or is not known to.
static std::optional<Shape> stridesUnder(const Shape &shape, const StridedView &view) {
  Shape strides(shape.size(), SymExpr(0));
  size_t from = 0, to = 0;
  auto skipOnes = [](const Shape &dims, size_t &axis) {
    while (axis < dims.size() && dims[axis].isOne())
      ++axis;
  };
  for (;;) {
    skipOnes(view.shape, from);
    skipOnes(shape, to);
    if (from == view.shape.size() || to == shape.size())
      break;
    // As many axes of both as count the same elements.
    const size_t firstTo = to;
    SymExpr have = view.shape[from], want = shape[to++];
    while (have != want) {
      if (want.exactDiv(have)) {
        size_t next = from + 1;
        skipOnes(view.shape, next);
        if (next == view.shape.size() ||
            view.strides[from] != view.strides[next] * view.shape[next])
          return std::nullopt;
        from = next;
        have = have * view.shape[from];
      } else if (have.exactDiv(want)) {
        if (to == shape.size())
          return std::nullopt;
        want = want * shape[to++];
      } else {
        return std::nullopt;
      }
    }
    SymExpr stride = view.strides[from++];
    for (size_t axis = to; axis-- > firstTo;) {
      if (!shape[axis].isOne())
        strides[axis] = stride;
      stride = stride * shape[axis];
    }
  }
  if (from != view.shape.size() || to != shape.size())
    return std::nullopt;
  return strides;
}

StridedView dynac::cpu::viewThrough(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    StridedView from = viewThrough(transpose.getX());
    StridedView view{from.base, {}, {}, from.offset};
    for (int64_t axis : transpose.getPermutation()) {
      view.shape.push_back(from.shape[axis]);
      view.strides.push_back(from.strides[axis]);
    }
    return view;
  }
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    StridedView view = viewThrough(slice.getX());
    view.shape = shapeOf(value);
    for (auto [axis, start, step] :
         llvm::enumerate(slice.getStarts().exprs(), slice.getStrides())) {
      view.offset = view.offset + start * view.strides[axis];
      view.strides[axis] = view.shape[axis].isOne() ? SymExpr(0) : view.strides[axis] * step;
    }
    return view;
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
    StridedView view = viewThrough(reshape.getX());
    Shape shape = shapeOf(value);
    if (llvm::none_of(shape, [](const SymExpr &dim) { return dim.isZero(); }))
      if (std::optional<Shape> strides = stridesUnder(shape, view))
        return {view.base, shape, *strides, view.offset};
  }
  return plainView(value);
}
