//===- Fourier.cpp - the discrete Fourier transform -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

/// y[k] = sum over t of x[t] * exp(-+2 pi i k t / n); the inverse is divided by n. By the definition, O(n^2): the
/// powers of exp(-+2 pi i k / n) are multiplied up in f64.
void Emitter::emitFft(prim::FftOp op, Value begin, Value end) {
  prim::Shape shape = prim::shapeOf(op.getX());
  const size_t axis = shape.size() - 2;
  SymExpr length = shape[axis];
  Type type = elementType(op.getX()), f64 = b.getF64Type();
  SmallVector<SymExpr> lines(shape);
  lines.pop_back();
  auto mulf = [&](Value x, Value y) -> Value { return b.create<arith::MulFOp>(loc, x, y); };
  auto addf = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };
  auto subf = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(loc, x, y); };
  auto toDouble = [&](Value i) { // of an index
    Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), i);
    return b.create<arith::SIToFPOp>(loc, f64, number);
  };
  loop(begin, end, constantIndex(1), [&](Value unit) {
    Indices line = lineIndices(unit, lines, axis);
    line.push_back(Index());
    auto element = [&](const Index &place, int64_t part) {
      Indices at = line;
      at[axis] = place;
      at.back() = Index(SymExpr(part));
      return at;
    };
    loop(length, [&](Value k) {
      const double turn = (op.getInverse() ? 2 : -2) * 3.14159265358979323846;
      Value n = toDouble(dim(length));
      Value angle = mulf(b.create<arith::DivFOp>(loc, toDouble(k), n), constant(f64, turn));
      Value stepRe = b.create<math::CosOp>(loc, angle), stepIm = b.create<math::SinOp>(loc, angle);
      Value zero = constant(f64, 0);
      Values sums = loop(length, {zero, zero, constant(f64, 1), zero}, [&](Value t, ValueRange carried) {
        Index place = variable(t, length);
        Value re = emitConvert(b, loc, emit(op.getX(), element(place, 0)), type, f64);
        Value im = emitConvert(b, loc, emit(op.getX(), element(place, 1)), type, f64);
        Value wRe = carried[2], wIm = carried[3];
        return Values{addf(carried[0], subf(mulf(re, wRe), mulf(im, wIm))),
                      addf(carried[1], addf(mulf(re, wIm), mulf(im, wRe))),
                      subf(mulf(wRe, stepRe), mulf(wIm, stepIm)), addf(mulf(wRe, stepIm), mulf(wIm, stepRe))};
      });
      Index place = variable(k, length);
      for (int64_t part : {0, 1}) {
        Value sum = op.getInverse() ? Value(b.create<arith::DivFOp>(loc, sums[part], n)) : sums[part];
        storeAll(op.getY(), element(place, part), emitConvert(b, loc, sum, f64, elementType(op.getY())));
      }
    });
  });
}
