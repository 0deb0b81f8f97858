//===- TensorImpl.h - what the families of tensor functions share -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_COMPOSITES_TENSORIMPL_H
#define DYNAC_LIB_COMPOSITES_TENSORIMPL_H

#include "dynac/Composites/Tensor.h"
#include "dynac/Dialect/Prim/Infer.h"

namespace dynac {

/// An invalid tensor that still knows where errors go.
inline Tensor invalidTensor(TensorContext &context) { return Tensor(context, mlir::Value()); }
/// The same as the result of a function of `operands`.
inline Tensor invalidTensor(llvm::ArrayRef<Tensor> operands) {
  for (const Tensor &operand : operands)
    if (operand)
      return invalidTensor(operand.ctx());
  return operands.front();
}
inline Tensor failTensor(TensorContext &context, const llvm::Twine &message) {
  context.fail(message);
  return invalidTensor(context);
}
inline Tensor failTensor(TensorContext &context, const llvm::Twine &what, const prim::Misfit &why) {
  context.fail(what, why);
  return invalidTensor(context);
}

/// `value`; reports a shape that no tensor can have.
Tensor checkDims(TensorContext &context, mlir::Value value);
/// Creates the op, or what it folds to at once.
template <typename Op, typename... Args> Tensor build(TensorContext &context, Args &&...args) {
  return checkDims(context,
                   context.builder.createOrFold<Op>(context.loc, std::forward<Args>(args)...));
}

inline mlir::Type int64Type(TensorContext &context) { return context.builder.getI64Type(); }
inline mlir::Type boolType(TensorContext &context) { return context.builder.getI1Type(); }
inline prim::DimsAttr dimsAttr(TensorContext &context, Dims dims) {
  return prim::DimsAttr::get(context.builder.getContext(), dims);
}
/// f32 for f16 and bf16, else the type itself.
inline mlir::Type accumulatorType(mlir::Type type) {
  return type.isF16() || type.isBF16() ? mlir::Float32Type::get(type.getContext()) : type;
}
inline std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// `axes` normalised and sorted; reports axes that are out of range or occur twice, prefixed by
/// `what`.
std::optional<llvm::SmallVector<int64_t>> normaliseAxes(TensorContext &context, Axes axes,
                                                        int64_t rank, const char *what);
/// `shape` with the dimensions of `axes` (sorted) set to 1.
Shape keptShape(Dims shape, Axes axes);
/// A literal of `type` from raw row-major bytes: a constant up to 1 KB, else a weight.
Tensor literal(TensorContext &context, mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// `convert` where one of the types is a small float: f4E2M1 saturates, f8E8M0 rounds up.
Tensor convertSmallFloat(Tensor x, mlir::Type dtype, bool saturate);

} // namespace dynac

#endif // DYNAC_LIB_COMPOSITES_TENSORIMPL_H
