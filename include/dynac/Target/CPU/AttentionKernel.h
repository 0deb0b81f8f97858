//===- AttentionKernel.h - softmax(q kT) v in one kernel --------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work unit is a block of queries of one batch index. Scores of the block and a block of keys
// stay in scratch memory; with more than one block of keys, sums and results are rescaled to the
// largest score so far, so that no number of keys needs more memory.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_ATTENTIONKERNEL_H
#define DYNAC_TARGET_CPU_ATTENTIONKERNEL_H

#include "dynac/Target/CPU/BatchGemmKernel.h"

namespace dynac::cpu {

/// Buffers: q, k, v (f32), one per term, y (f32). With bf16 all four are of bf16, shares are
/// rounded before they meet v, and sums, scores and terms stay f32.
struct AttentionSpec {
  /// What changes the scores, in order.
  struct Term {
    bool isMask = false; ///< bool (i8): where it is false the score becomes `fill`; else f32, added
    float fill = 0;
    llvm::SmallVector<Extent, 6> strides; ///< elements, for (batch..., query, key); of key 0 or 1
  };

  llvm::SmallVector<Extent, 4> batch;
  Extent queries, keys;
  int64_t depth = 0, valueDepth = 0;
  MatrixLayout q;          ///< (query, depth)
  MatrixLayout k;          ///< (depth, key)
  MatrixLayout v;          ///< (key, valueDepth)
  MatrixLayout y;          ///< (query, valueDepth); not transposed
  int64_t headsPerKey = 1; ///< of the last batch axis; k and v have one matrix for so many heads
  float scale = 1;
  /// F32 or Bf16. For the latter the depth is even and contiguous in q and k, all their strides and
  /// offsets are even, and v is not transposed.
  DotKind dot = DotKind::F32;
  llvm::SmallVector<Term> terms;
  bool zeroNan = false;   ///< a row whose shares are NaN, or that sees no key, gives 0 ...
  bool zeroEmpty = false; ///< ... only one that sees no key (all scores -inf) does
  bool keepTiny = false;  ///< shares that are denormal count; else they are 0, which is faster
  unsigned dimCount = 0;
  /// Elements of the buffers before the first matrix.
  Extent qOffset = 0, kOffset = 0, vOffset = 0;

  int64_t cachePercent = 100; ///< of the memory that a block of scores may take

  /// Queries of a unit, and keys of a block.
  int64_t unitRows() const;
  int64_t keyBlock() const;
  bool oneBlock() const { return !keys.dynamic && keys.value <= keyBlock(); }
  int64_t scratchBytes() const;
  /// The kernel's extent: product(batch) * ceil(queries / unitRows()).
  int64_t units(int64_t batchCount, int64_t queries) const;
};

/// Whether the level multiplies matrices here: if not, its kernel is that of the level below.
bool attentionTakesTiles(const Isa &isa, const AttentionSpec &spec);

void emitAttention(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                   const AttentionSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_ATTENTIONKERNEL_H
