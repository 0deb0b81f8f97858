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
#include "llvm/Support/MathExtras.h"

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

/// Into how many parts the next panel is divided: one for each block of 2x2 tiles, but no smaller
/// than a line for each tile of B.
int64_t MatrixKernel::shares() const {
  const int64_t blocks = llvm::divideCeil(staticPieces, 2) * llvm::divideCeil(columnTiles, 2);
  return std::clamp<int64_t>(blocks, 1, MatrixTiles::maxWords / 2 * columnTiles);
}

void MatrixKernel::emit() {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  tiles.configure(height);
  const unsigned paired = columnTiles / 2 * 2;
  auto floor = [&](Value count, int64_t step) { return math.mul(math.div(count, step), step); };
  Value zero = math.constant(0), even = math.opaque(floor(pieces, 2));
  if (paired) {
    blocks(zero, even, 2, 0, paired, 2);
    blocks(even, pieces, 1, 0, paired, 4);
  }
  if (paired == columnTiles)
    return;
  Value quads = math.opaque(floor(pieces, 4));
  blocks(zero, quads, 4, paired, columnTiles, 1);
  blocks(quads, even, 2, paired, columnTiles, 1);
  blocks(even, pieces, 1, paired, columnTiles, 1);
}

/// All pieces [from, to), `together` at once, times columns [first, end), `atOnce` of them.
void MatrixKernel::blocks(Value from, Value to, unsigned together, unsigned first, unsigned end,
                          unsigned atOnce) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  forLoop(builder, loc, from, to, math.constant(together), [&](OpBuilder &, Value piece) {
    for (unsigned column = first; column < end; column += atOnce) {
      Block block = {{}, column, std::min(atOnce, end - column), nullptr};
      for (unsigned i = 0; i < together; ++i)
        block.pieces.push_back(math.add(piece, i));
      if (next)
        block.share = math.min(
            math.add(math.mul(math.div(piece, 2), llvm::divideCeil(columnTiles, 2)), column / 2),
            math.constant(shares() - 1));
      emitBlock(block);
    }
  });
}

void MatrixKernel::emitBlock(const Block &block) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const unsigned sums = block.pieces.size() * block.count;
  SmallVector<Value> bases;
  for (Value piece : block.pieces)
    bases.push_back(math.opaque(aBase(piece)));
  Value prefetch =
      next ? math.opaque(math.add(next, math.mul(block.share, nextWords / shares()))) : Value();
  for (unsigned sum = 0; sum < sums; ++sum)
    tiles.zero(sum);
  products(block, bases, math.add(bBase, block.first * MatrixTiles::columns), prefetch, 0);

  // By way of memory, a row of sums becomes a vector.
  const int64_t words = MatrixTiles::maxRows * MatrixTiles::columns;
  Value memory = tiles.buffer();
  for (unsigned sum = 0; sum < sums; ++sum)
    tiles.store(sum, memory, math.constant(sum * words), math.constant(MatrixTiles::columns));
  auto wordVector = VectorType::get(MatrixTiles::columns, builder.getI32Type());
  auto sumVector = VectorType::get(MatrixTiles::columns, sumType(dot, builder.getContext()));
  for (unsigned i = 0; i < block.pieces.size(); ++i)
    forLoop(builder, loc, firstRow(block.pieces[i]), height, math.constant(1),
            [&](OpBuilder &, Value row) {
              for (unsigned j = 0; j < block.count; ++j) {
                Value at =
                    math.add(math.mul(row, MatrixTiles::columns), (i * block.count + j) * words);
                Value sum = builder.create<vector::LoadOp>(loc, wordVector, memory, ValueRange{at});
                if (sumVector != wordVector)
                  sum = builder.create<arith::BitcastOp>(loc, sumVector, sum);
                store(block.pieces[i], row, block.first + j, sum);
              }
            });
}

void MatrixKernel::products(const Block &block, ArrayRef<Value> aBases, Value bBase, Value prefetch,
                            unsigned depth) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  if (depth < loops.size()) {
    const MicroKernel::Loop &loop = loops[depth];
    forLoop(
        builder, loc, math.constant(0), loop.count, math.constant(1), [&](OpBuilder &, Value iv) {
          SmallVector<Value> inner;
          for (Value base : aBases)
            inner.push_back(math.add(base, math.mul(iv, loop.aStride)));
          Value fetched = prefetch
                              ? math.add(prefetch, math.mul(iv, math.div(loop.bStride, shares())))
                              : Value();
          products(block, inner, math.add(bBase, math.mul(iv, loop.bStride)), fetched, depth + 1);
        });
    return;
  }
  constexpr int64_t lineWords = 16;
  const int64_t lines = llvm::divideCeil(tiles.wordsOfRow() * columnTiles, shares());
  for (int64_t line = 0; prefetch && line < lines; ++line)
    builder.create<memref::PrefetchOp>(loc, b, math.add(prefetch, line * lineWords),
                                       /*isWrite=*/false, /*localityHint=*/2,
                                       /*isDataCache=*/true);
  auto loadA = [&](unsigned i) {
    const unsigned factor = MatrixTiles::firstA + i % MatrixTiles::tilesOfA;
    tiles.load(factor, a, aBases[i], aRowStride);
    return factor;
  };
  auto loadB = [&](unsigned j) {
    const unsigned factor = MatrixTiles::firstB + j % MatrixTiles::tilesOfB;
    tiles.load(factor, b, math.add(bBase, j * MatrixTiles::columns), bStride);
    return factor;
  };
  // Of four pieces or four tiles of columns, each is loaded when it is needed.
  if (block.count == 1) {
    const unsigned right = loadB(0);
    for (unsigned i = 0; i < aBases.size(); ++i)
      tiles.multiply(i, loadA(i), right);
    return;
  }
  SmallVector<unsigned> left;
  for (unsigned i = 0; i < aBases.size(); ++i)
    left.push_back(loadA(i));
  for (unsigned j = 0; j < block.count; ++j) {
    const unsigned right = loadB(j);
    for (unsigned i = 0; i < aBases.size(); ++i)
      tiles.multiply(i * block.count + j, left[i], right);
  }
}
