//===- MachinePeaks.h - what this CPU can do at most ------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_MACHINEPEAKS_H
#define DYNAC_SUPPORT_MACHINEPEAKS_H

#include <cstdint>
#include <vector>

namespace dynac {

/// Instructions that multiply and add, by what they multiply.
enum class PeakKind {
  F32,
  Bf16,       ///< AVX512-BF16's pairs
  Bytes,      ///< AVX512-VNNI's fours
  ShortPairs, ///< pairs of 16-bit numbers and an addition: bytes without VNNI
  Bf16Tiles,  ///< AMX; the process must have asked for tiles, as a loaded model has
  ByteTiles
};

/// Operations a second, of all threads together, with everything in registers; a multiplication and
/// an addition are two. `vectorBits`: 128, 256 or 512 (no matter for tiles); the CPU must have the
/// instructions. Measured in CPU time, so that a busy machine does not look slow; takes about 20
/// ms.
double measurePeak(PeakKind kind, int vectorBits, int threads);

/// How fast memory is read, by how much of it.
struct Bandwidth {
  struct Point {
    double bytes;          ///< working set of all threads together
    double bytesPerSecond; ///< of all threads together; never more than a smaller set's
  };
  std::vector<Point> points; ///< by rising size

  /// For a working set of any size, between the points on logarithmic axes. 0 without points.
  double at(double bytes) const;
};

/// Measured with loads of `vectorBits` on sets from 16 KiB to 256 MiB a process, as far as there is
/// memory; takes about half a second.
Bandwidth measureBandwidth(int vectorBits, int threads);

} // namespace dynac

#endif // DYNAC_SUPPORT_MACHINEPEAKS_H
