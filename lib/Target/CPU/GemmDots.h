//===- GemmDots.h - few rows of A times rows of B' --------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// B has its contracted axis last and meets few rows, so packing it would cost more than the
// product: each sum runs along k in a vector of its own, as many columns at a time as a vector has
// lanes, and the vectors are added up across at the end.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_GEMMDOTS_H
#define DYNAC_LIB_TARGET_CPU_GEMMDOTS_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

/// All rows of A times columns [0, end) of a panel.
struct GemmDots {
  explicit GemmDots(KernelFunction &kernel) : kernel(kernel) {}

  KernelFunction &kernel;

  mlir::Value a, b;                     ///< flat memrefs of f32
  llvm::SmallVector<mlir::Value> aRows; ///< element where each row of A starts; k is contiguous
  mlir::Value bBase, bStride;           ///< column j starts at element bBase + j * bStride
  mlir::Value end;                      ///< number of columns
  int64_t staticRest = -1;              ///< `end` modulo the lanes, if that is known
  mlir::Value k;

  /// As GemmPanel::store; `row` counts aRows.
  std::function<void(int64_t row, mlir::Value column, mlir::Value sums, mlir::Value mask)> store;

  void emit();

private:
  /// `count` columns from `column` on (-1: those that exist).
  void columns(mlir::Value column, int64_t count);
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_GEMMDOTS_H
