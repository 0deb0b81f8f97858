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

/// How a packed f32 weight is stored. The kernel widens it to f32 in registers; sums are f32.
struct WeightFormat {
  enum Kind {
    F32,
    Bf16,
    Int8, ///< w = q * scale, one scale per column; after the panels come the scales, f32
    /// w = q * scale, one scale per `block` neighbours in k. A panel is a run of blocks, each
    /// [words][width] words of eight neighbours in k, the first in the lowest bits, and [width]
    /// scales, f32.
    Int4
  };
  Kind kind = F32;
  int64_t block = 0; ///< of Int4: a multiple of 8

  WeightFormat() = default;
  WeightFormat(Kind kind, int64_t block = 0) : kind(kind), block(block) {}
};

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
  WeightFormat weight; ///< other than F32 for DotKind::F32 only
  /// The first 2 * pairs panels are computed two at a time by Strassen's method where a unit has at
  /// least strassenRows rows (and is not mostly padding), `halfK` being half of a block of k.
  int64_t pairs = 0, halfK = 0;
  static constexpr int64_t strassenRows = 64;

  /// Elements of packed B in a column: k, but of Int4 words with their scales.
  int64_t packedRows() const {
    if (weight.kind != WeightFormat::Int4)
      return k;
    const int64_t rest = k % weight.block;
    return k / weight.block * (weight.block / 8 + 1) + (rest ? (rest + 7) / 8 + 1 : 0);
  }
  int64_t packedWords() const { return ((panels - 1) * panelWidth + lastWidth) * packedRows(); }
  int64_t passes() const { return kBlock ? (std::max<int64_t>(k, 1) + kBlock - 1) / kBlock : 1; }
  /// Units that a block of rows has: pairs of panels come first, then single ones.
  int64_t blockUnits() const { return panels - pairs; }
  /// The kernel's extent: unit u is rows [u / blockUnits() * unitRows, ...) of one or two panels.
  int64_t units(int64_t m) const { return (m + unitRows - 1) / unitRows * blockUnits(); }
  /// Of m * n * k multiplications, those that the kernel does without.
  int64_t sparedProducts(int64_t m) const {
    const int64_t rest = m % unitRows, rows = m - (rest < strassenRows ? rest : 0);
    return rows * 2 * pairs * panelWidth * (k / 8);
  }
};

/// What planGemm may be told; 0: it decides.
struct GemmChoice {
  int64_t panelWidth = 0; ///< 16, 32, 48 or 64
  int64_t unitRows = 0;   ///< a multiple of 24, or m
  int64_t passes = 0;     ///< over k
  /// Products of f32 may be formed of sums of A's and of B's numbers. That takes up to an eighth
  /// less and has about twice the error.
  bool strassen = false;
};

/// `m` matters for the size of a unit and for `pairs`; -1: not known. `k` is a multiple of
/// groupOf(dot).
GemmPlan planGemm(int64_t m, int64_t n, int64_t k, DotKind dot = DotKind::F32,
                  WeightFormat weight = {}, const GemmChoice &choice = {});

/// Bytes of packed B of DotKind::F32: panels, then scales if the format has them there.
int64_t packedBytes(const GemmPlan &plan);
/// Where the scales of Int8 begin: a multiple of 64.
int64_t scalesOffset(const GemmPlan &plan);

/// Packs B as packGemmB does, in the plan's format, which is not F32. `packed` has packedBytes().
/// Returns the root of the mean square error, relative to that of the weight. What shares a scale
/// with infinity or NaN becomes NaN and counts for no error.
double quantiseGemmB(const GemmPlan &plan, llvm::ArrayRef<float> b, int64_t kStride,
                     int64_t nStride, llvm::MutableArrayRef<char> packed);

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

/// Whether the level multiplies matrices here: if not, its kernel is that of the level below.
bool gemmTakesTiles(const Isa &isa, const GemmPlan &plan);

/// Adds kernel `name` to `module`.
void emitGemm(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa, const GemmSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_GEMMKERNEL_H
