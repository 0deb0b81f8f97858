//===- NibbleTile.h - the register tile of four-bit weights -----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of MicroKernel for B in WeightFormat::Int4. The products of a block are summed with the
// numbers as they are stored, -8 to 7; the block's sum is multiplied by its scale.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_NIBBLETILE_H
#define DYNAC_LIB_TARGET_CPU_NIBBLETILE_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

struct NibbleTile {
  int64_t rows, vectors;
  mlir::Value a, b; ///< flat memrefs of f32 and i32
  /// A[r, k] is a[aBase + r * aRowStride + k].
  mlir::Value aBase, aRowStride;
  mlir::Value bBase; ///< the tile's first column in the panel's first block
  int64_t width;     ///< of the panel
  int64_t k, block;

  /// rows * vectors sums, row-major.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &b, mlir::Location loc, const Isa &isa) const;
};

/// Rows of such a tile at most: what four bits become takes registers too.
inline constexpr int64_t nibbleTileRows = 4;

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_NIBBLETILE_H
