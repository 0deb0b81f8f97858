//===- Attention.cpp - attention and rotary positions ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <cmath>
#include <limits>

using namespace dynac;
using namespace dynac::onnx;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// [B, T, heads * D] as [B, heads, T, D].
Tensor splitHeads(Node &n, Tensor x, int64_t heads) {
  SymExpr size = dividedBy(n, x.dim(2), heads);
  return swapAxes(reshape(x, {x.dim(0), x.dim(1), SymExpr(heads), size}), 1, 2);
}

/// [B, heads, T, D] as [B, T, heads * D].
Tensor joinHeads(Tensor x) {
  x = swapAxes(x, 1, 2);
  return x ? reshape(x, {x.dim(0), x.dim(1), x.dim(2) * x.dim(3)}) : x;
}

/// What one Attention node computes with.
struct Operands {
  Tensor q, k, v, bias;
  double scale = 1, softcap = 0;
  Causal causal = Causal::No;
  SymExpr queries{}, keys{};
};

/// `bias` + where `allowed` is false -inf; either may be invalid.
Tensor restrict(Tensor bias, Tensor allowed, mlir::Type dtype) {
  Tensor zero = full(allowed.ctx(), {}, 0, dtype),
         masked = full(allowed.ctx(), {}, -infinity, dtype);
  Tensor added = select(allowed, zero, masked);
  return bias ? bias + added : added;
}

/// The mask operand as a bias, extended by -inf to the number of keys.
Tensor maskBias(Node &n, const Operands &o) {
  Tensor mask = n.in(3);
  if (!mask)
    return mask;
  Tensor bias = mask.isBool() ? restrict({}, mask, o.q.dtype()) : convert(mask, o.q.dtype());
  SymExpr missing = o.keys - bias.dim(-1);
  if (missing.isZero() || bias.dim(-1).isOne())
    return bias;
  Shape lo(bias.rank(), SymExpr(0)), hi = lo;
  hi.back() = missing;
  return pad(bias, full(n.ctx(), {}, -infinity, bias.dtype()), lo, hi);
}

/// Adds to the bias what positions decide: causality, windows, lengths of the keys per batch entry.
/// Plain causality stays an option of the composite.
void positionBias(Node &n, Operands &o, std::optional<SymExpr> past) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type(), dtype = o.q.dtype();
  bool isCausal = n.i("is_causal", 0) != 0;
  int64_t left = n.i("left_window_size", -1), right = n.i("right_window_size", -1);
  Tensor lengths = n.hasInput(6) ? convert(n.in(6), i64) : Tensor();
  if (isCausal && !lengths) {
    SymExpr offset = past.value_or(SymExpr(0));
    if (offset.isZero())
      o.causal = Causal::FromStart;
    else if (offset == o.keys - o.queries)
      o.causal = Causal::FromEnd;
  }
  bool needsCausal = isCausal && o.causal == Causal::No;
  if (!needsCausal && left < 0 && right < 0 && !lengths)
    return;
  // Query i stands at offset + i; with lengths the last query is the last valid key.
  Tensor query = iota(ctx, {o.queries, SymExpr(1)}, 0, i64),
         key = iota(ctx, {SymExpr(1), o.keys}, 1, i64);
  if (lengths)
    query = query + reshape(lengths - dimScalar(ctx, o.queries, i64),
                            {lengths.size(), SymExpr(1), SymExpr(1), SymExpr(1)});
  else if (past)
    query = query + dimScalar(ctx, *past, i64);
  if (needsCausal)
    o.bias = restrict(o.bias, key <= query, dtype);
  if (left >= 0)
    o.bias = restrict(o.bias, query - key <= double(left), dtype);
  if (right >= 0)
    o.bias = restrict(o.bias, key - query <= double(right), dtype);
  if (lengths)
    o.bias = restrict(o.bias,
                      key < reshape(lengths, {lengths.size(), SymExpr(1), SymExpr(1), SymExpr(1)}),
                      dtype);
}

