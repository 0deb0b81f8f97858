//===- MatrixKernel.h - contractions by tiles of matrices -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MicroKernel is for vectors: the body of GEMM and convolution where the CPU multiplies
// matrices. Rows of A come in pieces of equal height, at most 16; two pieces by two tiles of
// columns keep four sums busy, each factor is used twice. The last piece of a row of pixels (of the
// rows of a GEMM) may begin within the piece before: what both compute is stored once.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_MATRIXKERNEL_H
#define DYNAC_LIB_TARGET_CPU_MATRIXKERNEL_H

#include "MatrixTiles.h"

namespace dynac::cpu {

/// How many words of A's rows one tile takes where so many lie together, the same for all tiles: 0
/// if vectors do better or the level has no tiles.
int64_t tileWords(const Isa &isa, DotKind dot, int64_t contiguous);

struct MatrixKernel {
  MatrixKernel(KernelFunction &kernel, MatrixTiles &tiles, DotKind dot)
      : kernel(kernel), tiles(tiles), dot(dot) {}

  KernelFunction &kernel;
  MatrixTiles &tiles;
  DotKind dot;
  mlir::Value a, b;           ///< flat memrefs of words; all addresses below count words
  mlir::Value aRowStride;     ///< between rows of a piece
  mlir::Value bBase, bStride; ///< first word of the panel; between its rows
  unsigned columnTiles = 0;   ///< of 16 columns
  /// As MicroKernel::loops; an iteration of the innermost one takes a tile of A and one of B.
  llvm::SmallVector<MicroKernel::Loop> loops;
  mlir::Value pieces, height; ///< index: how many, and the rows of each (1 to 16)
  std::function<mlir::Value(mlir::Value piece)> aBase;
  /// The first row that the piece before does not have.
  std::function<mlir::Value(mlir::Value piece)> firstRow;
  /// Takes a finished vector of sums, of a row of a piece.
  std::function<void(mlir::Value piece, mlir::Value row, unsigned columnTile, mlir::Value sums)>
      store;

  /// If not null: where the next panel of B begins, of `nextWords` words, which moves to L2 while
  /// this one is in use. All blocks of sums, `staticPieces` pieces high, fetch a share of it.
  mlir::Value next;
  int64_t nextWords = 0, staticPieces = 1;

  void emit();

private:
  /// Pieces times columns [first, first + count).
  struct Block {
    llvm::SmallVector<mlir::Value> pieces;
    unsigned first, count;
    mlir::Value share; ///< of the prefetch
  };
  void blocks(mlir::Value from, mlir::Value to, unsigned together, unsigned first, unsigned end,
              unsigned atOnce);
  void emitBlock(const Block &block);
  void products(const Block &block, llvm::ArrayRef<mlir::Value> aBases, mlir::Value bBase,
                mlir::Value prefetch, unsigned depth);
  int64_t shares() const;
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_MATRIXKERNEL_H
