//===- Contrib.cpp - com.microsoft: what onnxruntime fuses ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit transBatch{"transBatchA 1, transBatchB 1"};
static constexpr Limit packedRotary{"is_packed_batching 1, scale other than 1"};

std::optional<Tensor> onnx::activated(Tensor x, llvm::StringRef name,
                                      llvm::ArrayRef<double> parameters) {
  auto parameter = [&](size_t i, double otherwise) {
    return i < parameters.size() ? parameters[i] : otherwise;
  };
  if (!x || name.empty())
    return x;
  if (name == "Relu")
    return maximum(x, 0);
  if (name == "Sigmoid")
    return logistic(x);
  if (name == "Tanh")
    return tanh(x);
  if (name == "LeakyRelu")
    return select(x < 0.0, x * parameter(0, 0.01), x);
  if (name == "HardSigmoid")
    return clamp(x * parameter(0, 0.2) + parameter(1, 0.5), 0, 1);
  if (name == "Clip" && parameters.size() == 2)
    return clamp(x, parameters[0], parameters[1]);
  return std::nullopt;
}

namespace {

/// Swaps the last two axes where attribute `name` is set.
Tensor turned(Node &n, Tensor x, llvm::StringRef name) {
  return x && n.i(name, 0) != 0 && x.rank() > 1 ? swapAxes(x, -1, -2) : x;
}

// alpha * a' b', numpy's matmul with the last two axes swapped if so asked
RowStatus fusedMatMul(Node &n) {
  Tensor a = n.in(0), b = n.in(1);
  if (!a || !b)
    return RowStatus::Done;
  if (n.i("transBatchA", 0) != 0 || n.i("transBatchB", 0) != 0)
    return n.unsupported(transBatch);
  Tensor y = matmul(turned(n, a, "transA"), turned(n, b, "transB"));
  double alpha = n.f("alpha", 1);
  n.out(0, alpha == 1 ? y : y * alpha);
  return RowStatus::Done;
}

// activation(alpha * a' b' + beta * c)
RowStatus fusedGemm(Node &n) {
  Tensor a = turned(n, n.in(0), "transA"), b = turned(n, n.in(1), "transB");
  if (!a || !b)
    return RowStatus::Done;
  if (a.rank() != 2 || b.rank() != 2)
    return n.invalid("operands " + prim::shapeText(a.shape()) + " and " +
                     prim::shapeText(b.shape()) + " are no matrices");
  Tensor y = matmul(a, b) * n.f("alpha", 1);
  if (Tensor c = n.in(2, /*optional=*/true); c && y)
    y = y + broadcastTo(c, y.shape()) * n.f("beta", 1);
  std::string name = n.s("activation", "");
  llvm::SmallVector<double> parameters;
  for (const char *attribute : {"activation_alpha", "activation_beta"})
    if (n.has(attribute))
      parameters.push_back(n.f(attribute, 0));
  auto result = activated(y, name, parameters);
  if (!result)
    return n.unsupported(otherActivation, name);
  n.out(0, *result);
  return RowStatus::Done;
}

// gelu(x + bias)
RowStatus biasGelu(Node &n) {
  n.out(0, gelu(n.in(0) + n.in(1), /*tanhApproximation=*/false));
  return RowStatus::Done;
}

// The tanh form of gelu(x + bias)
RowStatus fastGelu(Node &n) {
  Tensor x = n.in(0);
  if (Tensor bias = n.in(1, /*optional=*/true))
    x = x + bias;
  n.out(0, gelu(x, /*tanhApproximation=*/true));
  return RowStatus::Done;
}

RowStatus exactGelu(Node &n) {
  n.out(0, gelu(n.in(0), /*tanhApproximation=*/false));
  return RowStatus::Done;
}

// x * logistic(alpha * x)
RowStatus quickGelu(Node &n) {
  Tensor x = n.in(0);
  if (x)
    n.out(0, x * logistic(x * n.f("alpha", 1.702)));
  return RowStatus::Done;
}

/// input + skip (which may lack the batch) + bias, which is output 3 too.
Tensor skipped(Node &n, int64_t bias) {
  Tensor x = n.in(0), skip = n.in(1);
  Tensor total = x && skip ? x + broadcastTo(skip, x.shape()) : Tensor();
  if (total && n.hasInput(bias))
    total = total + n.in(bias);
  n.out(3, total);
  return total;
}

/// Mean and 1 / deviation are for training; they may be asked for all the same.
void putStatistics(Node &n, Tensor mean, Tensor inverse) {
  n.out(1, mean);
  n.out(2, inverse);
}

// Layer normalisation of input + skip + bias
RowStatus skipLayerNormalization(Node &n) {
  Tensor total = skipped(n, 4);
  if (!total)
    return RowStatus::Done;
  LayerNormResult result = layerNorm(total, n.in(2), n.in(3, /*optional=*/true), total.rank() - 1,
                                     n.f("epsilon", 1e-12));
  n.out(0, result.y);
  putStatistics(n, result.mean, result.inverseStd);
  return RowStatus::Done;
}

/// 1 / sqrt(mean(x^2) + epsilon) over axes from `axis` on, which stay.
Tensor inverseRms(Tensor x, int64_t axis, double epsilon) {
  return rsqrt(mean(x * x, llvm::to_vector(llvm::seq<int64_t>(axis, x.rank())), true) + epsilon);
}

// The same without mean and bias
RowStatus skipSimplifiedLayerNormalization(Node &n) {
  Tensor total = skipped(n, 3), scale = n.in(2);
  if (!total || !scale)
    return RowStatus::Done;
  double epsilon = n.f("epsilon", 1e-12);
  n.out(0, rmsNorm(total, scale, total.rank() - 1, epsilon));
  if (n.hasOutput(1) || n.hasOutput(2))
    putStatistics(n, mean(total, -1, true), inverseRms(total, total.rank() - 1, epsilon));
  return RowStatus::Done;
}

// x / sqrt(mean(x^2) + epsilon) * scale; onnxruntime files it under ai.onnx
RowStatus simplifiedLayerNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1);
  if (!x || !scale)
    return RowStatus::Done;
  int64_t axis = x.axis(n.i("axis", -1));
  double epsilon = n.f("epsilon", 1e-5);
  n.out(0, rmsNorm(x, scale, axis, epsilon));
  if (n.hasOutput(1))
    n.out(1, inverseRms(x, axis, epsilon));
  return RowStatus::Done;
}