/// The formula with its intermediate values, for what the composite does not do: softcap, and the
/// scores as an output.
void attentionByParts(Node &n, const Operands &o, Tensor &y, Tensor &scores) {
  TensorContext &ctx = n.ctx();
  SymExpr batch = o.q.dim(0), heads = o.q.dim(1), groups = o.k.dim(1);
  auto shared = ctx.requireMultiple(heads, groups, "the heads of Q");
  if (!shared)
    return;
  SymExpr rows = *shared * o.queries;
  Shape full4 = {batch, heads, o.queries, o.keys};
  Tensor q = reshape(o.q * o.scale, {batch, groups, rows, o.q.dim(3)});
  Tensor raw = reshape(dot(q, o.k, {0, 1}, {0, 1}, 3, 3), full4);
  Tensor capped = o.softcap > 0 ? tanh(raw / o.softcap) * o.softcap : raw;
  Tensor biased = o.bias ? capped + o.bias : capped;
  if (o.causal != Causal::No && biased) {
    mlir::Type i64 = ctx.builder.getI64Type();
    Tensor query = iota(ctx, {o.queries, SymExpr(1)}, 0, i64),
           key = iota(ctx, {SymExpr(1), o.keys}, 1, i64);
    if (o.causal == Causal::FromEnd)
      query = query + dimScalar(ctx, o.keys - o.queries, i64);
    biased = select(key <= query, biased, -infinity);
  }
  // A row without a key to attend to gives 0.
  Tensor largest = reduceMax(biased, 3, true);
  largest = select(equal(largest, fullLike(largest, -infinity)), 0.0, largest);
  Tensor shares = exp(biased - largest), total = sum(shares, 3, true);
  Tensor weights = shares / select(equal(total, fullLike(total, 0)), 1.0, total);
  Tensor grouped = reshape(weights, {batch, groups, rows, o.keys});
  y = reshape(dot(grouped, o.v, {0, 1}, {0, 1}, 3, 2), {batch, heads, o.queries, o.v.dim(3)});
  switch (n.i("qk_matmul_output_mode", 0)) {
  case 0:
    scores = raw;
    break;
  case 1:
    scores = capped;
    break;
  case 2:
    scores = biased;
    break;
  default:
    scores = weights;
  }
}

// softmax(scale * Q K' (softcap) + mask) V per head, K and V after the past ones; a fully masked
// row gives 0
RowStatus attentionRow(Node &n) {
  Operands o{n.in(0), n.in(1), n.in(2), {}};
  if (n.ctx().failed())
    return RowStatus::Done;
  bool isFlat = o.q.rank() == 3;
  if (o.q.rank() != o.k.rank() || o.q.rank() != o.v.rank() || (!isFlat && o.q.rank() != 4))
    return n.invalid("Q " + prim::shapeText(o.q.shape()) + ", K " + prim::shapeText(o.k.shape()) +
                     " and V " + prim::shapeText(o.v.shape()) + ": expected rank 3 or 4");
  if (isFlat) {
    int64_t heads = n.i("q_num_heads", 0), keyHeads = n.i("kv_num_heads", 0);
    if (heads < 1 || keyHeads < 1)
      return n.invalid("operands of rank 3 need q_num_heads and kv_num_heads");
    o.q = splitHeads(n, o.q, heads);
    o.k = splitHeads(n, o.k, keyHeads);
    o.v = splitHeads(n, o.v, keyHeads);
    if (n.ctx().failed())
      return RowStatus::Done;
  }
  std::optional<SymExpr> past;
  if (n.hasInput(4) != n.hasInput(5))
    return n.invalid("past_key and past_value come together");
  if (n.hasInput(4)) {
    Tensor pastKey = n.in(4), pastValue = n.in(5);
    if (n.ctx().failed())
      return RowStatus::Done;
    past = pastKey.dim(2);
    o.k = concat({pastKey, o.k}, 2);
    o.v = concat({pastValue, o.v}, 2);
    if (n.ctx().failed())
      return RowStatus::Done;
  }
  if (!o.q.dim(1).exactDiv(o.k.dim(1)))
    n.ctx().requireMultiple(o.q.dim(1), o.k.dim(1), "the heads of Q");
  if (n.ctx().failed())
    return RowStatus::Done;
  o.queries = o.q.dim(2);
  o.keys = o.k.dim(2);
  if (n.has("scale"))
    o.scale = n.f("scale", 1);
  else if (auto size = o.q.dim(3).constant(); size && *size > 0)
    o.scale = 1 / std::sqrt(double(*size));
  else
    o.q = o.q * rsqrt(dimScalar(n.ctx(), o.q.dim(3), o.q.dtype()));
  o.softcap = n.f("softcap", 0);
  if (n.hasInput(3))
    o.bias = maskBias(n, o);
  positionBias(n, o, past);
  if (n.ctx().failed())
    return RowStatus::Done;
  Tensor y, scores;
  if (o.softcap > 0 || n.hasOutput(3)) {
    attentionByParts(n, o, y, scores);
  } else {
    if (o.bias && o.bias.rank() < 4) {
      Shape shape = o.bias.shape();
      shape.insert(shape.begin(), 4 - shape.size(), SymExpr(1));
      o.bias = reshape(o.bias, shape);
    }
    y = attention(o.q, o.k, o.v, o.bias, o.scale, /*zeroMaskedRows=*/true, o.causal);
  }
  n.out(0, isFlat ? joinHeads(y) : y);
  n.out(1, o.k);
  n.out(2, o.v);
  n.out(3, scores);
  return RowStatus::Done;
}

