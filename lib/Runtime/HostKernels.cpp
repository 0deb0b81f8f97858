//===- HostKernels.cpp - operations that run as library code on the host ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include <cstring>

namespace dynac::rt {

namespace {
struct Entry {
  const char *name;
  HostKernelFn fn;
};
} // namespace

/// "copy@1": buffers[1] = buffers[0]. The smallest host kernel: tests and `doctor` use it.
static Status copy(const HostKernelArgs &args) {
  if (args.bufferCount != 2 || args.bytes[0] != args.bytes[1])
    return failure(DYNAC_MISMATCH, "copy wants two buffers of the same size");
  if (args.bytes[0] > 0) // a buffer of nothing may be null
    std::memmove(args.buffers[1], args.buffers[0], size_t(args.bytes[0]));
  return {};
}

HostKernelFn findHostKernel(const char *name) {
  static constexpr Entry entries[] = {
      {"copy@1", copy},
      {"nms@1", nonMaxSuppression},
      {"seed@1", freshSeed},
      {"unique@1", unique},
  };
  for (const Entry &entry : entries)
    if (std::strcmp(entry.name, name) == 0)
      return entry.fn;
  return nullptr;
}

} // namespace dynac::rt
