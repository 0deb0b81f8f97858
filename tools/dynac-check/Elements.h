//===- Elements.h - literals of a test file as bytes ------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_CHECK_ELEMENTS_H
#define DYNAC_TOOLS_DYNAC_CHECK_ELEMENTS_H

#include "HostTensor.h"
#include "dynac/Dialect/Prim/WeightStore.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace dynac::tool {

/// The literal as the runtime wants tensors. Error: an element type that it does not have.
llvm::Expected<HostTensor> hostTensorOf(mlir::DenseElementsAttr value);

/// The literal as an entry of `weights`; returns its number.
int64_t addWeight(WeightStore &weights, llvm::StringRef name, mlir::DenseElementsAttr value);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_CHECK_ELEMENTS_H
