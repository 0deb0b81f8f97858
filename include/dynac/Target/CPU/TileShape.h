//===- TileShape.h - how many sums a CPU level keeps in registers -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_TILESHAPE_H
#define DYNAC_TARGET_CPU_TILESHAPE_H

#include "dynac/Target/CPU/DotKind.h"

#include <algorithm>
#include <cstdint>

namespace dynac::cpu {

/// Native vectors of a GEMM tile in a panel of `width` columns: all of it with 32 registers, else
/// slices of two vectors.
inline unsigned tileVectors(const Isa &isa, int64_t width) {
  return isa.registers == 32 ? width / isa.lanes : 2;
}

/// Rows of a GEMM tile of `vectors` native vectors: 8x48, 6x64, 12x32, 12x16 with AVX-512; 6x16
/// with AVX2; 6x8 without. 7x64 spills. All divide the rows of a work unit. Words that have to be
/// taken apart need more registers for factors.
inline unsigned tileRows(const Isa &isa, unsigned vectors, DotKind dot = DotKind::F32) {
  const bool whole = hasDot(isa, dot);
  if (isa.registers == 16)
    return whole ? 6 : 4;
  return vectors >= 4 ? (whole ? 6 : 4) : vectors == 3 ? (whole ? 8 : 6) : 12;
}

/// Output pixels of a convolution tile of `vectors` native vectors.
inline unsigned tilePixels(const Isa &isa, unsigned vectors, DotKind dot = DotKind::F32) {
  return isa.registers == 16 || vectors > 2 || !hasDot(isa, dot) ? tileRows(isa, vectors, dot) : 14;
}

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_TILESHAPE_H
