//===- Verify.h - checks that the verifiers share ---------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_DIALECT_PRIM_VERIFY_H
#define DYNAC_LIB_DIALECT_PRIM_VERIFY_H

#include "dynac/Dialect/Prim/Infer.h"

namespace dynac::prim {

inline mlir::Type elementOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}
inline int64_t rankOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank();
}

/// That `result` has the shape that a function of Infer.h gave, or else its reason.
mlir::LogicalResult expectShape(mlir::Operation *op, const char *what, mlir::Value result,
                                const std::optional<Shape> &inferred, const Misfit &why);
mlir::LogicalResult expectElement(mlir::Operation *op, const char *what, mlir::Value value,
                                  mlir::Type expected);
/// The operands' and the result's element types are equal.
mlir::LogicalResult expectSameElement(mlir::Operation *op, mlir::Value a, mlir::Value b);
mlir::LogicalResult expectInteger(mlir::Operation *op, const char *what, mlir::Value value);
mlir::LogicalResult expectRank(mlir::Operation *op, const char *what, mlir::Value value,
                               int64_t rank);
mlir::LogicalResult expectAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// The combiner is one of `allowed` and means something on elements of `type`.
mlir::LogicalResult expectCombiner(mlir::Operation *op, Combiner combiner,
                                   llvm::ArrayRef<Combiner> allowed, mlir::Type type);

} // namespace dynac::prim

#endif // DYNAC_LIB_DIALECT_PRIM_VERIFY_H
