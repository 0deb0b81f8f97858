//===- Cpu.cpp - which of an artifact's targets this CPU can run ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dynac::rt {

#if defined(__x86_64__)

namespace {
struct Leaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;

  Leaf(uint32_t leaf, uint32_t subleaf = 0) {
    if (!__get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx))
      eax = ebx = ecx = edx = 0;
  }
};
} // namespace

static bool all(uint32_t word, std::initializer_list<int> bits) {
  for (int bit : bits)
    if (!(word >> bit & 1))
      return false;
  return true;
}

/// The register states that the operating system saves (XCR0).
static uint64_t savedStates() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Tile data is off until the process asks for it (Linux 5.16 and later).
static bool requestTiles() {
  constexpr long archReqXcompPerm = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, archReqXcompPerm, tileData) == 0;
}

static int32_t detect() {
  const Leaf one(1), seven(7), sevenOne(7, 1), extended(0x80000001);
  // SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT; LAHF in 64-bit mode.
  if (!all(one.ecx, {0, 9, 13, 19, 20, 23}) || !all(extended.ecx, {0}))
    return 0;
  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT.
  if (!all(one.ecx, {12, 22, 27, 28, 29}) || !all(seven.ebx, {3, 5, 8}) ||
      !all(extended.ecx, {5}) || (savedStates() & 0x6) != 0x6)
    return DYNAC_CPU_V2;
  // AVX512 F, DQ, CD, BW, VL.
  if (!all(seven.ebx, {16, 17, 28, 30, 31}) || (savedStates() & 0xE6) != 0xE6)
    return DYNAC_CPU_V3;
  // AVX512-VNNI; AVX512-BF16.
  if (!all(seven.ecx, {11}) || !all(sevenOne.eax, {5}))
    return DYNAC_CPU_V4;
  // AMX-BF16, AMX-TILE, AMX-INT8.
  if (!all(seven.edx, {22, 24, 25}) || (savedStates() & 0x60000) != 0x60000 || !requestTiles())
    return DYNAC_CPU_V4_BF16_VNNI;
  return DYNAC_CPU_AMX;
}

#else

static int32_t detect() { return 0; }

#endif

int32_t detectCpuLevel() {
  static const int32_t level = detect();
  return level;
}

namespace {
struct LevelName {
  const char *name;
  int32_t level;
};
} // namespace

/// The first name of each level is the one that messages use.
static constexpr LevelName levelNames[] = {
    {"x86-64-v2", DYNAC_CPU_V2},
    {"x86-64-v3", DYNAC_CPU_V3},
    {"x86-64-v4", DYNAC_CPU_V4},
    {"x86-64-v4-bf16-vnni", DYNAC_CPU_V4_BF16_VNNI},
    {"amx", DYNAC_CPU_AMX},
    {"v2", DYNAC_CPU_V2},
    {"v3", DYNAC_CPU_V3},
    {"v4", DYNAC_CPU_V4},
    {"sse4.2", DYNAC_CPU_V2},
    {"avx2", DYNAC_CPU_V3},
    {"avx512", DYNAC_CPU_V4},
    {"avx512-bf16", DYNAC_CPU_V4_BF16_VNNI},
    {"avx512_bf16", DYNAC_CPU_V4_BF16_VNNI},
    {"v4-bf16-vnni", DYNAC_CPU_V4_BF16_VNNI},
    {"x86-64-v4-bf16", DYNAC_CPU_V4_BF16_VNNI},
    {"x86-64-v4-amx", DYNAC_CPU_AMX},
    {"x86-64-amx", DYNAC_CPU_AMX},
};

const char *cpuLevelName(int32_t level) {
  for (const LevelName &entry : levelNames)
    if (entry.level == level)
      return entry.name;
  return "none";
}

int32_t parseCpuLevel(const char *name) {
  for (const LevelName &entry : levelNames)
    if (std::strcmp(entry.name, name) == 0)
      return entry.level;
  return 0;
}

Status allowedCpuLevel(int32_t detected, const char *isa, int32_t &level) {
  level = detected;
  const char *source = "option isa";
  if (!isa || !*isa) {
    isa = std::getenv("DYNAC_ISA");
    source = "DYNAC_ISA";
  }
  if (!isa || !*isa || std::strcmp(isa, "native") == 0)
    return {};
  const int32_t named = parseCpuLevel(isa);
  if (!named)
    return failure(DYNAC_USAGE,
                   "%s: \"%s\" is no CPU level; there are x86-64-v2, x86-64-v3, x86-64-v4, "
                   "x86-64-v4-bf16-vnni and amx",
                   source, isa);
  if (named < detected)
    level = named;
  return {};
}

} // namespace dynac::rt