// Layer normalisation of the sum of word, position and segment embeddings; the second output is
// the number of ones of the mask
RowStatus embedLayerNormalization(Node &n) {
  TensorContext &ctx = n.ctx();
  Tensor words = n.in(0), total = take(n.in(2), words, 0);
  if (!total || words.rank() != 2)
    return ctx.failed() ? RowStatus::Done : n.invalid("expected ids [batch, length]");
  mlir::Type i32 = ctx.builder.getI32Type();
  Tensor positions = n.hasInput(8) ? n.in(8) : iota(ctx, {SymExpr(1), words.dim(1)}, 1, i32);
  total = total + take(n.in(3), positions, 0);
  if (n.hasInput(1) && n.hasInput(4))
    total = total + take(n.in(4), n.in(1), 0);
  n.out(2, total);
  if (!total)
    return RowStatus::Done;
  n.out(0, layerNorm(total, n.in(5), n.in(6), 2, n.f("epsilon", 1e-12)).y);
  Tensor mask = n.in(7, /*optional=*/true);
  n.out(1, mask ? sum(convert(mask, i32), 1) : fullInt(ctx, {words.dim(0)}, 0, i32));
  return RowStatus::Done;
}

// Pairs of each head turned by the angles of their positions, which are listed or start at an
// offset
RowStatus contribRotary(Node &n) {
  Tensor x = n.in(0), positions = n.in(1), cosine = n.in(2), sine = n.in(3);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (n.i("is_packed_batching", 0) != 0 || n.f("scale", 1) != 1)
    return n.unsupported(packedRotary);
  TensorContext &ctx = n.ctx();
  Shape original = x.shape();
  SymExpr half = cosine.dim(1);
  int64_t heads = n.i("num_heads", 0), rotated = n.i("rotary_embedding_dim", 0);
  if (x.rank() == 3) { // [B, S, heads * size] -> [B, heads, S, size]
    SymExpr size = half * SymExpr(2);
    if (heads > 0)
      size = dividedBy(n, x.dim(2), heads);
    else if (rotated > 0)
      return n.invalid("rotary_embedding_dim needs num_heads");
    auto count = heads > 0 ? std::optional(SymExpr(heads))
                           : ctx.requireMultiple(x.dim(2), size, "the hidden size");
    if (!count)
      return RowStatus::Done;
    x = swapAxes(reshape(x, {x.dim(0), x.dim(1), *count, size}), 1, 2);
  }
  if (!x || x.rank() != 4)
    return ctx.failed() ? RowStatus::Done : n.invalid("expected rank 3 or 4");
  mlir::Type i64 = ctx.builder.getI64Type();
  positions = convert(positions, i64);
  if (positions.rank() < 2) // where all of the batch begin
    positions =
        reshape(positions, {SymExpr(1), SymExpr(1)}) + iota(ctx, {SymExpr(1), x.dim(2)}, 1, i64);
  cosine = unsqueeze(take(cosine, positions, 0), 1);
  sine = unsqueeze(take(sine, positions, 0), 1);
  SymExpr size = x.dim(3), turning = rotated > 0 ? SymExpr(rotated) : half * SymExpr(2);
  Tensor part = sliceAxis(x, 3, SymExpr(0), turning), a, b;
  bool interleaved = n.i("interleaved", 0) != 0;
  if (interleaved) {
    Tensor pairs = reshape(part, {x.dim(0), x.dim(1), x.dim(2), half, SymExpr(2)});
    a = squeeze(sliceAxis(pairs, 4, 0, 1), 4);
    b = squeeze(sliceAxis(pairs, 4, 1, 2), 4);
  } else {
    a = sliceAxis(part, 3, SymExpr(0), half);
    b = sliceAxis(part, 3, half, turning);
  }
  Tensor real = a * cosine - b * sine, imaginary = a * sine + b * cosine;
  Tensor y = interleaved ? stack({real, imaginary}, -1) : concat({real, imaginary}, 3);
  if (y && interleaved)
    y = reshape(y, part.shape());
  if (y && turning != size)
    y = concat({y, sliceAxis(x, 3, turning, size)}, 3);
  if (y && original.size() == 3)
    y = reshape(swapAxes(y, 1, 2), original);
  n.out(0, y);
  return RowStatus::Done;
}

} // namespace

