//===- FoldElements.h - literals computed from literals ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_DIALECT_PRIM_FOLDELEMENTS_H
#define DYNAC_LIB_DIALECT_PRIM_FOLDELEMENTS_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::prim {

/// A literal of type `result` whose element at `out` is the source's at the place that `place`
/// stores in `in`. Null if the result is too large for a literal or not of static shape.
mlir::Attribute pickElements(
    mlir::DenseElementsAttr source, mlir::RankedTensorType result,
    llvm::function_ref<void(llvm::ArrayRef<int64_t> out, llvm::MutableArrayRef<int64_t> in)> place);
/// The same with the source chosen per element.
mlir::Attribute
pickElements(mlir::RankedTensorType result,
             llvm::function_ref<mlir::DenseElementsAttr(llvm::ArrayRef<int64_t> out,
                                                        llvm::SmallVectorImpl<int64_t> &in)>
                 place);

/// `source` with every element converted as prim.convert does.
mlir::Attribute convertElements(mlir::DenseElementsAttr source, mlir::Type to, bool saturate);

/// Whether every value of `from` survives the conversion to `to` and back.
bool convertsExactly(mlir::Type from, mlir::Type to);

} // namespace dynac::prim

#endif // DYNAC_LIB_DIALECT_PRIM_FOLDELEMENTS_H
