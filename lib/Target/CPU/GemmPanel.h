//===- GemmPanel.h - rows of A times one panel of B -------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part that GEMM with a packed weight and GEMM of two activations share.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_GEMMPANEL_H
#define DYNAC_LIB_TARGET_CPU_GEMMPANEL_H

#include "dynac/Target/CPU/GemmKernel.h"

namespace dynac::cpu {

class MatrixTiles;

/// Rows [row, rowEnd) of A times `width` columns of B.
struct GemmPanel {
  explicit GemmPanel(KernelFunction &kernel) : kernel(kernel) {}

  KernelFunction &kernel;
  DotKind dot = DotKind::F32; ///< all counts of k below are counts of words

  /// A[i, k] is a[aBase + i * aRowStride + k * aKStride].
  mlir::Value a, aBase, aRowStride, aKStride;
  mlir::Value row, rowEnd;
  /// Number of rows (mod the rows of a unit, which are whole tiles) if known, else -1.
  int64_t rowCount = -1;

  /// B[k, j] of the pass from kBegin is b[bBase(kBegin) + (k - kBegin) * bKStride + j].
  mlir::Value b, bKStride;
  std::function<mlir::Value(mlir::Value kBegin)> bBase;
  /// If set: B is the sum (difference) of these elements and those that lie so much further on.
  mlir::Value bOther;
  bool bMinus = false;
  /// How B is stored. Of Int4, bBase is where its blocks begin; there is one pass and k is known.
  WeightFormat weight;
  /// Makes B of a pass available (packs it); may be null.
  std::function<void(mlir::Value kBegin, mlir::Value length)> beforePass;
  /// If not null: element of `b` from which the next panel is prefetched (needs constant bKStride).
  mlir::Value next;
  int64_t unitRows = 0; ///< over how many rows the prefetch is spread

  int64_t width = 0;    ///< multiple of 16
  int64_t columns = -1; ///< of `width`, those that exist; -1: `validColumns` says
  mlir::Value validColumns;

  mlir::Value k;
  int64_t staticK = -1, kBlock = 0; ///< one pass if staticK <= kBlock
  bool kFitsBlock = false;          ///< one pass although k is not known
  mlir::Value partial; ///< memref [rows of a unit, width] for sums between passes; null if one pass

  /// Takes a finished vector of sums: row, column within the panel, mask (null: all lanes exist).
  std::function<void(mlir::Value row, mlir::Value column, mlir::Value sums, mlir::Value mask)>
      store;

  /// If set: matrices are multiplied, `tileK` words of k at a time, in one pass; aKStride is 1.
  MatrixTiles *tiles = nullptr;
  int64_t tileK = 0;

  void emit();

private:
  void emitTiles();
  struct Pass {
    mlir::Value begin, length, isFirst, isLast;
  };
  void pass(const Pass &pass);
  void rowTiles(const Pass &pass, mlir::Value slice, int64_t staticSlice);
  void tile(const Pass &pass, int64_t rows, mlir::Value row, mlir::Value slice,
            int64_t staticSlice);
  void products(const Pass &pass, int64_t rows, mlir::Value row, mlir::Value slice,
                int64_t staticSlice, llvm::SmallVector<mlir::Value> &sums);
  llvm::SmallVector<mlir::Value> initialSums(const Pass &pass, unsigned count,
                                             llvm::function_ref<mlir::Value(unsigned)> load);
  mlir::Value maskAt(mlir::Value slice, int64_t staticSlice, unsigned vector);
  int64_t chainLength() const;
  bool onePass() const { return kFitsBlock || (staticK >= 0 && staticK <= kBlock); }
  bool allColumns() const { return columns == width; }
  unsigned vectors() const;
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_GEMMPANEL_H
