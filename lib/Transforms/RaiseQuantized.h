//===- RaiseQuantized.h - products of quantised numbers ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TRANSFORMS_RAISEQUANTIZED_H
#define DYNAC_LIB_TRANSFORMS_RAISEQUANTIZED_H

#include "mlir/IR/PatternMatch.h"

namespace dynac {

/// Adds the patterns that make integer contractions of the bytes that dequantised operands come
/// from, and keep bytes between them.
void addQuantizedPatterns(mlir::RewritePatternSet &patterns);

/// The same, for what these have left: bytes that no contraction takes are not made. To be applied
/// after them, since a contraction finds its bytes by the way they are dequantised.
void addRequantizedPatterns(mlir::RewritePatternSet &patterns);

} // namespace dynac

#endif // DYNAC_LIB_TRANSFORMS_RAISEQUANTIZED_H
