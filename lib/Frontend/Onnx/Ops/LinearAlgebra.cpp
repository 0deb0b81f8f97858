//===- LinearAlgebra.cpp - matrices as a whole ----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop.h"

using namespace dynac;
using namespace dynac::onnx;

/// One step of Gaussian elimination on matrices [B, M, M] at column k: the row with the greatest
/// |pivot| comes to place k, and multiples of it leave zeros below. The determinant collects the
/// pivot and the sign of the exchange.
static Trip eliminate(Tensor k, Tensor a, Tensor det) {
  TensorContext &ctx = a.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  SymExpr batch = a.dim(0), size = a.dim(1);
  Tensor zero = fullInt(ctx, {}, 0, i64), row = iota(ctx, {batch, size}, 1, i64);
  auto part = [&](Tensor from, bool ofRow, bool ofColumn) {
    Tensor starts = stack({zero, ofRow ? k : zero, ofColumn ? k : zero}, 0);
    return dynamicSlice(from, starts,
                        {batch, ofRow ? SymExpr(1) : size, ofColumn ? SymExpr(1) : size});
  };
  Tensor column = reshape(part(a, false, true), {batch, size});
  Tensor candidates = select(row >= k, abs(column), -1.0);
  Tensor best = argReduce(Combiner::max, candidates, 1, /*last=*/false, /*keep=*/true);
  Tensor order = select(equal(row, k), best, select(equal(row, best), k, row));
  a = gather(a, unsqueeze(order, 2), 1, /*batch=*/1);
  Tensor pivot = part(a, true, true);
  Tensor isBelow = unsqueeze(row > k, 2) & notEqual(pivot, fullLike(pivot, 0));
  Tensor factor = select(isBelow, part(a, false, true) / pivot, 0.0);
  Tensor sign = select(equal(best, k), full(ctx, {}, 1, a.dtype()), -1.0);
  return {
      {},
      {a - factor * part(a, true, false), det * reshape(sign, {batch}) * reshape(pivot, {batch})}};
}

// The determinant of the matrices of the last two axes
static RowStatus det(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (x.rank() < 2)
    return n.invalid("expected matrices, got " + prim::shapeText(x.shape()));
  TensorContext &ctx = n.ctx();
  SymExpr size = x.dim(-1);
  if (!ctx.requireEqual(x.dim(-2), size, "the rows of a square matrix"))
    return RowStatus::Done;
  Shape outer = x.shape();
  outer.pop_back_n(2);
  SymExpr batch = prim::elementCount(outer);
  Tensor flat = reshape(x, {batch, size, size});
  Tensor one = full(ctx, {batch}, 1, x.dtype());
  if (size.isZero()) {
    n.out(0, reshape(one, outer));
    return RowStatus::Done;
  }
  Tensor count = dimScalar(ctx, size, ctx.builder.getI64Type());
  auto results = buildLoop(ctx, count, {}, {flat, one}, [](Tensor k, llvm::ArrayRef<Tensor> state) {
    return std::optional<Trip>(eliminate(k, state[0], state[1]));
  });
  if (results)
    n.out(0, reshape(results->back(), outer));
  return RowStatus::Done;
}

void onnx::addLinearAlgebraRows(OpTable &t) { t.add("Det", 11, det, "T=float").inF32(); }
