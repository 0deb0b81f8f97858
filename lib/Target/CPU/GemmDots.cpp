//===- GemmDots.cpp - few rows of A times rows of B' ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

/// Lane i is the sum of vector i; as many vectors as lanes. Each round adds the halves of two
/// vectors and interleaves them.
static Value sumsAcross(OpBuilder &b, Location loc, SmallVector<Value> vectors) {
  const int64_t lanes = vectors.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, lanes + i});
    high.append({lanes / 2 + i, lanes + lanes / 2 + i});
  }
  while (vectors.size() > 1) {
    const size_t half = vectors.size() / 2;
    SmallVector<Value> next;
    for (size_t i = 0; i < half; ++i)
      next.push_back(b.create<arith::AddFOp>(
          loc, b.create<vector::ShuffleOp>(loc, vectors[i], vectors[i + half], low),
          b.create<vector::ShuffleOp>(loc, vectors[i], vectors[i + half], high)));
    vectors = std::move(next);
  }
  return vectors.front();
}

void GemmDots::emit() {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const int64_t lanes = kernel.isa().lanes;
  Value whole = math.opaque(math.mul(math.div(end, lanes), lanes));
  forLoop(builder, loc, math.constant(0), whole, math.constant(lanes),
          [&](OpBuilder &, Value column) { columns(column, lanes); });
  if (staticRest != 0)
    ifThenElse(builder, loc, math.less(whole, end),
               [&](OpBuilder &) { columns(whole, staticRest); });
}

void GemmDots::columns(Value column, int64_t count) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const int64_t lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, builder.getF32Type());
  auto maskType = VectorType::get(lanes, builder.getI1Type());
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type));
  // Columns that do not exist read the last one that does.
  SmallVector<Value> starts;
  for (int64_t j = 0; j < (count < 0 ? lanes : count); ++j) {
    Value index = math.add(column, j);
    if (count < 0)
      index = math.min(index, math.sub(end, math.constant(1)));
    starts.push_back(math.add(bBase, math.mul(index, bStride)));
  }
  Value mask;
  if (count < 0)
    mask = builder.create<vector::CreateMaskOp>(loc, maskType, math.sub(end, column));
  else
    mask = laneMask(builder, loc, lanes, count);
  Value wholeK = math.mul(math.div(k, lanes), lanes);
  Value restK = math.sub(k, wholeK);
  for (size_t row = 0; row < aRows.size(); ++row) {
    auto step = [&](Value at, ValueRange sums, Value kMask) {
      auto load = [&](Value memref, Value start) -> Value {
        Value index = math.add(start, at);
        if (!kMask)
          return builder.create<vector::LoadOp>(loc, type, memref, index);
        return builder.create<vector::MaskedLoadOp>(loc, type, memref, index, kMask, zero);
      };
      Value left = load(a, aRows[row]);
      SmallVector<Value> next;
      for (auto [start, sum] : llvm::zip(starts, sums))
        next.push_back(builder.create<vector::FMAOp>(loc, left, load(b, start), sum));
      return next;
    };
    auto loop = builder.create<scf::ForOp>(loc, math.constant(0), wholeK, math.constant(lanes),
                                           SmallVector<Value>(starts.size(), zero));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      builder.create<scf::YieldOp>(loc,
                                   step(loop.getInductionVar(), loop.getRegionIterArgs(), nullptr));
    }
    SmallVector<Value> sums = llvm::to_vector(ValueRange(loop.getResults()));
    IntegerAttr rest;
    if (!matchPattern(restK, m_Constant(&rest)))
      sums = step(wholeK, sums, builder.create<vector::CreateMaskOp>(loc, maskType, restK));
    else if (rest.getInt() != 0)
      sums = step(wholeK, sums, laneMask(builder, loc, lanes, rest.getInt()));
    sums.resize(lanes, zero);
    store(static_cast<int64_t>(row), column, sumsAcross(builder, loc, sums), mask);
  }
}
