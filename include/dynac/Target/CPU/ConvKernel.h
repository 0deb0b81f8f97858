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
// x[n, C, h, w]. Numbers shorter than 32 bits lie in words (DotKind): the 16 channels of a pixel
// are 8 words of bf16 or 4 of bytes. A plain x then holds bytes, or f32 that become bf16; the
// kernel makes words of the channels.
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
  /// Winograd's F(4x4, 3x3) or F(2x2, 3x3) where they are faster: the error of the former is about
  /// 10 times that of the direct sum (1e-6 of the largest |y|). Operands of bf16 are transformed
  /// and multiplied in f32.
  bool allowWinograd = true;
  DotKind dot = DotKind::F32;
  uint8_t padByte = 0; ///< what bytes of the padding hold: x's zero point

  /// Words of a pixel in a block of channels, and such blocks per group.
  int64_t blockWords() const { return plainInput ? 1 : 16 / groupOf(dot); }
  int64_t groupBlocks() const {
    const int64_t channels = blockWords() * groupOf(dot);
    return (c / groups + channels - 1) / channels;
  }
  /// Whether the kernel makes words of the channels.
  bool gathersWords() const { return plainInput && dot != DotKind::F32; }
};

/// What follows from the shape alone, the same for every CPU level.
struct ConvPlan {
  ConvShape shape;
  /// 1x1 without stride and padding: pixels are counted through rows (image of 1 x h*w).
  bool flat;
  /// x is copied with its padding, or to gather words.
  bool padded;
  /// Where matrices are multiplied, x is copied so that 16 words of a pixel's channels lie
  /// together.
  bool gathersPixels;
  /// Not 0: 3x3 by transformed tiles of so many outputs on a side: 4 or 2.
  int64_t winograd;
  /// Levels that multiply matrices compute a Winograd plan the direct way: packed weights hold
  /// those of that way behind the transformed ones.
  bool hasDirect;
  int64_t packedBase;           ///< words of the packed weights before those that this plan reads
  int64_t blockRows, blockCols; ///< output pixels of a unit (flat: blockRows is 1)
  int64_t groupPanels;          ///< panels of 32 output channels per group
  int64_t scratchBytes;

  int64_t packedElements() const; ///< words, with those of the direct way
  /// The direct way of a Winograd plan, in the same units.
  ConvPlan direct() const;
  /// The kernel's extent: n * ceil(rows / blockRows) * ceil(cols / blockCols) * groups *
  /// groupPanels, where rows x cols is oh x ow, or 1 x oh*ow if flat.
  int64_t units(int64_t n, int64_t oh, int64_t ow) const;
};

/// What planConv may be told.
struct ConvChoice {
  int64_t winograd = -1;      ///< one of winogradSides, or 0; -1: planConv decides
  bool matrices = false;      ///< some level multiplies matrices
  int64_t cachePercent = 100; ///< of the memory that a block may take
};

ConvPlan planConv(const ConvShape &shape, const ConvChoice &choice = {});

/// The sides of the tiles with which Winograd's way computes `shape`; none if it does not.
llvm::SmallVector<int64_t> winogradSides(const ConvShape &shape);

/// Packs w[k, c / groups, kh, kw] (dense) as [panel][c/16][kh][kw][16][panel width], for plain
/// input [panel][c][kh][kw][panel width]. For float to float, float or bf16 to bf16 (uint16_t)
/// and int8_t to int8_t, with a word for each column.
template <typename From, typename To>
void packConv(const ConvPlan &plan, llvm::ArrayRef<From> weights, llvm::MutableArrayRef<To> packed);

/// Buffers: x, packed w, `extra`..., y. Epilogue coordinates: index {n, K/16, oh, ow, lane} in y
/// (flat: oh is 0 and ow counts all pixels, so the linear address is right in every buffer of y's
/// shape); buffers indexed by `channel` have k rounded up to a multiple of 16 elements.
struct ConvSpec {
  ConvPlan plan;
  mlir::Type outputType; ///< the sums' type unless the epilogue converts
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  Epilogue epilogue;
  bool outputMayAlias = false; ///< as GemmSpec::outputMayAlias
};

/// Whether the level multiplies matrices here: if not, its kernel is that of the level below.
bool convTakesTiles(const Isa &isa, const ConvPlan &plan);

void emitConv(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa, const ConvSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_CONVKERNEL_H
