//===- Cpu.h - which of an artifact's targets this CPU can run --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_CPU_H
#define DYNAC_LIB_RUNTIME_CPU_H

#include "Status.h"

namespace dynac::rt {

/// The highest dynac_cpu_level_t that CPU and operating system support, 0 below x86-64-v2. For AMX
/// the process asks the kernel for the tile registers, once.
int32_t detectCpuLevel();

/// "x86-64-v3"; "none" for 0.
const char *cpuLevelName(int32_t level);

/// The level of a name ("x86-64-v3", "v3", "avx2", "amx", ...), or 0.
int32_t parseCpuLevel(const char *name);

/// `detected`, lowered to the level that `isa` names, or else $DYNAC_ISA; neither can raise it. An
/// unknown name is an error (DYNAC_USAGE).
Status allowedCpuLevel(int32_t detected, const char *isa, int32_t &level);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_CPU_H
