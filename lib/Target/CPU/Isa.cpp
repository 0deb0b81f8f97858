//===- Isa.cpp - the x86-64 levels that kernels are written for -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/Isa.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace dynac::cpu;

// The CPUs are named for their features only. "x86-64-v3" and "-v4" would do for LLVM as well, but
// they come with a generic tuning that prefers 256-bit vectors and slow unaligned accesses.
// Tuned for Cooper Lake, LLVM keeps a sum of a full bf16 tile in memory: a third of the time more
// where it happens to lie in two cache lines.
static constexpr Isa isas[] = {
    {DYNAC_CPU_V2, "x86-64-v2", "v2", "x86-64-v2", "x86-64-v2", 4, 16, false, false, false},
    {DYNAC_CPU_V3, "x86-64-v3", "v3", "haswell", "haswell", 8, 16, true, false, false},
    {DYNAC_CPU_V4, "x86-64-v4", "v4", "skylake-avx512", "skylake-avx512", 16, 32, true, false,
     false},
    {DYNAC_CPU_V4_BF16_VNNI, "x86-64-v4-bf16-vnni", "v4bf16", "cooperlake", "sapphirerapids", 16,
     32, true, true, true},
    // Not "sapphirerapids", which has AVX512-FP16 besides.
    {DYNAC_CPU_AMX, "amx", "amx", "cooperlake", "sapphirerapids", 16, 32, true, true, true,
     MatrixUnit::Amx, "+amx-tile,+amx-bf16,+amx-int8"},
};

llvm::ArrayRef<Isa> dynac::cpu::allIsas() { return isas; }

const Isa &dynac::cpu::isaFor(dynac_cpu_level_t level) {
  const Isa *found = &isas[0];
  for (const Isa &isa : isas)
    if (isa.level <= level)
      found = &isa;
  return *found;
}

std::optional<Isa> dynac::cpu::isaNamed(llvm::StringRef name) {
  for (const Isa &isa : isas)
    if (isa.name == name)
      return isa;
  return std::nullopt;
}

/// Tile data is off until the process asks for it (Linux 5.16 and later).
static bool requestTiles() {
#if defined(__x86_64__)
  constexpr long archReqXcompPerm = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, archReqXcompPerm, tileData) == 0;
#else
  return false;
#endif
}

static dynac_cpu_level_t detect() {
  // LLVM's detection clears features whose state the operating system does not save.
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<llvm::StringRef> names) {
    for (llvm::StringRef name : names)
      if (!features.lookup(name))
        return false;
    return true;
  };
  if (!hasAll({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}))
    return DYNAC_CPU_V2;
  if (!hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return DYNAC_CPU_V3;
  if (!hasAll({"avx512bf16", "avx512vnni"}))
    return DYNAC_CPU_V4;
  return hasAll({"amx-tile", "amx-bf16", "amx-int8"}) && requestTiles() ? DYNAC_CPU_AMX
                                                                        : DYNAC_CPU_V4_BF16_VNNI;
}

dynac_cpu_level_t dynac::cpu::hostCpuLevel() {
  static const dynac_cpu_level_t level = detect();
  return level;
}
