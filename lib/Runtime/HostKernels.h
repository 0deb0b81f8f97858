//===- HostKernels.h - operations that run as library code on the host ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no generated loop expresses well (its work depends on the data). An artifact lists the host
// kernels that it needs as "name@version"; a runtime that lacks one refuses the artifact.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_HOSTKERNELS_H
#define DYNAC_LIB_RUNTIME_HOSTKERNELS_H

#include "Status.h"

namespace dynac::rt {

/// A DYNAC_STEP_HOST step's operands, in its order.
struct HostKernelArgs {
  void *const *buffers;
  const int64_t *bytes;  // of each buffer
  const int32_t *dtypes; // of each buffer
  int32_t bufferCount;
  const int64_t *dims; // values of the step's dimension slots
  int32_t dimCount;
};

/// Errors are DYNAC_SIGNATURE (the data is not what the operation allows) or DYNAC_MISMATCH (the
/// operands are not what the kernel expects); the executor adds the step's name.
using HostKernelFn = Status (*)(const HostKernelArgs &args);

/// "nms@1": ONNX NonMaxSuppression 11. Buffers: boxes f32 [batch, n, 4], scores f32
/// [batch, classes, n], most boxes per class i64, IoU threshold f32, score threshold f32; then
/// results: selected i64 [capacity, 3], their number i64. Dims: batch, n, classes, and 1 where
/// boxes are (x center, y center, width, height) instead of two corners. A capacity of batch *
/// classes * min(n, most) rows always suffices.
Status nonMaxSuppression(const HostKernelArgs &args);

/// "unique@1": ONNX Unique 11, over the `count` slices of x [outer, count, inner]. Buffers: x; then
/// results: values [outer, k, inner] (room for x), first position i64 [count], inverse i64 [count],
/// occurrences i64 [count], k i64. Dims: outer, count, inner, and 1 for sorted slices (else in the
/// order of their first positions). NaN equals NaN and comes last.
Status unique(const HostKernelArgs &args);

/// "seed@1": a new seed for random numbers from the system. Buffers: results: u32 [2].
Status freshSeed(const HostKernelArgs &args);

/// The kernel called "name@version", or nullptr.
HostKernelFn findHostKernel(const char *name);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_HOSTKERNELS_H
