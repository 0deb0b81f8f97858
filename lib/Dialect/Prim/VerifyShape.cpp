//===- VerifyShape.cpp - verifiers of constants and data movement ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

LogicalResult ConstantOp::verify() {
  auto dense = dyn_cast<DenseElementsAttr>(getValue());
  constexpr size_t limit = 1024;
  if (!dense || dense.isSplat() || dense.getRawData().size() <= limit)
    return success();
  return emitOpError() << "holds " << dense.getRawData().size() << " bytes, expected at most "
                       << limit << " (larger constants are weights)";
}

LogicalResult IotaOp::verify() { return expectAxis(*this, getAxis(), rankOf(getY())); }

LogicalResult DimsToTensorOp::verify() {
  if (failed(expectInteger(*this, "result", getY())))
    return failure();
  int64_t count = getDims().size();
  Shape shape = shapeOf(getY());
  if ((shape.empty() && count == 1) || shape == Shape{SymExpr(count)})
    return success();
  return emitOpError() << "result has shape " << shapeText(shape) << ", expected [" << count << "]";
}

LogicalResult BindDimOp::verify() {
  if (failed(expectInteger(*this, "operand", getX())))
    return failure();
  if (SymExpr::symbol(getSymbol()).str() != getSymbol())
    return emitOpError() << "symbol '" << getSymbol() << "' is no valid name";
  if (auto upper = getUpper(); upper && upper->size() != 1)
    return emitOpError() << "'upper' has " << upper->size() << " entries, expected 1";
  Shape shape = shapeOf(getX());
  if (shape.size() > 1)
    return emitOpError() << "operand has rank " << shape.size() << ", expected 0 or 1";
  int64_t count = shape.empty() ? 1 : shape[0].constant().value_or(INT64_MAX);
  if (static_cast<int64_t>(getElement()) < 0 || static_cast<int64_t>(getElement()) >= count)
    return emitOpError() << "element " << getElement() << " is out of range for shape "
                         << shapeText(shape);
  return success();
}

LogicalResult BroadcastOp::verify() {
  Misfit why;
  if (!checkBroadcast(shapeOf(getX()), getAxes(), shapeOf(getY()), why))
    return emitOpError(why.text);
  return expectSameElement(*this, getX(), getY());
}

LogicalResult ReshapeOp::verify() {
  if (failed(expectSameElement(*this, getX(), getY())))
    return failure();
  // Counts that cannot be compared are left to the entry checks at run time.
  SymExpr difference = elementCount(shapeOf(getX())) - elementCount(shapeOf(getY()));
  if (!difference.provablyGt(0) && !(-difference).provablyGt(0))
    return success();
  return emitOpError() << "operand " << shapeText(shapeOf(getX())) << " and result "
                       << shapeText(shapeOf(getY())) << " differ in number of elements";
}

LogicalResult TransposeOp::verify() {
  if (failed(expectSameElement(*this, getX(), getY())))
    return failure();
  Misfit why;
  return expectShape(*this, "result", getY(),
                     inferTranspose(shapeOf(getX()), getPermutation(), why), why);
}

LogicalResult ReverseOp::verify() {
  Misfit why; // Reducing checks the axes alike.
  if (!inferReduce(shapeOf(getX()), getAxes(), why))
    return emitOpError(why.text);
  return success();
}

LogicalResult SliceOp::verify() {
  Shape x = shapeOf(getX()), y = shapeOf(getY());
  if (failed(expectSameElement(*this, getX(), getY())))
    return failure();
  if (y.size() != x.size() || getStarts().size() != x.size() || getStrides().size() != x.size())
    return emitOpError() << "result rank, starts and strides are " << y.size() << ", "
                         << getStarts().size() << " and " << getStrides().size()
                         << ", expected all to be the operand's rank " << x.size();
  SmallVector<SymExpr> starts = getStarts().exprs();
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t stride = getStrides()[i];
    if (stride < 1)
      return emitOpError() << "stride " << stride << " of axis " << i << " is not positive";
    SymExpr end = y[i].isZero() ? starts[i] : starts[i] + (y[i] - 1) * SymExpr(stride) + 1;
    if (SymExpr(-1).provablyGe(starts[i]) || end.provablyGt(x[i]))
      return emitOpError() << "elements [" << starts[i].str() << ", " << end.str() << ") of axis "
                           << i << " are not within its size " << x[i].str();
  }
  return success();
}

/// A block of shape `block` within x, its place given by a vector `starts`.
static LogicalResult verifyBlock(Operation *op, Value x, Value block, Value starts) {
  if (failed(expectSameElement(op, x, block)) || failed(expectInteger(op, "starts", starts)))
    return failure();
  Shape outer = shapeOf(x), inner = shapeOf(block);
  Shape expected{SymExpr(static_cast<int64_t>(outer.size()))};
  if (failed(expectShape(op, "starts", starts, expected, {})))
    return failure();
  if (outer.size() != inner.size())
    return op->emitOpError() << "block has rank " << inner.size() << ", expected " << outer.size();
  for (auto [i, dim] : llvm::enumerate(inner))
    if (dim.provablyGt(outer[i]))
      return op->emitOpError() << "block " << shapeText(inner) << " is larger than "
                               << shapeText(outer) << " on axis " << i;
  return success();
}

LogicalResult DynamicSliceOp::verify() { return verifyBlock(*this, getX(), getY(), getStarts()); }
LogicalResult DynamicUpdateSliceOp::verify() {
  return verifyBlock(*this, getX(), getUpdate(), getStarts());
}

LogicalResult ConcatOp::verify() {
  SmallVector<Shape> shapes;
  for (Value x : getXs()) {
    if (failed(expectSameElement(*this, x, getY())))
      return failure();
    shapes.push_back(shapeOf(x));
  }
  Misfit why;
  return expectShape(*this, "result", getY(), inferConcat(shapes, getAxis(), why), why);
}

LogicalResult PadOp::verify() {
  if (failed(expectSameElement(*this, getX(), getY())) ||
      failed(expectSameElement(*this, getValue(), getY())) ||
      failed(expectRank(*this, "value", getValue(), 0)))
    return failure();
  Misfit why;
  auto shape = inferPad(shapeOf(getX()), getLo().exprs(), getHi().exprs(), getInterior(), why);
  return expectShape(*this, "result", getY(), shape, why);
}

LogicalResult GatherOp::verify() {
  if (failed(expectSameElement(*this, getX(), getY())) ||
      failed(expectInteger(*this, "indices", getIndices())))
    return failure();
  Misfit why;
  auto shape = inferGather(shapeOf(getX()), shapeOf(getIndices()), getAxes(), getBatch(), why);
  return expectShape(*this, "result", getY(), shape, why);
}

LogicalResult ScatterOp::verify() {
  using C = Combiner;
  if (failed(expectSameElement(*this, getX(), getUpdates())) ||
      failed(expectInteger(*this, "indices", getIndices())) ||
      failed(expectCombiner(*this, getCombiner(),
                            {C::none, C::add, C::mul, C::max, C::min, C::and_, C::or_},
                            elementOf(getX()))))
    return failure();
  Misfit why;
  auto shape = inferGather(shapeOf(getX()), shapeOf(getIndices()), getAxes(), getBatch(), why);
  return expectShape(*this, "updates", getUpdates(), shape, why);
}
