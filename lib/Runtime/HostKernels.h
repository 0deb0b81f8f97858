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

/// The kernel called "name@version", or nullptr.
HostKernelFn findHostKernel(const char *name);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_HOSTKERNELS_H
