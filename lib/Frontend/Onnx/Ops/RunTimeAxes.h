//===- RunTimeAxes.h - axes and sizes that only the run knows ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files may give axes, starts, pads or scales as tensors that are computed. Ranks are static all
// the same: the number of axes is a length, or follows from the rank that the file declares for the
// result. Which axes they are is data: a mask with an entry for each axis of the tensor. Sizes that
// follow from it are bound to fresh symbols, and what such an operator does to its tensor is then
// an ordinary formula over a reshaped one. All of it holds for symbolic dimensions too. A value
// that makes no sense ends the run with an error.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_RUNTIMEAXES_H
#define DYNAC_FRONTEND_ONNX_OPS_RUNTIMEAXES_H

#include "Families.h"

namespace dynac::onnx {

/// Axes of a tensor that a list names.
struct RunTimeAxes {
  Tensor list;                  ///< [count] i64, none negative
  Tensor isListed;              ///< [rank] bool
  std::optional<int64_t> count; ///< nothing: a symbolic length
};

/// The integers of `list` (1-D, or one of rank 0) as axes of a tensor of `rank` axes. The run
/// checks that they are in range and that none occurs twice.
RunTimeAxes runTimeAxes(Node &n, Tensor list, int64_t rank);

/// Row-major [rank]: values[i] at axis list[i], `others` at the axes that are not listed.
Tensor atAxes(const RunTimeAxes &axes, Tensor values, Tensor others);

/// The `count` elements of `values` at which `keep` holds, in order, both being 1-D. The run checks
/// their number; `what` begins the message.
Tensor compacted(Node &n, Tensor values, Tensor keep, int64_t count, const llvm::Twine &what);

/// The elements of a 1-D tensor of integers as dimensions.
prim::Shape bindAll(Tensor values);

/// Element i of a 1-D tensor as an i64 of rank 0.
Tensor elementOf(Tensor values, int64_t i);
/// A tensor of one integer as an i64 of rank 0.
Tensor scalarOf(Tensor value);

/// x as [before, size, after] around an axis that only the run knows.
struct AxisView {
  Tensor x;
  Tensor axis; ///< i64 of rank 0, not negative
};
/// `trailing` axes of x at its end are no candidates and stay as they are.
AxisView aroundAxis(Node &n, Tensor x, Tensor axis, int64_t trailing = 0);

/// Whether operand `operand` is absent, of rank 0 and expected to have one element, or a list of
/// `length`; a symbolic length becomes `length`. Reports otherwise.
bool requireLength(Node &n, int64_t operand, const SymExpr &length);
/// A symbolic length of a list becomes `length`, if that is given: what the file declares decides
/// only what is open. Reports if it cannot.
bool openLength(Node &n, int64_t operand, std::optional<int64_t> length);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_RUNTIMEAXES_H
