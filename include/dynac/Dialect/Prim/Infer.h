//===- Infer.h - result types of primitives ---------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place computes the shape of each structural primitive's result; builders and verifiers call
// it. Each function returns nothing after storing the reason in `why` when the operands do not fit.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_INFER_H
#define DYNAC_DIALECT_PRIM_INFER_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::prim {

using Axes = llvm::ArrayRef<int64_t>;
using Dims = llvm::ArrayRef<SymExpr>;

/// Why operands do not fit.
struct Misfit {
  std::string text; ///< one line
  /// The dimensions at fault, if all that is wrong is that they are not provably equal.
  std::optional<std::pair<SymExpr, SymExpr>> unequal;
};

/// Stores that `a` and `b` differ, or may differ, after `where` in `why`.
std::nullopt_t refuseUnequal(Misfit &why, const llvm::Twine &where, const SymExpr &a,
                             const SymExpr &b);

/// Drops `axes`.
std::optional<Shape> inferReduce(Dims x, Axes axes, Misfit &why);
std::optional<Shape> inferTranspose(Dims x, Axes permutation, Misfit &why);
std::optional<Shape> inferConcat(llvm::ArrayRef<Shape> xs, int64_t axis, Misfit &why);
std::optional<Shape> inferPad(Dims x, Dims lo, Dims hi, Axes interior, Misfit &why);
/// The indices' last axis holds `axes.size()` coordinates.
std::optional<Shape> inferGather(Dims x, Dims indices, Axes axes, int64_t batch, Misfit &why);
/// Sizes of windows that fit: floor((lo + dilated x + hi - dilated window) / stride) + 1.
std::optional<Shape> inferWindow(Dims x, Axes window, Axes strides, Axes dilations, Dims lo,
                                 Dims hi, Misfit &why);
std::optional<Shape> inferDot(Dims a, Dims b, Axes batchA, Axes batchB, Axes contractA,
                              Axes contractB, Misfit &why);
std::optional<Shape> inferConv(Dims x, Dims w, Axes strides, Dims lo, Dims hi, Axes lhsDilation,
                               Axes rhsDilation, int64_t groups, Misfit &why);
/// Checks what holds for every tensor: no size is negative or an overflow, and those that are
/// numbers give at most 2^60 elements.
bool checkShape(Dims shape, Misfit &why);
/// Checks `result` against a broadcast of `x` along `axes`.
bool checkBroadcast(Dims x, Axes axes, Dims result, Misfit &why);

/// numpy's broadcast of two shapes; symbolic dims that are not provably equal or 1 do not
/// broadcast.
std::optional<Shape> inferNumpyBroadcast(Dims a, Dims b, Misfit &why);

} // namespace dynac::prim

#endif // DYNAC_DIALECT_PRIM_INFER_H
