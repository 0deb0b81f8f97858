//===- BatchGemmKernel.h - products of two activations ----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   C[batch..., m, n] = epilogue(sum over k of A[batch..., m, k] * B[batch..., k, n])
//
// All extents and strides may be dynamic, so heads of an attention are read and written where they
// lie
// ([batch, position, head, channel] needs no transpose). Static row strides are faster. A panel of
// B is packed into scratch memory by each unit if it is transposed or used for many rows; a
// transposed one that few rows use is read where it lies (GemmDots.h).
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_BATCHGEMMKERNEL_H
#define DYNAC_TARGET_CPU_BATCHGEMMKERNEL_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

/// How a matrix lies in its buffer, in elements. Element (i, j) is at sum of batch index *
/// batchStrides + i * rowStride + j; `transposed`: at ... + j * rowStride + i.
struct MatrixLayout {
  llvm::SmallVector<Extent, 4> batchStrides; ///< one per batch extent; 0: broadcast
  Extent rowStride;
  bool transposed = false;
};

/// Buffers: A, B (f32), `extra`..., C. Epilogue coordinates: index {batch..., row, column}, channel
/// = column.
struct BatchGemmSpec {
  llvm::SmallVector<Extent, 4> batch;
  Extent m, n, k;
  MatrixLayout a, b, c;  ///< c.transposed is not supported
  mlir::Type outputType; ///< f32 unless the epilogue converts
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  Epilogue epilogue;
  bool outputMayAlias = false; ///< as GemmSpec::outputMayAlias
  int64_t mostRows = 240;      ///< of a unit: a multiple of 24

  /// Columns of a panel and rows of a unit.
  int64_t panelWidth() const;
  int64_t unitRows() const;
  /// Whether each element is a product of a row of A and a row of B', both contiguous.
  bool takesDots() const;
  /// Whether panels of B go through scratch memory.
  bool packs() const;
  int64_t scratchBytes() const;
  /// The kernel's extent: product(batch) * ceil(m / unitRows()) * ceil(n / panelWidth()).
  int64_t units(int64_t batchCount, int64_t m, int64_t n) const;
};

void emitBatchGemm(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                   const BatchGemmSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_BATCHGEMMKERNEL_H
