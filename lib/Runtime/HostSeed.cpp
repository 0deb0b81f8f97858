//===- HostSeed.cpp - seeds of random operators -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include <cerrno>
#include <cstring>
#include <sys/random.h>

namespace dynac::rt {

Status freshSeed(const HostKernelArgs &args) {
  if (args.bufferCount != 1 || args.bytes[0] != 8)
    return failure(DYNAC_MISMATCH, "seed wants a buffer of two 32-bit numbers");
  // Up to 256 bytes come at once or not at all.
  while (getrandom(args.buffers[0], 8, 0) != 8)
    if (errno != EINTR)
      return failure(DYNAC_IO, "no random seed from the system: %s", std::strerror(errno));
  return {};
}

} // namespace dynac::rt
