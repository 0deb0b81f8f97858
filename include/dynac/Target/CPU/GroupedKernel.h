//===- GroupedKernel.h - convolution of narrow groups of channels -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups that blocks of 16 channels do not divide: a vector of output channels belongs to several
// groups. x and y are [n, C/16, h, w, 16] as for ConvKernel.h.
//
// A unit first spreads its part of x, with the padding, in scratch memory: for output channels [16
// b, 16 b + 16) and i < C / groups, a pixel has a vector that holds for each of them channel i of
// its group. Then a tap is c / groups products of vectors, and no lane is wasted or sees another
// group.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_GROUPEDKERNEL_H
#define DYNAC_TARGET_CPU_GROUPEDKERNEL_H

#include "dynac/Target/CPU/ConvKernel.h"

namespace dynac::cpu {

struct GroupedPlan {
  ConvShape shape;
  int64_t blockRows, blockCols; ///< output pixels of a unit
  int64_t scratchBytes;

  int64_t groupChannels() const { return shape.c / shape.groups; }
  int64_t groupFilters() const { return shape.k / shape.groups; }
  int64_t outputBlocks() const { return (shape.k + 15) / 16; }
  int64_t packedElements() const {
    return outputBlocks() * 16 * groupChannels() * shape.kernel[0] * shape.kernel[1];
  }
  /// The kernel's extent: n * ceil(k / 16) * ceil(oh / blockRows) * ceil(ow / blockCols).
  int64_t units(int64_t n, int64_t oh, int64_t ow) const {
    return n * outputBlocks() * ((oh + blockRows - 1) / blockRows) *
           ((ow + blockCols - 1) / blockCols);
  }
};

/// `cachePercent`: as ConvChoice::cachePercent.
GroupedPlan planGrouped(const ConvShape &shape, int64_t cachePercent = 100);

/// Packs w[k, c / groups, kh, kw] (dense) as [K/16][kh][kw][c / groups][16].
void packGrouped(const GroupedPlan &plan, llvm::ArrayRef<float> weights,
                 llvm::MutableArrayRef<float> packed);

/// Buffers and epilogue coordinates as for ConvSpec.
struct GroupedSpec {
  GroupedPlan plan;
  mlir::Type outputType;
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  Epilogue epilogue;
  bool outputMayAlias = false;
};

void emitGrouped(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                 const GroupedSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_GROUPEDKERNEL_H
