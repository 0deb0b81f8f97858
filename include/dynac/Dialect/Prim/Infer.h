//===- Infer.h - result types of primitives ---------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place computes the shape of each structural primitive's result; builders and verifiers call
// it. Each function returns nothing after storing a one-line reason in `why` when the operands do
// not fit.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_INFER_H
#define DYNAC_DIALECT_PRIM_INFER_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::prim {

using Axes = llvm::ArrayRef<int64_t>;
using Dims = llvm::ArrayRef<SymExpr>;

/// Drops `axes`.
std::optional<Shape> inferReduce(Dims x, Axes axes, std::string &why);
std::optional<Shape> inferTranspose(Dims x, Axes permutation, std::string &why);
std::optional<Shape> inferConcat(llvm::ArrayRef<Shape> xs, int64_t axis, std::string &why);
std::optional<Shape> inferPad(Dims x, Dims lo, Dims hi, Axes interior, std::string &why);
/// The indices' last axis holds `axes.size()` coordinates.
std::optional<Shape> inferGather(Dims x, Dims indices, Axes axes, int64_t batch, std::string &why);
/// Sizes of windows that fit: floor((lo + dilated x + hi - dilated window) / stride) + 1.
std::optional<Shape> inferWindow(Dims x, Axes window, Axes strides, Axes dilations, Dims lo,
                                 Dims hi, std::string &why);
std::optional<Shape> inferDot(Dims a, Dims b, Axes batchA, Axes batchB, Axes contractA,
                              Axes contractB, std::string &why);
std::optional<Shape> inferConv(Dims x, Dims w, Axes strides, Dims lo, Dims hi, Axes lhsDilation,
                               Axes rhsDilation, int64_t groups, std::string &why);
/// Checks `result` against a broadcast of `x` along `axes`.
bool checkBroadcast(Dims x, Axes axes, Dims result, std::string &why);

/// numpy's broadcast of two shapes; symbolic dims that are not provably equal or 1 do not
/// broadcast.
std::optional<Shape> inferNumpyBroadcast(Dims a, Dims b, std::string &why);

} // namespace dynac::prim

#endif // DYNAC_DIALECT_PRIM_INFER_H
