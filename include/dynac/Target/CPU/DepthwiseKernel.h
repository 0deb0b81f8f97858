//===- DepthwiseKernel.h - depthwise convolution in blocks of 16 -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[n, c, oh, ow] = epilogue(sum over i, j of x[n, c, oh * stride - pad + i * dilation, ...] *
//   w[c, i, j])
//
// x and y are [n, C/16, h, w, 16], or [n, h, w, C] where 16 divides C; w is packed as
// [C/16][kh][kw][16]. Taps that fall into the padding are left out: rows by the bounds of a loop,
// columns in tiles of their own. n, h, w may be dynamic (slower at the left and right border).
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_DEPTHWISEKERNEL_H
#define DYNAC_TARGET_CPU_DEPTHWISEKERNEL_H

#include "dynac/Target/CPU/ConvKernel.h"

namespace dynac::cpu {

struct DepthwisePlan {
  ConvShape shape; ///< groups = c = k
  int64_t blockRows;
  bool channelsLast; ///< x and y are [n, h, w, c]

  int64_t packedElements() const {
    return (shape.c + 15) / 16 * 16 * shape.kernel[0] * shape.kernel[1];
  }
  /// The kernel's extent: n * ceil(c / 16) * ceil(oh / blockRows).
  int64_t units(int64_t n, int64_t oh) const {
    return n * ((shape.c + 15) / 16) * ((oh + blockRows - 1) / blockRows);
  }
};

/// `channelsLast`: 16 has to divide the channels. `blockRows`: of a unit; 0: planDepthwise decides.
DepthwisePlan planDepthwise(const ConvShape &shape, bool channelsLast = false,
                            int64_t blockRows = 0);

/// Packs w[c, kh, kw] (dense).
void packDepthwise(const DepthwisePlan &plan, llvm::ArrayRef<float> weights,
                   llvm::MutableArrayRef<float> packed);

/// Buffers and epilogue coordinates as for ConvSpec, or (n, y, x, channel) if channels are last.
struct DepthwiseSpec {
  DepthwisePlan plan;
  mlir::Type outputType;
  llvm::SmallVector<BufferArg> extra;
  unsigned dimCount = 0;
  Epilogue epilogue;
  bool outputMayAlias = false;
};

void emitDepthwise(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                   const DepthwiseSpec &spec);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_DEPTHWISEKERNEL_H
