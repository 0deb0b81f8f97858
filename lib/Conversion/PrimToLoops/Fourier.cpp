//===- Fourier.cpp - the discrete Fourier transform -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

/// y[k] = sum over t of x[t] * exp(-+2 pi i k t / n); the inverse is divided by n. By the
/// definition, O(n^2), for a row of frequencies k at a time: the powers of exp(-+2 pi i k / n) are
/// multiplied up in f64.
void Emitter::emitFft(prim::FftOp op, Value begin, Value end) {
  prim::Shape shape = prim::shapeOf(op.getX());
  const size_t axis = shape.size() - 2;
  SymExpr length = shape[axis];
  Type type = elementType(op.getX()), f64 = b.getF64Type();
  SmallVector<SymExpr> lines(shape);
  lines.pop_back();
  // Arrays of a row: sums, the current powers, and the factors from one power to the next; re and
  // im each.
  enum { SumRe, SumIm, PowerRe, PowerIm, FactorRe, FactorIm };
  SmallVector<Value> arrays;
  for (int i = 0; i < 6; ++i)
    arrays.push_back(frame.stackArray(MemRefType::get({rowLanes}, f64)));
  auto get = [&](int array, Value lane) -> Value {
    return b.create<memref::LoadOp>(loc, arrays[array], lane);
  };
  auto set = [&](int array, Value lane, Value value) {
    b.create<memref::StoreOp>(loc, value, arrays[array], lane);
  };
  auto mulf = [&](Value x, Value y) -> Value { return b.create<arith::MulFOp>(loc, x, y); };
  auto addf = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };
  auto subf = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(loc, x, y); };
  auto toDouble = [&](Value i) { // of an index
    Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), i);
    return b.create<arith::SIToFPOp>(loc, f64, number);
  };
  Value zero = constantIndex(0), one = constantIndex(1), lanes = constantIndex(rowLanes);
  const double turn = (op.getInverse() ? 2 : -2) * 3.14159265358979323846;
  loop(begin, end, one, [&](Value unit) {
    Indices line = lineIndices(unit, lines, axis);
    line.push_back(Index());
    auto element = [&](const Index &place, int64_t part) {
      Indices at = line;
      at[axis] = place;
      at.back() = Index(SymExpr(part));
      return at;
    };
    loop(zero, dim(length), lanes, [&](Value first) {
      Value count = b.create<arith::MinUIOp>(loc, sub(dim(length), first), lanes);
      Value n = toDouble(dim(length));
      loop(zero, count, one, [&](Value lane) {
        Value share = b.create<arith::DivFOp>(loc, toDouble(add(first, lane)), n);
        Value angle = mulf(share, constant(f64, turn));
        set(SumRe, lane, constant(f64, 0));
        set(SumIm, lane, constant(f64, 0));
        set(PowerRe, lane, constant(f64, 1));
        set(PowerIm, lane, constant(f64, 0));
        set(FactorRe, lane, b.create<math::CosOp>(loc, angle));
        set(FactorIm, lane, b.create<math::SinOp>(loc, angle));
      });
      loop(length, [&](Value t) {
        Index place = variable(t, length);
        Value re = emitConvert(b, loc, emit(op.getX(), element(place, 0)), type, f64);
        Value im = emitConvert(b, loc, emit(op.getX(), element(place, 1)), type, f64);
        loop(zero, count, one, [&](Value lane) {
          Value wRe = get(PowerRe, lane), wIm = get(PowerIm, lane);
          Value fRe = get(FactorRe, lane), fIm = get(FactorIm, lane);
          set(SumRe, lane, addf(get(SumRe, lane), subf(mulf(re, wRe), mulf(im, wIm))));
          set(SumIm, lane, addf(get(SumIm, lane), addf(mulf(re, wIm), mulf(im, wRe))));
          set(PowerRe, lane, subf(mulf(wRe, fRe), mulf(wIm, fIm)));
          set(PowerIm, lane, addf(mulf(wRe, fIm), mulf(wIm, fRe)));
        });
      });
      loop(zero, count, one, [&](Value lane) {
        Index place = variable(add(first, lane), length);
        for (int part : {0, 1}) {
          Value sum = get(part, lane);
          if (op.getInverse())
            sum = b.create<arith::DivFOp>(loc, sum, n);
          storeAll(op.getY(), element(place, part),
                   emitConvert(b, loc, sum, f64, elementType(op.getY())));
        }
      });
    });
  });
}
