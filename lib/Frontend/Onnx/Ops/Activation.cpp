//===- Activation.cpp - activation functions ------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <cmath>

using namespace dynac;

// max(x, 0)
static RowStatus relu(Node &n) {
  n.out(0, maximum(n.in(0), 0));
  return RowStatus::Done;
}

// x < 0 ? alpha * x : x
static RowStatus leakyRelu(Node &n) {
  Tensor x = n.in(0);
  n.out(0, select(x < 0, x * n.f("alpha", 0.01), x));
  return RowStatus::Done;
}

// x < 0 ? slope * x : x; slope broadcasts to x. Before opset 7 a 1-D slope belongs to the channels.
static RowStatus prelu(Node &n) {
  Tensor x = n.in(0), slope = n.in(1);
  if (!x || !slope)
    return RowStatus::Done;
  if (n.opset() < 7 && slope.rank() == 1 && x.rank() > 2) {
    llvm::SmallVector<int64_t> trailing;
    for (int64_t axis = 1; axis < x.rank() - 1; ++axis)
      trailing.push_back(axis);
    slope = unsqueeze(slope, trailing);
  }
  n.out(0, select(x < 0, x * broadcastTo(slope, x.shape()), x));
  return RowStatus::Done;
}

// x < 0 ? alpha * (exp(x) - 1) : x
static RowStatus elu(Node &n) {
  Tensor x = n.in(0);
  n.out(0, select(x < 0, expm1(x) * n.f("alpha", 1), x));
  return RowStatus::Done;
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
static RowStatus celu(Node &n) {
  Tensor x = n.in(0);
  double alpha = n.f("alpha", 1);
  Tensor negative = minimum(expm1(x / alpha) * alpha, 0);
  n.out(0, maximum(x, 0) + negative);
  return RowStatus::Done;
}

// gamma * (x > 0 ? x : alpha * (exp(x) - 1))
static RowStatus selu(Node &n) {
  Tensor x = n.in(0);
  // Opset 1 had slightly shorter constants.
  double alpha = n.f("alpha", n.opset() < 6 ? 1.6732 : 1.67326319217681884765625);
  double gamma = n.f("gamma", n.opset() < 6 ? 1.0507 : 1.05070102214813232421875);
  n.out(0, select(x > 0, x, expm1(x) * alpha) * gamma);
  return RowStatus::Done;
}

// log(1 + exp(-|x|)) + max(x, 0)
static Tensor softplusOf(Tensor x) {
  Tensor tail = log1p(exp(-abs(x)));
  return tail + maximum(x, 0);
}

// x / (1 + |x|)
static Tensor softsignOf(Tensor x) { return x / (abs(x) + 1); }

// x * tanh(softplus(x))
static Tensor mishOf(Tensor x) { return x * tanh(softplusOf(x)); }

// clamp(alpha * x + beta, 0, 1)
static RowStatus hardSigmoid(Node &n) {
  double alpha = n.f("alpha", 0.2), beta = n.f("beta", 0.5);
  n.out(0, clamp(n.in(0) * alpha + beta, 0, 1));
  return RowStatus::Done;
}

// x * clamp(x / 6 + 0.5, 0, 1)
static Tensor hardSwishOf(Tensor x) { return x * clamp(x * float(1.0f / 6.0f) + 0.5, 0, 1); }

// x * logistic(alpha * x)
static RowStatus swish(Node &n) {
  Tensor x = n.in(0);
  double alpha = n.f("alpha", 1);
  n.out(0, x * logistic(alpha == 1 ? x : x * alpha));
  return RowStatus::Done;
}

// x * (1 + erf(x / sqrt(2))) / 2, or the tanh form
static RowStatus geluRow(Node &n) {
  std::string form = n.s("approximate", "none");
  if (form != "none" && form != "tanh")
    return n.invalid("attribute 'approximate': got '" + form + "', expected 'none' or 'tanh'");
  n.out(0, gelu(n.in(0), form == "tanh"));
  return RowStatus::Done;
}

// x > alpha ? x : 0
static RowStatus thresholdedRelu(Node &n) {
  Tensor x = n.in(0);
  n.out(0, select(x > n.f("alpha", 1), x, 0.0));
  return RowStatus::Done;
}

// x < -lambd ? x + bias : x > lambd ? x - bias : 0
static RowStatus shrink(Node &n) {
  Tensor x = n.in(0);
  double lambd = n.f("lambd", 0.5), bias = n.f("bias", 0);
  Tensor above = select(x > lambd, x - bias, 0.0);
  n.out(0, select(x < -lambd, x + bias, above));
  return RowStatus::Done;
}

// Along one axis; before opset 13 over all axes from `axis` on, as one.
template <Tensor (*F)(Tensor, int64_t)> static RowStatus softmaxRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  bool flattens = n.opset() < 13;
  int64_t given = n.i("axis", flattens ? 1 : -1), rank = x.rank();
  bool pastEnd = flattens && given == rank;
  if ((given < -rank || given >= rank) && !pastEnd)
    return n.invalid("axis " + llvm::Twine(given) + " of rank " + llvm::Twine(rank));
  int64_t axis = given < 0 ? given + rank : given;
  if (!flattens || axis == rank - 1) {
    n.out(0, F(x, axis));
    return RowStatus::Done;
  }
  prim::Shape shape = x.shape();
  SymExpr rows = prim::elementCount(llvm::ArrayRef(shape).take_front(axis));
  SymExpr columns = prim::elementCount(llvm::ArrayRef(shape).drop_front(axis));
  n.out(0, reshape(F(reshape(x, {rows, columns}), 1), shape));
  return RowStatus::Done;
}

// 1 at the first maximum along the axis, else 0; before opset 13 over all axes from `axis` on, as
// one.
static Tensor hardmaxOf(Tensor x, int64_t axis) {
  Tensor winner = argReduce(Combiner::max, x, axis, /*last=*/false, /*keep=*/true);
  if (!winner)
    return {};
  Tensor position = iota(x.ctx(), x.shape(), axis, winner.dtype());
  return convert(equal(position, winner), x.dtype());
}

void onnx::addActivationRows(OpTable &t) {
  t.add("Relu", 1, relu, "T=number");
  t.add("LeakyRelu", 1, leakyRelu, "T=float").inF32();
  t.add("PRelu", 1, prelu, "T=number").inF32();
  t.add("Elu", 1, elu, "T=float").inF32();
  t.add("Celu", 12, celu, "T=float").inF32();
  t.add("Selu", 1, selu, "T=float").inF32();
  t.add("Softplus", 1, unary<softplusOf>, "T=float").inF32();
  t.add("Softsign", 1, unary<softsignOf>, "T=float").inF32();
  t.add("Mish", 18, unary<mishOf>, "T=float").inF32();
  t.add("HardSigmoid", 1, hardSigmoid, "T=float").inF32();
  t.add("HardSwish", 14, unary<hardSwishOf>, "T=float").inF32();
  t.add("Swish", 24, swish, "T=float").inF32();
  t.add("Gelu", 20, geluRow, "T=float");
  t.add("ThresholdedRelu", 10, thresholdedRelu, "T=float").inF32();
  t.add("Shrink", 9, shrink, "T=number");
  t.add("Sigmoid", 1, unary<logistic>, "T=float").inF32();
  t.add("Tanh", 1, unary<tanh>, "T=float").inF32();
  t.add("Softmax", 1, softmaxRow<softmax>, "T=float");
  t.add("LogSoftmax", 1, softmaxRow<logSoftmax>, "T=float");
  t.add("Hardmax", 1, softmaxRow<hardmaxOf>, "T=float");
}
