//===- PanelPacking.h - panels of an activation, copied ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_PANELPACKING_H
#define DYNAC_LIB_TARGET_CPU_PANELPACKING_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

/// Part of a matrix B: element (k, column) is buffer[base + k * stride + column], or `transposed`
/// buffer[base + column * stride + k].
struct PanelSource {
  mlir::Value buffer, base, stride;
  bool transposed;
  int64_t width;            ///< of the panel
  bool allColumns;          ///< exist; else `validColumns` do
  mlir::Value validColumns; ///< index
};

/// Copies rows [0, length) to `packed` (flat, of the buffer's type) at k * width + column. Columns
/// that do not exist are zeros: nothing of them is stored in the end, but sums of whatever scratch
/// memory holds (denormals) may be slow.
void packPanel(KernelFunction &kernel, const PanelSource &source, mlir::Value length,
               mlir::Value packed);

/// The same of a buffer of bf16, not transposed, with words (i32) of two numbers of a column: row
/// 2 k and row 2 k + 1 at k * width + column. After the last of `length` rows come zeros, up to
/// `words` rows of words.
void packPairs(KernelFunction &kernel, const PanelSource &source, mlir::Value length,
               mlir::Value words, mlir::Value packed);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_PANELPACKING_H
