//===- Loss.cpp - losses --------------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;
using namespace dynac::onnx;

/// -x[n, target[n, d…], d…] * weight[target], reduced; an ignored target counts nothing.
static RowStatus lossOf(Node &n, Tensor logProbabilities) {
  Tensor target = n.in(1), x = logProbabilities;
  if (!x || !target)
    return RowStatus::Done;
  if (x.rank() < 2 || target.rank() != x.rank() - 1)
    return n.invalid("scores " + prim::shapeText(x.shape()) + " and targets " +
                     prim::shapeText(target.shape()));
  Tensor weight = n.hasInput(2) ? n.in(2) : Tensor();
  Tensor isIgnored;
  if (n.has("ignore_index")) {
    isIgnored = equal(target, fullLike(target, double(n.i("ignore_index", 0))));
    target = select(isIgnored, fullLike(target, 0), target);
  }
  Tensor loss = -squeeze(takeAlongAxis(x, unsqueeze(target, 1), 1), 1);
  Tensor factor = weight ? take(weight, target, 0) : Tensor();
  if (isIgnored)
    factor = select(isIgnored, 0.0, factor ? factor : fullLike(loss, 1));
  if (factor)
    loss = loss * factor;
  // 0 * inf is NaN, but an ignored element counts nothing whatever it is.
  if (isIgnored)
    loss = select(isIgnored, 0.0, loss);
  std::string reduction = n.s("reduction", "mean");
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < target.rank(); ++axis)
    axes.push_back(axis);
  if (reduction == "sum")
    loss = sum(loss, axes);
  else if (reduction == "mean")
    loss = factor ? sum(loss, axes) / sum(factor, axes) : mean(loss, axes);
  else if (reduction != "none")
    return n.invalid("attribute 'reduction': got '" + reduction + "'");
  n.out(0, loss);
  return RowStatus::Done;
}

// The loss of log-probabilities
static RowStatus negativeLogLikelihood(Node &n) { return lossOf(n, n.in(0)); }

// The loss of log_softmax(x, axis 1), which is the second output
static RowStatus softmaxCrossEntropy(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  Tensor logProbabilities = logSoftmax(x, 1);
  n.out(1, logProbabilities);
  return lossOf(n, logProbabilities);
}

void onnx::addLossRows(OpTable &t) {
  t.add("NegativeLogLikelihoodLoss", 12, negativeLogLikelihood, "T=float Tind=index T").inF32();
  t.add("SoftmaxCrossEntropyLoss", 12, softmaxCrossEntropy, "T=float Tind=index T").inF32();
}
