//===- StridedView.h - a tensor where another one lies ----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_STRIDEDVIEW_H
#define DYNAC_LIB_TARGET_CPU_STRIDEDVIEW_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::cpu {

/// Element (i, j, ...) is element offset + i * strides[0] + j * strides[1] + ... of `base`, counted
/// in row-major order. Axes of size 1 have stride 0.
struct StridedView {
  mlir::Value base;
  prim::Shape shape, strides;
  SymExpr offset{0};
};

/// `value` as it lies in memory itself.
StridedView plainView(mlir::Value value);

/// `value` through the slices, transposes and reshapes that make it, as far as they only choose
/// elements at fixed distances.
StridedView viewThrough(mlir::Value value);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_STRIDEDVIEW_H
