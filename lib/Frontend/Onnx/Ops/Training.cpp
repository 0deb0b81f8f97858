//===- Training.cpp - updates of optimisers -------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands: rate R, number of updates T, then groups X…, G…, states…; results: new X…, new states….
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;
using namespace dynac::onnx;

/// A scalar operand, in the type of the tensors that are updated.
static Tensor scalarOf(Node &n, int64_t i) {
  Tensor value = reshape(n.in(i), {});
  mlir::Type type = n.inputType(2);
  return value && type ? convert(value, type) : value;
}

/// Number of tensors per group, or nothing if the operands do not divide into `groups`.
static std::optional<int64_t> groupSize(Node &n, int64_t groups) {
  int64_t operands = n.inputCount() - 2;
  if (operands <= 0 || operands % groups != 0)
    return std::nullopt;
  return operands / groups;
}

// g = norm * x + g; r = R / (1 + T * decay); H = H + g^2; x = x - r g / (sqrt(H) + epsilon)
static RowStatus adagrad(Node &n) {
  auto count = groupSize(n, 3);
  if (!count)
    return n.invalid("operands do not come in groups of three");
  Tensor rate = scalarOf(n, 0) / (scalarOf(n, 1) * n.f("decay_factor", 0) + 1.0);
  for (int64_t i = 0; i < *count; ++i) {
    Tensor x = n.in(2 + i), g = n.in(2 + *count + i), h = n.in(2 + 2 * *count + i);
    g = x * n.f("norm_coefficient", 0) + g;
    h = h + g * g;
    n.out(i, x - rate * g / (sqrt(h) + n.f("epsilon", 1e-6)));
    n.out(*count + i, h);
  }
  return RowStatus::Done;
}

// g = norm * x + g; V = a V + (1 - a) g; H = b H + (1 - b) g^2; r = R sqrt(1 - b^T) / (1 - a^T), or
// R at T = 0; x = (1 - norm_post) (x - r V / (sqrt(H) + epsilon))
static RowStatus adam(Node &n) {
  auto count = groupSize(n, 4);
  if (!count)
    return n.invalid("operands do not come in groups of four");
  double a = n.f("alpha", 0.9), b = n.f("beta", 0.999);
  Tensor rate = scalarOf(n, 0), t = scalarOf(n, 1);
  Tensor powerA = pow(fullLike(t, a), t), powerB = pow(fullLike(t, b), t);
  Tensor adjusted = select(t > 0, rate * sqrt(1.0 - powerB) / (1.0 - powerA), rate);
  for (int64_t i = 0; i < *count; ++i) {
    Tensor x = n.in(2 + i), g = n.in(2 + *count + i);
    Tensor v = n.in(2 + 2 * *count + i), h = n.in(2 + 3 * *count + i);
    g = x * n.f("norm_coefficient", 0) + g;
    v = v * a + g * (1 - a);
    h = h * b + g * g * (1 - b);
    Tensor next = x - adjusted * v / (sqrt(h) + n.f("epsilon", 1e-6));
    n.out(i, next * (1 - n.f("norm_coefficient_post", 0)));
    n.out(*count + i, v);
    n.out(2 * *count + i, h);
  }
  return RowStatus::Done;
}

// g = norm * x + g; V = alpha V + beta g (beta is 1 at T = 0); x = x - R V, or (nesterov) x - R (g
// + alpha V)
static RowStatus momentum(Node &n) {
  auto count = groupSize(n, 3);
  if (!count)
    return n.invalid("operands do not come in groups of three");
  double alpha = n.f("alpha", 0);
  std::string mode = n.s("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return n.invalid("attribute 'mode': got '" + mode + "'");
  Tensor rate = scalarOf(n, 0), t = scalarOf(n, 1);
  Tensor beta = select(t > 0, fullLike(t, n.f("beta", 0)), 1.0);
  for (int64_t i = 0; i < *count; ++i) {
    Tensor x = n.in(2 + i), g = n.in(2 + *count + i), v = n.in(2 + 2 * *count + i);
    g = x * n.f("norm_coefficient", 0) + g;
    v = v * alpha + beta * g;
    n.out(i, x - rate * (mode == "standard" ? v : g + v * alpha));
    n.out(*count + i, v);
  }
  return RowStatus::Done;
}

void onnx::addTrainingRows(OpTable &t) {
  llvm::StringRef domain = "ai.onnx.preview.training";
  t.add("Adagrad", 1, adagrad, "T1=f32|f64 T2=index T3=f32|f64", domain);
  t.add("Adam", 1, adam, "T1=f32|f64 T2=index T3=f32|f64", domain);
  t.add("Momentum", 1, momentum, "T1=f32|f64 T2=index T3=f32|f64", domain);
}
