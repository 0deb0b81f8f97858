//===- GemmKernel.h - matrix product with a packed weight -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   C[m, n] = epilogue(sum over k of A[m, k] * B[k, n])
//
// B is a weight that is packed at compile time into panels of `panelWidth` columns,
// [panel][k][panelWidth]; the last panel may be narrower (a multiple of 16, zero-padded). One
// packing serves every CPU level. Of numbers shorter than 32 bits, k counts words (DotKind): a word
// of a panel holds the numbers of one column.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_GEMMKERNEL_H
#define DYNAC_TARGET_CPU_GEMMKERNEL_H

#include "dynac/Target/CPU/MicroKernel.h"

#include <string>

namespace dynac::cpu {

/// What follows from the shape alone, the same for every CPU level: packing and work units.
struct GemmPlan {
  DotKind dot;
  int64_t n, k;       ///< k in words
  int64_t panelWidth; ///< 16, 32, 48 or 64 columns
  int64_t panels;
  int64_t lastWidth; ///< of the last panel: a multiple of 16
  int64_t unitRows;  ///< rows of A per work unit
  int64_t kBlock;    ///< k per pass: sums of more than one pass go through scratch memory
  int64_t scratchBytes;

  int64_t packedWords() const { return ((panels - 1) * panelWidth + lastWidth) * k; }
  /// The kernel's extent: unit u is rows [u / panels * unitRows, ...) of panel u % panels.
  int64_t units(int64_t m) const { return (m + unitRows - 1) / unitRows * panels; }
};

/// `m` matters for the size of a unit only; -1: not known. `k` is a multiple of groupOf(dot).
GemmPlan planGemm(int64_t m, int64_t n, int64_t k, DotKind dot = DotKind::F32);

/// Packs B for `plan`. Element (k, n) is b[k * kStride + n * nStride]; `packed` has packedWords()
/// words. For float to float, float or bf16 to bf16 (uint16_t) and int8_t to int8_t.
template <typename From, typename To>
void packGemmB(const GemmPlan &plan, llvm::ArrayRef<From> b, int64_t kStride, int64_t nStride,
               llvm::MutableArrayRef<To> packed);

/// Buffers of the kernel, in order: A [m, k], packed B, `extra`..., C [m, n].
struct GemmSpec {
  GemmPlan plan;
  Extent m;
  /// Row stride of A in words; 0: k.
  int64_t lda = 0;
  /// The sums' type unless the epilogue converts.
  mlir::Type outputType;
  /// For the epilogue: buffer(2), buffer(3), ...
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  /// Null: C is the product.
  Epilogue epilogue;
  /// C may be the memory of one of `extra`, with equal index for equal element (a residual added in
  /// place).
  bool outputMayAlias = false;
};

/// Adds kernel `name` to `module`.
void emitGemm(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa, const GemmSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_GEMMKERNEL_H
