//===- MatrixTiles.h - registers that hold matrices -------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMX has eight registers of up to 16 rows of 64 bytes. An instruction multiplies a tile of A, rows
// of words (DotKind), by a tile of B, whose row k holds word k of 16 columns: as panels of packed
// weights do. How high and wide each register is, is set for all at once and empties them.
//
// The registers are named by number: MLIR has no type for a tile that lives through a loop.
//
// The operations have a second lowering, to plain loops over memory, with the semantics that the
// documentation gives the instructions. So kernels of tiles are tested on CPUs that have none.
// (What the loops do not do is flush denormals.)
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_MATRIXTILES_H
#define DYNAC_LIB_TARGET_CPU_MATRIXTILES_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

class MatrixTiles {
public:
  /// Sums, then factors.
  static constexpr unsigned sumTiles = 4, firstA = 4, tilesOfA = 2, firstB = 6, tilesOfB = 2;
  static constexpr int64_t maxRows = 16, maxWords = 16, columns = 16;

  /// To be made in the kernel's entry block. A tile of A has `words` words a row, one of B as many
  /// rows.
  MatrixTiles(KernelFunction &kernel, DotKind dot, int64_t words);

  /// Makes tiles of sums and of A `rows` (index) high. What the tiles held is lost, unless they are
  /// that high already.
  void configure(mlir::Value rows);
  void zero(unsigned tile);
  /// From a flat memref of words, at `index`, with `rowStride` (both count words) between rows.
  void load(unsigned tile, mlir::Value memory, mlir::Value index, mlir::Value rowStride);
  void store(unsigned tile, mlir::Value memory, mlir::Value index, mlir::Value rowStride);
  /// sum += a * b. For bf16 the products of each word's first numbers and those of its second are
  /// summed apart, from zero, and then added to the sum.
  void multiply(unsigned sum, unsigned a, unsigned b);
  int64_t wordsOfRow() const { return words; } ///< of A
  /// Memory for the tiles of sums, a flat memref of words.
  mlir::Value buffer() const { return sumBuffer; }
  /// At the end of the kernel: the CPU then has no tiles to save when it changes threads.
  void release();

private:
  mlir::Value number(int64_t value);
  mlir::Value address(mlir::Value memory, mlir::Value index);
  mlir::Value stride(mlir::Value words);
  void intrinsic(llvm::StringRef name, mlir::ValueRange operands);
  mlir::Value register8(unsigned tile);
  mlir::Value rowsOf(unsigned tile);
  mlir::Value wordsOf(unsigned tile);
  mlir::Value rowOf(unsigned tile, mlir::Value row);
  void setRow(unsigned tile, mlir::Value row, mlir::Value value);
  void configureLoops();
  void multiplyRow(unsigned sum, unsigned a, unsigned b, mlir::Value row);

  const DotKind dot;
  const int64_t words;
  const bool native;
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  mlir::Value sumBuffer;
  mlir::Value config; ///< what ldtilecfg reads, as memref<8xi64>
  mlir::Value tiles;  ///< of the loops: memref<8x16x16xi32>
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_MATRIXTILES_H
