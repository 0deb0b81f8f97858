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

/// Whether Winograd is possible for `shape` and faster than the direct way.
bool prefersWinograd(const ConvShape &shape);

/// Sets blocks and scratch of `plan` (shape, padded, groupPanels are set).
void planWinograd(ConvPlan &plan);

/// [panel][36][c][panel width], transformed in f64.
void packWinograd(const ConvPlan &plan, llvm::ArrayRef<float> weights,
                  llvm::MutableArrayRef<float> packed);

void emitWinograd(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                  const ConvSpec &spec);

/// The buffers of a convolution kernel.
llvm::SmallVector<BufferArg> convBuffers(mlir::MLIRContext *context, const ConvSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_WINOGRADKERNEL_H
