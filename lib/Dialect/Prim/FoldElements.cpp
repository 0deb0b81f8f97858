//===- FoldElements.cpp - literals computed from literals -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldElements.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static bool fitsLiteral(RankedTensorType type) {
  constexpr int64_t limit = 1024;
  return type.hasStaticShape() &&
         type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8) <= limit;
}

Attribute prim::pickElements(
    RankedTensorType result,
    function_ref<DenseElementsAttr(ArrayRef<int64_t>, SmallVectorImpl<int64_t> &)> place) {
  if (!fitsLiteral(result))
    return {};
  SmallVector<Attribute> values;
  SmallVector<int64_t> out(result.getRank(), 0), in;
  for (int64_t left = result.getNumElements(); left > 0; --left) {
    DenseElementsAttr source = place(out, in);
    int64_t linear = 0;
    for (auto [index, dim] : llvm::zip(in, source.getType().getShape()))
      linear = linear * dim + index;
    values.push_back(source.getValues<Attribute>()[linear]);
    for (int64_t axis = result.getRank() - 1; axis >= 0; --axis) {
      if (++out[axis] < result.getDimSize(axis))
        break;
      out[axis] = 0;
    }
  }
  return DenseElementsAttr::get(result, values);
}

Attribute
prim::pickElements(DenseElementsAttr source, RankedTensorType result,
                   function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)> place) {
  return pickElements(result, [&](ArrayRef<int64_t> out, SmallVectorImpl<int64_t> &in) {
    in.resize(source.getType().getRank());
    place(out, in);
    return source;
  });
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static APFloat toFloat(const APFloat &value, FloatType to, bool saturate) {
  APFloat result = value;
  bool losesInfo;
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  // A type without infinities turns overflow into NaN.
  bool overflowed = !value.isNaN() && (result.isInfinity() || result.isNaN());
  APFloat largest = APFloat::getLargest(semantics, value.isNegative());
  return saturate && overflowed ? largest : result;
}

/// Truncates through 64 bits: what does not fit these gives 0, the rest is wrapped. Below 8 bits,
/// what does not fit gives 0. As Conversion/PrimToLoops/Convert.cpp does.
static APInt toInteger(const APFloat &value, IntegerType to) {
  if (to.getWidth() == 1)
    return APInt(1, !value.isZero());
  bool isExact;
  const bool isNarrow = to.getWidth() < 8;
  APSInt wide(isNarrow ? to.getWidth() : 64,
              to.isUnsigned() && (isNarrow || (to.getWidth() == 64 && !value.isNegative())));
  auto status = value.convertToInteger(wide, APFloat::rmTowardZero, &isExact);
  if (status == APFloat::opInvalidOp)
    return APInt::getZero(to.getWidth());
  return wide.trunc(to.getWidth());
}

static bool isUnsignedInteger(IntegerType type) {
  return type.isUnsigned() || type.getWidth() == 1;
}

Attribute prim::convertElements(DenseElementsAttr source, Type to, bool saturate) {
  auto type = cast<RankedTensorType>(source.getType());
  RankedTensorType result = withElementType(type, to);
  if (!source.isSplat() && !fitsLiteral(result))
    return {};
  auto floatTo = dyn_cast<FloatType>(to);
  auto intTo = dyn_cast<IntegerType>(to);
  SmallVector<APFloat> floats;
  SmallVector<APInt> ints;
  auto fromFloat = [&](const APFloat &value) {
    if (floatTo)
      floats.push_back(toFloat(value, floatTo, saturate));
    else
      ints.push_back(toInteger(value, intTo));
  };
  auto fromInt = [&](const APInt &value, bool isUnsigned) {
    if (!floatTo && intTo.getWidth() == 1) {
      ints.push_back(APInt(1, !value.isZero()));
    } else if (!floatTo) {
      ints.push_back(isUnsigned ? value.zextOrTrunc(intTo.getWidth())
                                : value.sextOrTrunc(intTo.getWidth()));
    } else {
      APFloat number(floatTo.getFloatSemantics());
      auto status = number.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
      if (saturate && (status & APFloat::opOverflow))
        number = APFloat::getLargest(floatTo.getFloatSemantics(), number.isNegative());
      floats.push_back(number);
    }
  };
  if (auto integer = dyn_cast<IntegerType>(type.getElementType())) {
    bool isUnsigned = isUnsignedInteger(integer);
    if (source.isSplat())
      fromInt(source.getSplatValue<APInt>(), isUnsigned);
    else
      for (const APInt &value : source.getValues<APInt>())
        fromInt(value, isUnsigned);
  } else if (source.isSplat()) {
    fromFloat(source.getSplatValue<APFloat>());
  } else {
    for (const APFloat &value : source.getValues<APFloat>())
      fromFloat(value);
  }
  return floatTo ? DenseElementsAttr::get(result, floats) : DenseElementsAttr::get(result, ints);
}

bool prim::convertsExactly(Type from, Type to) {
  auto intFrom = dyn_cast<IntegerType>(from), intTo = dyn_cast<IntegerType>(to);
  auto floatFrom = dyn_cast<FloatType>(from), floatTo = dyn_cast<FloatType>(to);
  if (intFrom && intTo) // Wrapping to the same or a greater width loses no bit, whatever the signs.
    return intFrom.getWidth() == 1 || (intTo.getWidth() >= intFrom.getWidth());
  if (intFrom)
    return intFrom.getWidth() < floatTo.getFPMantissaWidth() &&
           (intFrom.getWidth() == 1 || floatTo.getWidth() >= 32);
  if (!floatTo)
    return false;
  // IEEE types from half on; fp8 types differ in what they can say.
  auto isWide = [](FloatType type) { return type.isF32() || type.isF64(); };
  if (floatTo.isF64())
    return true;
  return isWide(floatTo) && !floatFrom.isF64();
}
