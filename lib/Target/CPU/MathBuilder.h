//===- MathBuilder.h - writes formulas on scalars and vectors ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_MATHBUILDER_H
#define DYNAC_LIB_TARGET_CPU_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace dynac::cpu {

/// Operations on values of the shape of `like` (scalar or vector). Constants take the element type
/// of the value they meet.
class MathBuilder {
public:
  MathBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Value like)
      : b(b), loc(loc), shape(mlir::dyn_cast<mlir::VectorType>(like.getType())) {}

  using Value = mlir::Value;
  Value f32(double value) {
    return constant(b.getF32Type(), b.getFloatAttr(b.getF32Type(), value));
  }
  Value f64(double value) { return constant(b.getF64Type(), b.getF64FloatAttr(value)); }
  Value i32(int64_t value) { return constant(b.getI32Type(), b.getI32IntegerAttr(value)); }
  Value i64(int64_t value) { return constant(b.getI64Type(), b.getI64IntegerAttr(value)); }

  Value add(Value x, Value y) { return b.create<mlir::arith::AddFOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<mlir::arith::SubFOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<mlir::arith::MulFOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<mlir::arith::DivFOp>(loc, x, y); }
  Value fma(Value x, Value y, Value z) { return b.create<mlir::math::FmaOp>(loc, x, y, z); }
  Value neg(Value x) { return b.create<mlir::arith::NegFOp>(loc, x); }
  Value abs(Value x) { return b.create<mlir::math::AbsFOp>(loc, x); }
  Value sqrt(Value x) { return b.create<mlir::math::SqrtOp>(loc, x); }
  Value copySign(Value x, Value sign) { return b.create<mlir::math::CopySignOp>(loc, x, sign); }

  Value addI(Value x, Value y) { return b.create<mlir::arith::AddIOp>(loc, x, y); }
  Value subI(Value x, Value y) { return b.create<mlir::arith::SubIOp>(loc, x, y); }
  Value andI(Value x, Value y) { return b.create<mlir::arith::AndIOp>(loc, x, y); }
  Value orI(Value x, Value y) { return b.create<mlir::arith::OrIOp>(loc, x, y); }
  Value xorI(Value x, Value y) { return b.create<mlir::arith::XOrIOp>(loc, x, y); }
  Value shl(Value x, Value y) { return b.create<mlir::arith::ShLIOp>(loc, x, y); }
  Value shr(Value x, Value y) { return b.create<mlir::arith::ShRSIOp>(loc, x, y); }
  Value shrU(Value x, Value y) { return b.create<mlir::arith::ShRUIOp>(loc, x, y); }

  Value select(Value condition, Value x, Value y) {
    return b.create<mlir::arith::SelectOp>(loc, condition, x, y);
  }
  /// Comparisons that are false for NaN.
  Value less(Value x, Value y) { return cmp(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value greater(Value x, Value y) { return cmp(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value equal(Value x, Value y) { return cmp(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value isNan(Value x) { return cmp(mlir::arith::CmpFPredicate::UNO, x, x); }
  Value equalI(Value x, Value y) {
    return b.create<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::eq, x, y);
  }
  Value both(Value x, Value y) { return b.create<mlir::arith::AndIOp>(loc, x, y); }
  Value either(Value x, Value y) { return b.create<mlir::arith::OrIOp>(loc, x, y); }
  /// NaN stays NaN.
  Value clamp(Value x, double low, double high) {
    x = select(less(x, f32(low)), f32(low), x);
    return select(greater(x, f32(high)), f32(high), x);
  }

  Value bits(Value x) {
    return b.create<mlir::arith::BitcastOp>(
        loc, typed(isF64(x) ? mlir::Type(b.getI64Type()) : b.getI32Type()), x);
  }
  Value fromBits(Value x) {
    const bool wide = mlir::getElementTypeOrSelf(x.getType()).isInteger(64);
    return b.create<mlir::arith::BitcastOp>(
        loc, typed(wide ? mlir::Type(b.getF64Type()) : b.getF32Type()), x);
  }
  Value toF64(Value x) { return b.create<mlir::arith::ExtFOp>(loc, typed(b.getF64Type()), x); }
  Value toF32(Value x) { return b.create<mlir::arith::TruncFOp>(loc, typed(b.getF32Type()), x); }
  Value toI32(Value x) { return b.create<mlir::arith::TruncIOp>(loc, typed(b.getI32Type()), x); }
  Value intToFloat(Value x) {
    return b.create<mlir::arith::SIToFPOp>(loc, typed(b.getF32Type()), x);
  }
  Value intToDouble(Value x) {
    return b.create<mlir::arith::SIToFPOp>(loc, typed(b.getF64Type()), x);
  }

  /// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule, in the type of x.
  Value polynomial(Value x, llvm::ArrayRef<double> c) {
    auto number = [&](double value) { return isF64(x) ? f64(value) : f32(value); };
    Value sum = number(c.back());
    for (double next : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, number(next));
    return sum;
  }
  /// The f32 number 2^n for -126 <= n <= 127.
  Value powerOfTwo(Value n) { return fromBits(shl(addI(n, i32(127)), i32(23))); }

private:
  bool isF64(Value x) { return mlir::getElementTypeOrSelf(x.getType()).isF64(); }
  mlir::Type typed(mlir::Type element) {
    return shape ? mlir::Type(mlir::VectorType::get(shape.getShape(), element)) : element;
  }
  Value cmp(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpFOp>(loc, predicate, x, y);
  }
  Value constant(mlir::Type element, mlir::TypedAttr value) {
    if (!shape)
      return b.create<mlir::arith::ConstantOp>(loc, value);
    auto type = mlir::VectorType::get(shape.getShape(), element);
    return b.create<mlir::arith::ConstantOp>(
        loc, mlir::DenseElementsAttr::get(type, mlir::Attribute(value)));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::VectorType shape;
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_MATHBUILDER_H
