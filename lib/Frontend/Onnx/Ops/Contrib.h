//===- Contrib.h - what rows of com.microsoft share -------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_CONTRIB_H
#define DYNAC_FRONTEND_ONNX_OPS_CONTRIB_H

#include "Families.h"

namespace dynac::onnx {

constexpr llvm::StringLiteral microsoft = "com.microsoft";

inline constexpr Limit otherActivation{
    "activations other than Relu, LeakyRelu, Tanh, Sigmoid, HardSigmoid and Clip"};

/// The function that a fused operator ends with; "" is none. Nothing for an unknown name.
/// `parameters` are alpha and beta of LeakyRelu and HardSigmoid, the bounds of Clip.
std::optional<Tensor> activated(Tensor x, llvm::StringRef name, llvm::ArrayRef<double> parameters);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_CONTRIB_H
