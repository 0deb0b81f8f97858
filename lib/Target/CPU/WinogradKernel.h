//===- WinogradKernel.h - F(4x4, 3x3) convolution ---------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 3x3 convolution of stride 1 as 36 products of matrices (Winograd's minimal filtering, Lavin and
// Gray 2015, arXiv:1509.09308): 4x4 outputs take 36 multiplications per channel instead of 144.
//
//   Y = A^T [ sum over c of (G g G^T) . (B^T d B) ] A,   d: 6x6 inputs, g: 3x3 weights, Y: 4x4
//   outputs
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_WINOGRADKERNEL_H
#define DYNAC_LIB_TARGET_CPU_WINOGRADKERNEL_H

#include "dynac/Target/CPU/ConvKernel.h"

namespace dynac::cpu {

/// Outputs on a side of the tiles with which Winograd's way is faster for `shape` than the direct
/// one: 4 or 2; 0 if there are none.
int64_t winogradTile(const ConvShape &shape);

/// Sets blocks and scratch of `plan` (shape, padded, winograd, groupPanels are set).
/// `cachePercent`: as ConvChoice::cachePercent.
void planWinograd(ConvPlan &plan, int64_t cachePercent);

/// [panel][product][c][panel width], transformed in f64.
void packWinograd(const ConvPlan &plan, llvm::ArrayRef<float> weights,
                  llvm::MutableArrayRef<float> packed);

/// Sizes that follow from a plan. A dilated convolution is one without dilation for each phase: the
/// pixels whose row and column leave the same rest when divided by the dilation.
struct WinogradGeometry {
  int64_t side, inputs, products;         ///< outputs and inputs on a side of a tile; inputs^2
  int64_t phases, phaseRows, phaseCols;   ///< rows and columns of the largest phase's output
  int64_t channels, tileRows, tileCols;   ///< tiles of a phase in a block
  int64_t tiles, paddedTiles;             ///< of a block; with room for whole register tiles
  int64_t patchRows, patchCols;           ///< padded inputs of a phase in a block
  int64_t v, m, patch, outputs, elements; ///< first elements in scratch memory, and all

  explicit WinogradGeometry(const ConvPlan &plan);
};

/// The points of interpolation of F(4x4, 3x3) are 0, +-A, +-B and infinity. With 5/8 and 3/2 the
/// terms of the transforms are of like size and all coefficients exact: a convolution of 128
/// channels errs by 1.1e-6 (relative L2), with the usual 1 and 2 by 2.5e-6, computed directly by
/// 0.9e-6. Those of F(2x2, 3x3) are 0, +-1 and infinity.
constexpr double winogradA = 0.625, winogradB = 1.5;

void emitWinograd(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                  const ConvSpec &spec);

/// The buffers of a convolution kernel.
llvm::SmallVector<BufferArg> convBuffers(mlir::MLIRContext *context, const ConvSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_WINOGRADKERNEL_H
