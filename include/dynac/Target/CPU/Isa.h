//===- Isa.h - the x86-64 levels that kernels are written for ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_ISA_H
#define DYNAC_TARGET_CPU_ISA_H

#include "dynac/Runtime/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace dynac::cpu {

/// What multiplies whole matrices (MatrixTiles.h).
enum class MatrixUnit {
  None,
  Amx,
  Loops, ///< plain loops that do what the documentation says AMX does: for tests on any CPU
};

/// What an emitter has to know about a CPU level. One module may hold kernels of several levels:
/// the level is a property of each function.
struct Isa {
  dynac_cpu_level_t level;
  llvm::StringRef name;   ///< as in `--march`: "x86-64-v3"; also the target's name in the artifact
  llvm::StringRef suffix; ///< ends the symbol of a kernel body: "v3"
  llvm::StringRef targetCpu; ///< LLVM's name of a CPU with just these features
  llvm::StringRef tuneCpu;   ///< LLVM's name of the CPU whose costs are assumed
  unsigned lanes;            ///< f32 lanes of a native vector: 4, 8 or 16
  unsigned registers;        ///< vector registers
  bool hasFma;               ///< without it `fma` is expanded to multiply and add
  bool hasBf16Dot;           ///< vdpbf16ps
  bool hasVnni;              ///< vpdpbusd
  MatrixUnit matrices = MatrixUnit::None;
  llvm::StringRef targetFeatures = {}; ///< that `targetCpu` lacks: "+amx-tile,+amx-bf16"

  unsigned vectorBits() const { return lanes * 32; }
  bool operator==(const Isa &other) const { return level == other.level; }
};

/// Every level that kernels can be emitted for, lowest first.
llvm::ArrayRef<Isa> allIsas();

/// The level's description. A level without an entry of its own gets the nearest lower.
const Isa &isaFor(dynac_cpu_level_t level);

/// By `name` ("x86-64-v3"), or nullopt.
std::optional<Isa> isaNamed(llvm::StringRef name);

/// The highest level that this process can run (cpuid and the operating system's state support).
/// For AMX the process asks the kernel for the tile registers, once.
dynac_cpu_level_t hostCpuLevel();

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_ISA_H
