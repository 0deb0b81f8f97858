//===- PostTransform.h - what ai.onnx.ml does to scores ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_POSTTRANSFORM_H
#define DYNAC_FRONTEND_ONNX_OPS_POSTTRANSFORM_H

#include "dynac/Composites/Composites.h"

namespace dynac::onnx {

/// In TreeEnsemble's numbering.
enum class PostTransform : uint8_t { None, Softmax, Logistic, SoftmaxZero, Probit };

/// Nothing for an unknown name.
std::optional<PostTransform> postTransformOf(llvm::StringRef name);

/// Rows of scores [..., classes].
Tensor transformed(Tensor scores, PostTransform transform);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_POSTTRANSFORM_H
