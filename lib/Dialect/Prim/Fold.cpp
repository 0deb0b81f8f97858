//===- Fold.cpp - folders of constants and data movement ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is free to fold: identities, movement of movement, and movement of literals (splats of any
// size, others up to the 1 KB that a literal may have). Folding of weights is a pass, not a folder.
//
//===----------------------------------------------------------------------===//

#include "FoldElements.h"

#include "dynac/Dialect/Prim/Infer.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// A splat operand moved into the result's shape stays a splat.
static Attribute foldSplat(Attribute operand, RankedTensorType result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  if (!splat || !result.hasStaticShape())
    return {};
  return splat.resizeSplat(result);
}

static bool isIdentity(Axes axes) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != static_cast<int64_t>(i))
      return false;
  return true;
}

static bool allZero(DimsAttr dims) {
  return llvm::all_of(dims.exprs(), [](const SymExpr &dim) { return dim.isZero(); });
}

//===----------------------------------------------------------------------===//
// Constants and elementwise
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB())
    return getA();
  auto condition = dyn_cast_or_null<SplatElementsAttr>(adaptor.getCondition());
  if (!condition)
    return {};
  return condition.getSplatValue<bool>() ? getA() : getB();
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  Type to = typeOf(getY()).getElementType();
  if (auto inner = getX().getDefiningOp<ConvertOp>()) {
    Type from = typeOf(inner.getX()).getElementType();
    Type via = typeOf(getX()).getElementType();
    if (from == to && convertsExactly(from, via))
      return inner.getX();
  }
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return convertElements(value, to, getSaturate());
  return {};
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType() && isIdentity(getAxes()))
    return getX();
  if (Attribute splat = foldSplat(adaptor.getX(), typeOf(getY())))
    return splat;
  auto inner = getX().getDefiningOp<BroadcastOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> axes;
  for (int64_t axis : inner.getAxes())
    axes.push_back(getAxes()[axis]);
  setAxes(axes);
  getXMutable().assign(inner.getX());
  return getY();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  RankedTensorType result = typeOf(getY());
  if (getX().getType() == result)
    return getX();
  if (Attribute splat = foldSplat(adaptor.getX(), result))
    return splat;
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX());
      value && result.hasStaticShape())
    return value.reshape(result);
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  if (inner.getX().getType() == result)
    return inner.getX();
  getXMutable().assign(inner.getX());
  return getY();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  Axes permutation = getPermutation();
  if (isIdentity(permutation))
    return getX();
  if (Attribute splat = foldSplat(adaptor.getX(), typeOf(getY())))
    return splat;
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return pickElements(value, typeOf(getY()), [&](Axes out, MutableArrayRef<int64_t> in) {
      for (auto [i, axis] : llvm::enumerate(permutation))
        in[axis] = out[i];
    });
  auto inner = getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t axis : permutation)
    composed.push_back(inner.getPermutation()[axis]);
  if (isIdentity(composed))
    return inner.getX();
  setPermutation(composed);
  getXMutable().assign(inner.getX());
  return getY();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  Shape shape = shapeOf(getX());
  if (llvm::all_of(getAxes(), [&](int64_t axis) { return shape[axis].isOne(); }))
    return getX();
  if (Attribute splat = foldSplat(adaptor.getX(), typeOf(getY())))
    return splat;
  auto inner = getX().getDefiningOp<ReverseOp>();
  if (inner && inner.getAxes() == getAxes())
    return inner.getX();
  auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX());
  if (!value)
    return {};
  return pickElements(value, typeOf(getY()), [&](Axes out, MutableArrayRef<int64_t> in) {
    llvm::copy(out, in.begin());
    for (int64_t axis : getAxes())
      in[axis] = typeOf(getX()).getDimSize(axis) - 1 - out[axis];
  });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Equal sizes leave no room for a stride.
  if (getX().getType() == getY().getType() && allZero(getStarts()))
    return getX();
  if (Attribute splat = foldSplat(adaptor.getX(), typeOf(getY())))
    return splat;
  SmallVector<SymExpr> starts = getStarts().exprs();
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX())) {
    if (!llvm::all_of(starts, [](const SymExpr &start) { return start.isConstant(); }))
      return {};
    return pickElements(value, typeOf(getY()), [&](Axes out, MutableArrayRef<int64_t> in) {
      for (size_t i = 0; i < out.size(); ++i)
        in[i] = *starts[i].constant() + out[i] * getStrides()[i];
    });
  }
  auto inner = getX().getDefiningOp<SliceOp>();
  if (!inner)
    return {};
  // inner[i0 + (s + i * t) * t0]
  SmallVector<SymExpr> innerStarts = inner.getStarts().exprs();
  SmallVector<int64_t> strides(getStrides());
  for (size_t i = 0; i < strides.size(); ++i) {
    starts[i] = innerStarts[i] + starts[i] * SymExpr(inner.getStrides()[i]);
    strides[i] *= inner.getStrides()[i];
  }
  setStartsAttr(DimsAttr::get(getContext(), starts));
  setStrides(strides);
  getXMutable().assign(inner.getX());
  return getY();
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getXs().size() == 1)
    return getXs().front();
  RankedTensorType result = typeOf(getY());
  int64_t axis = getAxis();
  SmallVector<DenseElementsAttr> values;
  for (Attribute attribute : adaptor.getXs()) {
    values.push_back(dyn_cast_or_null<DenseElementsAttr>(attribute));
    if (!values.back())
      return {};
  }
  return pickElements(result, [&](Axes out, SmallVectorImpl<int64_t> &in) -> DenseElementsAttr {
    in.assign(out.begin(), out.end());
    for (DenseElementsAttr value : values) {
      int64_t size = value.getType().getDimSize(axis);
      if (in[axis] < size)
        return value;
      in[axis] -= size;
    }
    return {};
  });
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  bool inside = llvm::all_of(getInterior(), [](int64_t count) { return count == 0; });
  if (inside && allZero(getLo()) && allZero(getHi()))
    return getX();
  auto x = dyn_cast_or_null<SplatElementsAttr>(adaptor.getX());
  auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue());
  if (x && value && x.getSplatValue<Attribute>() == value.getSplatValue<Attribute>())
    return foldSplat(x, typeOf(getY()));
  return {};
}
