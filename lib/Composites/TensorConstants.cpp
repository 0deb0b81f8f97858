//===- TensorConstants.cpp - constants and index tensors ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

#include "dynac/Dialect/Prim/WeightStore.h"

using namespace mlir;
using namespace dynac;

/// A splat where the shape is known, else the broadcast of a 0-D constant.
static Tensor fill(TensorContext &context, Dims shape, Attribute value, Type dtype) {
  RankedTensorType type = prim::tensorType(shape, dtype);
  if (type.hasStaticShape())
    return build<prim::ConstantOp>(context, DenseElementsAttr::get(type, value));
  auto scalar = RankedTensorType::get({}, dtype);
  Tensor element = build<prim::ConstantOp>(context, DenseElementsAttr::get(scalar, value));
  return build<prim::BroadcastOp>(context, type, element.value(), ArrayRef<int64_t>());
}

static Attribute floatValue(APFloat value, FloatType type) {
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return FloatAttr::get(type, value);
}

Tensor dynac::full(TensorContext &context, Dims shape, double value, Type dtype) {
  if (auto type = dyn_cast_or_null<FloatType>(dtype))
    return fill(context, shape, floatValue(APFloat(value), type), dtype);
  if (dtype && prim::isSmallFloat(dtype))
    return convert(full(context, shape, value, context.builder.getF32Type()), dtype);
  auto type = dyn_cast_or_null<IntegerType>(dtype);
  if (!type)
    return invalidTensor(context);
  if (prim::isBool(dtype))
    return fill(context, shape, IntegerAttr::get(type, APInt(1, value != 0)), dtype);
  // Truncates; values beyond the type become its extremes.
  APSInt number(type.getWidth(), type.isUnsigned());
  bool isExact;
  APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &isExact);
  return fill(context, shape, IntegerAttr::get(type, APInt(number)), dtype);
}

Tensor dynac::fullInt(TensorContext &context, Dims shape, int64_t value, Type dtype) {
  if (auto type = dyn_cast_or_null<FloatType>(dtype)) {
    APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(APInt(64, value, true), true, APFloat::rmNearestTiesToEven);
    return fill(context, shape, FloatAttr::get(type, number), dtype);
  }
  if (dtype && prim::isSmallFloat(dtype))
    return full(context, shape, double(value), dtype);
  auto type = dyn_cast_or_null<IntegerType>(dtype);
  if (!type)
    return invalidTensor(context);
  APInt number = prim::isBool(dtype) ? APInt(1, value != 0)
                                     : APInt(64, value, true).sextOrTrunc(type.getWidth());
  return fill(context, shape, IntegerAttr::get(type, number), dtype);
}

Tensor dynac::fullLike(Tensor like, double value) {
  return like ? full(like.ctx(), like.shape(), value, like.dtype()) : like;
}

static Tensor extreme(TensorContext &context, Type dtype, bool lowest) {
  if (auto type = dyn_cast_or_null<FloatType>(dtype)) {
    APFloat value = APFloat::getInf(type.getFloatSemantics(), lowest);
    if (!value.isInfinity()) // fp8 types without infinities
      value = APFloat::getLargest(type.getFloatSemantics(), lowest);
    return fill(context, {}, FloatAttr::get(type, value), dtype);
  }
  auto type = dyn_cast_or_null<IntegerType>(dtype);
  if (!type)
    return invalidTensor(context);
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  APInt value = lowest ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                       : (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  return fill(context, {}, IntegerAttr::get(type, value), dtype);
}

Tensor dynac::highest(TensorContext &context, Type dtype) { return extreme(context, dtype, false); }
Tensor dynac::lowest(TensorContext &context, Type dtype) { return extreme(context, dtype, true); }

Tensor dynac::literal(TensorContext &context, RankedTensorType type, ArrayRef<char> bytes) {
  constexpr size_t limit = 1024;
  if (bytes.size() <= limit)
    return build<prim::ConstantOp>(context, DenseElementsAttr::getFromRawBuffer(type, bytes));
  auto *dialect = context.builder.getContext()->getLoadedDialect<prim::PrimDialect>();
  if (!dialect || !dialect->weights)
    return failTensor(context,
                      "a constant of " + llvm::Twine(bytes.size()) + " bytes needs a weight store");
  int64_t id = dialect->weights->addOwned("", type, std::vector<char>(bytes.begin(), bytes.end()));
  return build<prim::WeightOp>(context, type, static_cast<uint64_t>(id));
}

template <typename T>
static Tensor vectorLiteral(TensorContext &context, ArrayRef<T> values, Type dtype) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), dtype);
  return literal(
      context, type,
      ArrayRef<char>(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)));
}

Tensor dynac::constantI64(TensorContext &context, ArrayRef<int64_t> values) {
  return vectorLiteral(context, values, context.builder.getI64Type());
}
Tensor dynac::constantF32(TensorContext &context, ArrayRef<float> values) {
  return vectorLiteral(context, values, context.builder.getF32Type());
}

static Tensor dimValues(TensorContext &context, Dims values, Dims shape, Type dtype) {
  if (!dtype)
    return invalidTensor(context);
  auto integer = dyn_cast<IntegerType>(dtype);
  if (!integer || prim::isBool(dtype))
    return convert(dimValues(context, values, shape, int64Type(context)), dtype);
  RankedTensorType type = prim::tensorType(shape, dtype);
  SmallVector<APInt> numbers;
  for (const SymExpr &value : values)
    if (auto number = value.constant())
      numbers.push_back(APInt(64, *number, true).sextOrTrunc(integer.getWidth()));
  if (numbers.size() == values.size())
    return build<prim::ConstantOp>(context, DenseElementsAttr::get(type, numbers));
  return build<prim::DimsToTensorOp>(context, type, dimsAttr(context, values));
}

Tensor dynac::dimsTensor(TensorContext &context, Dims values, Type dtype) {
  return dimValues(context, values, Shape{SymExpr(static_cast<int64_t>(values.size()))}, dtype);
}

Tensor dynac::dimScalar(TensorContext &context, const SymExpr &value, Type dtype) {
  return dimValues(context, value, {}, dtype);
}

Tensor dynac::iota(TensorContext &context, Dims shape, int64_t axis, Type dtype) {
  int64_t rank = shape.size();
  auto axes = normaliseAxes(context, axis, rank, "iota");
  if (!axes || !dtype)
    return invalidTensor(context);
  return build<prim::IotaOp>(context, prim::tensorType(shape, dtype),
                             static_cast<uint64_t>(axes->front()));
}
