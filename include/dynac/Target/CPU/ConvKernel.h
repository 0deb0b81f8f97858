//===- ConvKernel.h - direct convolution on blocks of 16 channels -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[n, K/16, oh, ow, 16] = epilogue(sum over c, i, j of
//                x[n, C/16, oh * stride - pad + i * dilation, ow * stride - pad + j * dilation, 16]
//                * w[k, c, i, j])
//
// Channels are padded to a multiple of 16: the extra input channels must be finite (their weights
// are 0), the extra output channels become epilogue(0). A first layer with few channels reads plain
// x[n, C, h, w].
//
// Padding is the kernel's own business: where there is any, a unit copies its part of x, with zeros
// around it, to scratch memory once for all its output channels, and all addresses below are
// compile-time constants. n, h, w may be dynamic.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_CONVKERNEL_H
#define DYNAC_TARGET_CPU_CONVKERNEL_H

#include "dynac/Target/CPU/MicroKernel.h"

#include <array>

namespace dynac::cpu {

/// Pairs are (vertical, horizontal).
struct ConvShape {
  Extent n, h, w; ///< of x
  Extent oh, ow;  ///< of y
  int64_t c = 0, k = 0;
  int64_t groups =
      1; ///< if not 1, c / groups and k / groups are multiples of 16 (or it is a depthwise kernel)
  std::array<int64_t, 2> kernel = {1, 1}, stride = {1, 1}, dilation = {1, 1};
  std::array<int64_t, 2> padBegin = {0, 0}, padEnd = {0, 0};
  bool plainInput = false; ///< x is [n, c, h, w]; groups = 1
  /// F(4x4, 3x3) where it is faster: the error is about 10 times that of the direct sum (1e-6 of
  /// the largest |y|).
  bool allowWinograd = true;
};

/// What follows from the shape alone, the same for every CPU level.
struct ConvPlan {
  ConvShape shape;
  /// 1x1 without stride and padding: pixels are counted through rows (image of 1 x h*w).
  bool flat;
  /// x is copied with its padding.
  bool padded;
  /// 3x3 by transformed tiles of 6x6 inputs.
  bool winograd;
  int64_t blockRows, blockCols; ///< output pixels of a unit (flat: blockRows is 1)
  int64_t groupPanels;          ///< panels of 32 output channels per group
  int64_t scratchBytes;

  int64_t packedElements() const;
  /// The kernel's extent: n * ceil(rows / blockRows) * ceil(cols / blockCols) * groups *
  /// groupPanels, where rows x cols is oh x ow, or 1 x oh*ow if flat.
  int64_t units(int64_t n, int64_t oh, int64_t ow) const;
};

ConvPlan planConv(const ConvShape &shape);

/// Packs w[k, c / groups, kh, kw] (dense) as [panel][c/16][kh][kw][16][panel width], for plain
/// input [panel][c][kh][kw][panel width].
void packConv(const ConvPlan &plan, llvm::ArrayRef<float> weights,
              llvm::MutableArrayRef<float> packed);

/// Buffers: x, packed w, `extra`..., y. Epilogue coordinates: index {n, K/16, oh, ow, lane} in y
/// (flat: oh is 0 and ow counts all pixels, so the linear address is right in every buffer of y's
/// shape); buffers indexed by `channel` have k rounded up to a multiple of 16 elements.
struct ConvSpec {
  ConvPlan plan;
  mlir::Type outputType; ///< f32 unless the epilogue converts
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  Epilogue epilogue;
  bool outputMayAlias = false; ///< as GemmSpec::outputMayAlias
};

void emitConv(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa, const ConvSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_CONVKERNEL_H
