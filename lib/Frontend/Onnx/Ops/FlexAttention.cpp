//===- FlexAttention.cpp - attention with graphs in its middle ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <cmath>

using namespace dynac;
using namespace dynac::onnx;

/// x through the graph attribute `name`, which keeps shape and type. Nothing after an error.
static std::optional<Tensor> modified(Node &n, llvm::StringRef name, Tensor x) {
  if (!n.hasGraph(name))
    return x;
  auto results = n.importGraph(name, {x});
  if (!results)
    return std::nullopt;
  if (results->size() != 1 || results->front().rank() != x.rank()) {
    n.ctx().fail("graph '" + name + "' must give one tensor of its operand's shape");
    return std::nullopt;
  }
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (!n.ctx().requireEqual(results->front().dim(axis), x.dim(axis),
                              "an axis of the result of graph '" + name + "'"))
      return std::nullopt;
  return convert(results->front(), x.dtype());
}

// prob_mod(softmax(score_mod(scale * q k'))) v, each head of k and v serving a run of heads of q
static RowStatus flexAttention(Node &n) {
  Tensor q = n.in(0), k = n.in(1), v = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
    return n.invalid("Q " + prim::shapeText(q.shape()) + ", K " + prim::shapeText(k.shape()) +
                     " and V " + prim::shapeText(v.shape()) + ": expected rank 4");
  TensorContext &ctx = n.ctx();
  mlir::Type dtype = q.dtype(), f32 = ctx.builder.getF32Type();
  mlir::Type wide = n.has("softmax_precision") ? n.dtypeOf(n.i("softmax_precision", 1))
                    : dtype.isF64()            ? dtype
                                               : f32;
  if (!wide)
    return RowStatus::Done;
  if (!llvm::isa<mlir::FloatType>(wide) || prim::bitWidth(wide) < 16)
    return n.invalid("attribute 'softmax_precision': expected a float type");
  SymExpr heads = q.dim(1), groups = k.dim(1), queries = q.dim(2), keys = k.dim(2);
  auto shared = ctx.requireMultiple(heads, groups, "the heads of Q");
  if (!shared || !ctx.requireEqual(v.dim(1), groups, "the heads of V") ||
      !ctx.requireEqual(v.dim(2), keys, "the length of V") ||
      !ctx.requireEqual(k.dim(3), q.dim(3), "the size of K's heads"))
    return RowStatus::Done;
  // Contractions are formed in f32 (or f64) and rounded once, to the operands' type.
  mlir::Type inner = dtype.isF64() ? dtype : f32;
  Tensor scaled = convert(q, inner);
  if (n.has("scale"))
    scaled = scaled * n.f("scale", 1);
  else
    scaled = scaled * rsqrt(dimScalar(ctx, q.dim(3), inner));
  Shape all = {q.dim(0), heads, queries, keys};
  Tensor grouped = reshape(scaled, {q.dim(0), groups, *shared * queries, q.dim(3)});
  Tensor scores = dot(grouped, convert(k, inner), {0, 1}, {0, 1}, 3, 3);
  scores = convert(convert(reshape(scores, all), dtype), wide);
  auto changed = modified(n, "score_mod", scores);
  if (!changed)
    return RowStatus::Done;
  auto shares = modified(n, "prob_mod", softmax(*changed, -1));
  if (!shares)
    return RowStatus::Done;
  Tensor weights = reshape(*shares, {q.dim(0), groups, *shared * queries, keys});
  Tensor y = dot(weights, convert(v, wide), {0, 1}, {0, 1}, 3, 2);
  n.outAs(0, reshape(y, {q.dim(0), heads, queries, v.dim(3)}), dtype);
  return RowStatus::Done;
}

void onnx::addFlexAttentionRows(OpTable &t) {
  t.add("FlexAttention", 1, flexAttention, "T1=float", "ai.onnx.preview");
}
