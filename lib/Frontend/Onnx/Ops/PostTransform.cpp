//===- PostTransform.cpp - what ai.onnx.ml does to scores -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PostTransform.h"

#include "llvm/ADT/StringSwitch.h"

using namespace dynac;
using namespace dynac::onnx;

std::optional<PostTransform> onnx::postTransformOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<PostTransform>>(name)
      .Case("NONE", PostTransform::None)
      .Case("SOFTMAX", PostTransform::Softmax)
      .Case("LOGISTIC", PostTransform::Logistic)
      .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
      .Case("PROBIT", PostTransform::Probit)
      .Default(std::nullopt);
}

/// exp(x - max) where x is not 0, x * exp(-max) where it is, over their sum; 0.5 if that is 0.
static Tensor softmaxZero(Tensor x) {
  Tensor largest = reduceMax(x, -1, true);
  Tensor shares = select(abs(x) > 1e-7, exp(x - largest), x * exp(-largest));
  Tensor total = sum(shares, -1, true);
  return select(equal(total, fullLike(total, 0)), 0.5, shares / total);
}

/// sqrt 2 * erfinv(2 x - 1), by Winitzki's formula, which is what the operators mean by it.
static Tensor probit(Tensor x) {
  Tensor y = x * 2.0 - 1.0, inside = (1.0 - y) * (y + 1.0), logarithm = log(inside);
  Tensor v = logarithm * 0.5 + 2.0 / (3.14159265358979323846 * 0.147);
  Tensor root = sqrt(sqrt(v * v - logarithm * (1.0 / 0.147)) - v);
  return select(y < 0.0, -root, root) * 1.41421356;
}

Tensor onnx::transformed(Tensor scores, PostTransform transform) {
  if (!scores)
    return scores;
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax:
    return softmax(scores, -1);
  case PostTransform::Logistic:
    return logistic(scores);
  case PostTransform::SoftmaxZero:
    return softmaxZero(scores);
  case PostTransform::Probit:
    return probit(scores);
  }
}