// Pairs (a, b) of the first rotary_embedding_dim elements of each head become (a cos - b sin, a sin
// + b cos); pairs are halves of the head, or (interleaved) neighbours
RowStatus rotaryEmbedding(Node &n) {
  Tensor x = n.in(0), cosine = n.in(1), sine = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  Shape original = x.shape();
  if (x.rank() == 3) {
    int64_t heads = n.i("num_heads", 0);
    if (heads < 1)
      return n.invalid("an input of rank 3 needs num_heads");
    x = splitHeads(n, x, heads);
  }
  if (!x || x.rank() != 4)
    return n.ctx().failed() ? RowStatus::Done
                            : n.invalid("expected rank 3 or 4, got " + prim::shapeText(original));
  if (n.hasInput(3)) {
    Tensor positions = n.in(3);
    cosine = take(cosine, positions, 0);
    sine = take(sine, positions, 0);
  }
  // [B, T, D / 2] -> [B, 1, T, D / 2]
  cosine = unsqueeze(cosine, 1);
  sine = unsqueeze(sine, 1);
  SymExpr head = x.dim(3), rotated(n.i("rotary_embedding_dim", 0));
  if (rotated.isZero())
    rotated = head;
  SymExpr half = dividedBy(n, rotated, 2);
  if (n.ctx().failed())
    return RowStatus::Done;
  Tensor turning = sliceAxis(x, 3, SymExpr(0), rotated), a, b;
  bool interleaved = n.i("interleaved", 0) != 0;
  Shape paired = {x.dim(0), x.dim(1), x.dim(2), half, SymExpr(2)};
  if (interleaved) {
    Tensor pairs = reshape(turning, paired);
    a = squeeze(sliceAxis(pairs, 4, 0, 1), 4);
    b = squeeze(sliceAxis(pairs, 4, 1, 2), 4);
  } else {
    a = sliceAxis(turning, 3, SymExpr(0), half);
    b = sliceAxis(turning, 3, half, rotated);
  }
  Tensor real = cosine * a - sine * b, imaginary = sine * a + cosine * b;
  Tensor y = interleaved ? stack({real, imaginary}, -1) : concat({real, imaginary}, 3);
  if (interleaved && y)
    y = reshape(y, turning.shape());
  if (rotated != head)
    y = concat({y, sliceAxis(x, 3, rotated, head)}, 3);
  n.out(0, original.size() == 3 ? joinHeads(y) : y);
  return RowStatus::Done;
}

} // namespace

void onnx::addAttentionRows(OpTable &t) {
  t.add("Attention", 23, attentionRow,
        "T1=float T1 T2=float U=number|bool T1 T2 nonpad_kv_seqlen=index")
      .inF32();
  t.add("RotaryEmbedding", 23, rotaryEmbedding, "T=float T T M=index").inF32();
}
