//===- Passes.h - phases of the CPU target ----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_PASSES_H
#define DYNAC_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dynac::cpu {

/// Channels per block of the blocked layout, for every ISA.
inline constexpr int64_t kChannelBlock = 16;

/// Puts convolutions and what lies between them into the layout [N, C/16, H, W, 16]: each eligible
/// convolution becomes composite `conv_nchwc` between `pack_channels` and `unpack_channels`, these
/// move through elementwise ops, pools, paddings and concatenations, and meeting pairs cancel.
std::unique_ptr<mlir::Pass> createBlockedLayoutPass();

/// Computes depthwise convolutions whose results are wanted with the channels last as composite
/// `depthwise_nhwc`, and moves the transposes around them until they cancel. Comes before the
/// blocked layout.
std::unique_ptr<mlir::Pass> createChannelsLastPass();

/// Rounds the f32 operands of contractions that have a kernel of bf16 words, and of no others. What
/// is rounded is stored as bf16; sums and all other operations stay f32. Its conversions of weights
/// are folded by the pass that folds weights, which has to come before claims.
std::unique_ptr<mlir::Pass> createBf16OperandsPass();

/// Marks the ops that have a kernel of their own (`dynac.claim`), before composites are inlined.
std::unique_ptr<mlir::Pass> createClaimPass();

/// Lets claimed "attention" composites read their operands in place of copies that slices,
/// transposes and reshapes would make. The last pass before fusion.
std::unique_ptr<mlir::Pass> createAttentionViewsPass();

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_PASSES_H
