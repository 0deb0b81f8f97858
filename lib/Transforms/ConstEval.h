//===- ConstEval.h - primitives on constants, at compile time ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates primitives on weights when the artifact is written. Only operations whose result is
// fixed by IEEE 754 or by integer arithmetic are evaluated (no exp), one rounding each; sums are
// made in double and in order. So the bytes do not depend on the compiling CPU.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TRANSFORMS_CONSTEVAL_H
#define DYNAC_LIB_TRANSFORMS_CONSTEVAL_H

#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Dialect/Prim/WeightStore.h"

namespace dynac {

/// An operand as evaluation reads it: element `index` of the result is element sum(coordinate *
/// stride) of the weight. Stride 0 broadcasts.
struct ConstOperand {
  int64_t id;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> strides; ///< one per axis of the result
};

/// A derivation that computes the elementwise `op` on operands read through strides, or nothing if
/// the op or a type is not evaluated.
std::optional<WeightStore::Derive> evalElementwise(mlir::Operation *op,
                                                   llvm::ArrayRef<ConstOperand> operands);

/// A derivation that copies elements of one operand by strides, from element `first` on: a
/// transpose, reverse, broadcast or plain copy.
WeightStore::Derive evalStrided(mlir::RankedTensorType result, llvm::ArrayRef<int64_t> strides,
                                int64_t first = 0);

/// A derivation that adds up integers of type `x`, of at most 32 bits, as i32: element `index` of x
/// is part of sum number sum(coordinate * stride).
WeightStore::Derive evalByteSum(mlir::RankedTensorType x, llvm::ArrayRef<int64_t> strides);

/// A derivation that puts the operand, of type `x`, at `lo` into a tensor of `value` (one element).
WeightStore::Derive evalPadded(mlir::RankedTensorType x, mlir::RankedTensorType result,
                               llvm::ArrayRef<int64_t> lo, mlir::DenseElementsAttr value);

/// A derivation of the sums of f32 `x` along axes, or nothing if another combiner or type.
std::optional<WeightStore::Derive> evalSum(prim::ReduceOp op);

/// A derivation of a product of two f32 weights, or nothing if of another type.
std::optional<WeightStore::Derive> evalDot(prim::DotOp op);

/// A derivation that joins operands along an axis; `outer` is the product of the sizes before it.
WeightStore::Derive evalConcat(int64_t outer);

} // namespace dynac

#endif // DYNAC_LIB_TRANSFORMS_CONSTEVAL_H
