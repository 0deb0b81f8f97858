//===- NibbleTile.cpp - the register tile of four-bit weights -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NibbleTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

namespace {

class Emitter {
public:
  Emitter(const NibbleTile &tile, OpBuilder &b, Location loc, const Isa &isa)
      : tile(tile), b(b), loc(loc), math{b, loc}, lanes(isa.lanes),
        floats(VectorType::get(lanes, b.getF32Type())),
        words(VectorType::get(lanes, b.getI32Type())),
        // An addition has to wait for the one before it: few sums are split.
        chains(tile.rows * tile.vectors <= 3   ? 4
               : tile.rows * tile.vectors <= 6 ? 2
                                               : 1) {}

  SmallVector<Value> run();

private:
  /// A row of vectors from `index` on. The same row of the next panel moves to L2.
  SmallVector<Value> loadRow(Value index);
  SmallVector<Value> block(Value a, Value b, int64_t length, ValueRange sums);
  void step(Value a, Value b, int64_t count, SmallVectorImpl<Value> &sums);
  Value number(Value word, int64_t nibble);
  Value splat(int64_t value) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(static_cast<int32_t>(value))));
  }

  const NibbleTile &tile;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  int64_t lanes;
  VectorType floats, words;
  int64_t chains;
};

} // namespace

/// Nibble `nibble` of each word.
Value Emitter::number(Value word, int64_t nibble) {
  if (lanes == 16) {
    // A table of sixteen numbers, of whose index four bits count.
    SmallVector<float> table;
    for (int i = 0; i < 16; ++i)
      table.push_back(static_cast<float>(i < 8 ? i : i - 16));
    Value numbers =
        b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(floats, ArrayRef<float>(table)));
    Value index = nibble ? b.create<arith::ShRUIOp>(loc, word, splat(4 * nibble)) : word;
    return b
        .create<LLVM::CallIntrinsicOp>(loc, floats,
                                       b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                       ValueRange{numbers, index})
        .getResult(0);
  }
  if (nibble < 7)
    word = b.create<arith::ShLIOp>(loc, word, splat(4 * (7 - nibble)));
  return b.create<arith::SIToFPOp>(loc, floats, b.create<arith::ShRSIOp>(loc, word, splat(28)));
}

SmallVector<Value> Emitter::loadRow(Value index) {
  const int64_t rest = tile.k % tile.block;
  const int64_t panelRows =
      tile.k / tile.block * (tile.block / 8 + 1) + (rest ? (rest + 7) / 8 + 1 : 0);
  SmallVector<Value> row;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    Value at = math.add(index, v * lanes);
    row.push_back(b.create<vector::LoadOp>(loc, words, tile.b, at));
    b.create<memref::PrefetchOp>(loc, tile.b, math.add(at, panelRows * tile.width),
                                 /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
  return row;
}

/// `count` neighbours in k from a row of words on.
void Emitter::step(Value aIndex, Value bIndex, int64_t count, SmallVectorImpl<Value> &sums) {
  SmallVector<Value> packed = loadRow(bIndex);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> numbers;
    for (Value word : packed)
      numbers.push_back(number(word, i));
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value at = math.add(math.add(aIndex, math.mul(tile.aRowStride, r)), i);
      Value x =
          b.create<vector::BroadcastOp>(loc, floats, b.create<memref::LoadOp>(loc, tile.a, at));
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value &sum = sums[(i % chains * tile.rows + r) * tile.vectors + v];
        sum = b.create<vector::FMAOp>(loc, x, numbers[v], sum);
      }
    }
  }
}

/// Adds the products of one block to `sums`.
SmallVector<Value> Emitter::block(Value aIndex, Value bIndex, int64_t length, ValueRange sums) {
  const size_t count = sums.size();
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(floats));
  const int64_t rows = length / 8;
  auto loop = b.create<scf::ForOp>(loc, math.constant(0), math.constant(rows), math.constant(1),
                                   SmallVector<Value>(count * chains, zero));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    SmallVector<Value> next(loop.getRegionIterArgs());
    step(math.add(aIndex, math.mul(row, 8)), math.add(bIndex, math.mul(row, tile.width)), 8, next);
    b.create<scf::YieldOp>(loc, next);
  }
  SmallVector<Value> products(loop.getResults());
  if (length % 8)
    step(math.add(aIndex, rows * 8), math.add(bIndex, rows * tile.width), length % 8, products);
  for (int64_t chain = chains; chain > 1; chain /= 2)
    for (size_t i = 0; i < count * chain / 2; ++i)
      products[i] = b.create<arith::AddFOp>(loc, products[i], products[i + count * chain / 2]);
  SmallVector<Value> scales = loadRow(math.add(bIndex, (length + 7) / 8 * tile.width));
  SmallVector<Value> results;
  for (size_t i = 0; i < count; ++i) {
    Value scale = b.create<arith::BitcastOp>(loc, floats, scales[i % tile.vectors]);
    results.push_back(b.create<vector::FMAOp>(loc, products[i], scale, sums[i]));
  }
  return results;
}

SmallVector<Value> Emitter::run() {
  const int64_t whole = tile.k / tile.block, blockWords = (tile.block / 8 + 1) * tile.width;
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(floats));
  auto loop = b.create<scf::ForOp>(loc, math.constant(0), math.constant(whole), math.constant(1),
                                   SmallVector<Value>(tile.rows * tile.vectors, zero));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    b.create<scf::YieldOp>(loc, block(math.add(tile.aBase, math.mul(number, tile.block)),
                                      math.add(tile.bBase, math.mul(number, blockWords)),
                                      tile.block, loop.getRegionIterArgs()));
  }
  SmallVector<Value> sums(loop.getResults());
  if (const int64_t rest = tile.k % tile.block)
    sums = block(math.add(tile.aBase, whole * tile.block), math.add(tile.bBase, whole * blockWords),
                 rest, sums);
  return sums;
}

SmallVector<Value> NibbleTile::emit(OpBuilder &builder, Location loc, const Isa &isa) const {
  return Emitter(*this, builder, loc, isa).run();
}
