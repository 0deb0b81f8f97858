//===- Work.h - how much a model computes -----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_WORK_H
#define DYNAC_DRIVER_WORK_H

#include "dynac/Frontend/Onnx/Model.h"
#include "dynac/Support/SymExpr.h"
#include "llvm/Support/Error.h"

namespace dynac {

/// Floating-point operations of one run: two for each multiplication and addition of a matrix
/// product or convolution, which is nearly all; the bodies of loops count once. Errors: as of the
/// phases import and decompose.
llvm::Expected<SymExpr> countFlops(const onnx::OnnxModel &model);

} // namespace dynac

#endif // DYNAC_DRIVER_WORK_H
