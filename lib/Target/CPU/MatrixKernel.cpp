//===- MatrixKernel.cpp - contractions by tiles of matrices ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

int64_t dynac::cpu::tileWords(const Isa &isa, DotKind dot, int64_t contiguous) {
  if (isa.matrices == MatrixUnit::None || dot == DotKind::F32)
    return 0;
  int64_t words = std::min(contiguous, MatrixTiles::maxWords);
  while (contiguous % words)
    --words;
  // The time of a product does not depend on the words.
  return words < 5 && contiguous > MatrixTiles::maxWords ? 0 : words;
}

void MatrixKernel::emit() {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  tiles.configure(height);
  Value pairs = math.div(pieces, 2);
  forLoop(builder, loc, math.constant(0), pairs, math.constant(1), [&](OpBuilder &, Value pair) {
    Value piece = math.mul(pair, 2);
    block({piece, math.add(piece, 1)});
  });
  ifThenElse(builder, loc, math.less(math.mul(pairs, 2), pieces),
             [&](OpBuilder &) { block({math.mul(pairs, 2)}); });
}

void MatrixKernel::block(ArrayRef<Value> pieces) {
  IndexMath math{kernel.builder(), kernel.loc()};
  SmallVector<Value> bases;
  for (Value piece : pieces)
    bases.push_back(math.opaque(aBase(piece)));
  const unsigned together = MatrixTiles::sumTiles / pieces.size();
  for (unsigned first = 0; first < columnTiles; first += together)
    columns(pieces, bases, first, std::min(together, columnTiles - first));
}

/// The sums of `count` tiles of columns.
void MatrixKernel::columns(ArrayRef<Value> pieces, ArrayRef<Value> bases, unsigned first,
                           unsigned count) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const unsigned sums = pieces.size() * count;
  for (unsigned sum = 0; sum < sums; ++sum)
    tiles.zero(sum);
  products(bases, math.add(bBase, first * MatrixTiles::columns), 0, count);

  // By way of memory, a row of sums becomes a vector.
  const int64_t words = MatrixTiles::maxRows * MatrixTiles::columns;
  Value memory = tiles.buffer();
  for (unsigned sum = 0; sum < sums; ++sum)
    tiles.store(sum, memory, math.constant(sum * words), math.constant(MatrixTiles::columns));
  auto wordVector = VectorType::get(MatrixTiles::columns, builder.getI32Type());
  auto sumVector = VectorType::get(MatrixTiles::columns, sumType(dot, builder.getContext()));
  for (unsigned i = 0; i < pieces.size(); ++i)
    forLoop(
        builder, loc, firstRow(pieces[i]), height, math.constant(1), [&](OpBuilder &, Value row) {
          for (unsigned j = 0; j < count; ++j) {
            Value at = math.add(math.mul(row, MatrixTiles::columns), (i * count + j) * words);
            Value loaded = builder.create<vector::LoadOp>(loc, wordVector, memory, ValueRange{at});
            if (sumVector != wordVector)
              loaded = builder.create<arith::BitcastOp>(loc, sumVector, loaded);
            store(pieces[i], row, first + j, loaded);
          }
        });
}

void MatrixKernel::products(ArrayRef<Value> aBases, Value bBase, unsigned depth, unsigned count) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  if (depth < loops.size()) {
    const MicroKernel::Loop &loop = loops[depth];
    forLoop(builder, loc, math.constant(0), loop.count, math.constant(1),
            [&](OpBuilder &, Value iv) {
              SmallVector<Value> inner;
              for (Value base : aBases)
                inner.push_back(math.add(base, math.mul(iv, loop.aStride)));
              products(inner, math.add(bBase, math.mul(iv, loop.bStride)), depth + 1, count);
            });
    return;
  }
  for (auto [i, base] : llvm::enumerate(aBases))
    tiles.load(MatrixTiles::firstA + i, a, base, aRowStride);
  for (unsigned j = 0; j < count; ++j) {
    const unsigned factor = MatrixTiles::firstB + j % MatrixTiles::tilesOfB;
    tiles.load(factor, b, math.add(bBase, j * MatrixTiles::columns), bStride);
    for (unsigned i = 0; i < aBases.size(); ++i)
      tiles.multiply(i * count + j, MatrixTiles::firstA + i, factor);
  }
}
