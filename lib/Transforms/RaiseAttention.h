//===- RaiseAttention.h - attention in pieces -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TRANSFORMS_RAISEATTENTION_H
#define DYNAC_LIB_TRANSFORMS_RAISEATTENTION_H

#include "mlir/IR/PatternMatch.h"

namespace dynac {

/// Makes "attention" composites of products, softmax and what changes the scores between.
void addRaiseAttentionPatterns(mlir::RewritePatternSet &patterns);

/// Moves transposes before and after "attention" composites into their choice of axes.
void addFoldAttentionPatterns(mlir::RewritePatternSet &patterns);

} // namespace dynac

#endif // DYNAC_LIB_TRANSFORMS_RAISEATTENTION_H