void onnx::addContribRows(OpTable &t) {
  t.add("FusedMatMul", 1, fusedMatMul, "T=float", microsoft).inF32().limits({&transBatch});
  t.add("FusedGemm", 1, fusedGemm, "T=number", microsoft).inF32().limits({&otherActivation});
  t.add("BiasGelu", 1, biasGelu, "T=float", microsoft).inF32();
  t.add("FastGelu", 1, fastGelu, "T=float", microsoft).inF32();
  t.add("Gelu", 1, exactGelu, "T=float", microsoft).inF32();
  t.add("QuickGelu", 1, quickGelu, "T=float", microsoft).inF32();
  t.add("SkipLayerNormalization", 1, skipLayerNormalization, "T=float", microsoft).inF32();
  t.add("SkipSimplifiedLayerNormalization", 1, skipSimplifiedLayerNormalization, "T=float",
        microsoft)
      .inF32();
  t.add("SimplifiedLayerNormalization", 1, simplifiedLayerNormalization, "T=float V=float").inF32();
  t.add("EmbedLayerNormalization", 1, embedLayerNormalization, "T1=i32 T1 T=float T T T T T1",
        microsoft)
      .inF32();
  t.add("RotaryEmbedding", 1, contribRotary, "T=float M=index T", microsoft)
      .inF32()
      .limits({&packedRotary});
}
