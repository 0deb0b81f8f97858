//===- ContribAttention.cpp - com.microsoft: attention --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"

#include <cmath>
#include <limits>

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit decoderForms{"no num_heads, shared buffers, beams, the scores as an output"};
static constexpr Limit packedBias{"a bias beside packed or split operands"};
static constexpr Limit otherMask{"masks other than [B], [B, T] and [B, S, T]"};
static constexpr Limit rotaryOrShared{"do_rotary 1, a shared buffer"};
static constexpr Limit smoothOrQuantised{
    "smooth_softmax 1, head_sink, a quantised cache, the scores as an output"};
static constexpr Limit openTotal{"a total_sequence_length that is no scalar"};

namespace {

mlir::Type i64Of(Node &n) { return n.ctx().builder.getI64Type(); }

/// [B, T, heads * D] as [B, heads, T, D].
Tensor splitHeads(Node &n, Tensor x, int64_t heads) {
  if (!x || x.rank() == 4)
    return x;
  SymExpr size = dividedBy(n, x.dim(2), heads);
  return swapAxes(reshape(x, {x.dim(0), x.dim(1), SymExpr(heads), size}), 1, 2);
}

/// [B, heads, T, D] as [B, T, heads * D].
Tensor joinHeads(Tensor x) {
  x = swapAxes(x, 1, 2);
  return x ? reshape(x, {x.dim(0), x.dim(1), x.dim(2) * x.dim(3)}) : x;
}

/// The attribute `scale`, or 1 / sqrt of the size of a head.
double scaleOf(Node &n, Tensor &q) {
  double scale = n.f("scale", 0);
  if (scale != 0)
    return scale;
  if (auto size = q.dim(3).constant(); size && *size > 0)
    return 1 / std::sqrt(double(*size));
  q = q * rsqrt(dimScalar(n.ctx(), q.dim(3), q.dtype()));
  return 1;
}

/// A mask of integers, as a bias of [B, 1, S or 1, T]: what is masked gets mask_filter_value. It is
/// [B] (numbers of valid keys), [B, T] or [B, S, T]. Nothing for another shape.
std::optional<Tensor> maskBias(Node &n, Tensor mask, const SymExpr &keys, mlir::Type dtype) {
  TensorContext &ctx = n.ctx();
  Tensor isValid;
  if (mask.rank() == 1) {
    Tensor key = iota(ctx, {SymExpr(1), keys}, 1, mask.dtype());
    isValid = unsqueeze(key < unsqueeze(mask, 1), {1, 2});
  } else if (mask.rank() == 2 || mask.rank() == 3) {
    isValid = notEqual(mask, fullLike(mask, 0));
    isValid = mask.rank() == 2 ? unsqueeze(isValid, {1, 2}) : unsqueeze(isValid, 1);
  } else {
    return std::nullopt;
  }
  Tensor zero = full(ctx, {}, 0, dtype);
  return select(isValid, zero, full(ctx, {}, n.f("mask_filter_value", -10000), dtype));
}

Tensor added(Tensor a, Tensor b) { return a && b ? a + b : a ? a : b; }

/// Mask operand `mask` and bias operand `bias` as one bias of rank 4, or an invalid tensor.
std::optional<Tensor> biasOf(Node &n, int64_t mask, int64_t bias, Tensor k, mlir::Type dtype) {
  Tensor result;
  if (n.hasInput(mask)) {
    auto masked = maskBias(n, n.in(mask), k.dim(2), dtype);
    if (!masked)
      return std::nullopt;
    result = *masked;
  }
  return n.hasInput(bias) ? added(n.in(bias), result) : result;
}

/// Queries see the keys up to their own; the past is before all of them.
Causal causalOf(Node &n, bool hasPast) {
  if (n.i("unidirectional", 0) == 0)
    return Causal::No;
  return hasPast ? Causal::FromEnd : Causal::FromStart;
}

// softmax(scale * q k' + masks) v per head of q + bias, k + bias and v + bias, the past before k
// and v
RowStatus multiHeadAttention(Node &n) {
  Tensor q = n.in(0), k = n.in(1, /*optional=*/true), v = n.in(2, /*optional=*/true);
  const int64_t heads = n.i("num_heads", 0);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (heads < 1 || n.hasInput(8) || n.hasInput(9) || n.hasOutput(3))
    return n.unsupported(decoderForms);
  auto part = [](Tensor packed, int64_t i) { // [B, T, heads, parts, D]
    return packed ? swapAxes(squeeze(sliceAxis(packed, 3, i, i + 1), 3), 1, 2) : packed;
  };
  if (q.rank() == 5 && !k && !v) {
    k = part(q, 1);
    v = part(q, 2);
    q = part(q, 0);
  } else if (k && k.rank() == 5 && !v) {
    v = part(k, 1);
    k = part(k, 0);
  }
  if (!k || !v)
    return n.ctx().failed() ? RowStatus::Done : n.invalid("no key or value");
  if (Tensor bias = n.in(3, /*optional=*/true)) {
    if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3)
      return n.unsupported(packedBias);
    SymExpr first = q.dim(2), second = first + k.dim(2);
    q = q + sliceAxis(bias, 0, SymExpr(0), first);
    k = k + sliceAxis(bias, 0, first, second);
    v = v + sliceAxis(bias, 0, second, second + v.dim(2));
  }
  q = splitHeads(n, q, heads);
  k = splitHeads(n, k, heads);
  v = splitHeads(n, v, heads);
  if (n.hasInput(6) && n.hasInput(7)) {
    k = concat({n.in(6), k}, 2);
    v = concat({n.in(7), v}, 2);
  }
  n.out(1, k);
  n.out(2, v);
  if (!q || !k || !v)
    return RowStatus::Done;
  auto bias = biasOf(n, 4, 5, k, q.dtype());
  if (!bias)
    return n.unsupported(otherMask, prim::shapeText(n.in(4).shape()));
  double scale = scaleOf(n, q);
  n.out(0, joinHeads(attention(q, k, v, *bias, scale, /*zeroMaskedRows=*/false,
                               causalOf(n, n.hasInput(6)))));
  return RowStatus::Done;
}

// The same of q, k and v that are thirds of x w + bias
RowStatus contribAttention(Node &n) {
  Tensor x = n.in(0), w = n.in(1);
  const int64_t heads = n.i("num_heads", 0);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (heads < 1 || x.rank() != 3 || w.rank() != 2)
    return n.invalid("expected num_heads, an input of rank 3 and a matrix");
  if (n.i("do_rotary", 0) != 0 || n.hasInput(6))
    return n.unsupported(rotaryOrShared);
  Tensor all = matmul(x, w);
  if (Tensor bias = n.in(2, /*optional=*/true))
    all = all + bias;
  Shape ends;
  if (auto sizes = n.ints("qkv_hidden_sizes"); sizes.size() == 3) {
    ends = {SymExpr(sizes[0]), SymExpr(sizes[0] + sizes[1]),
            SymExpr(sizes[0] + sizes[1] + sizes[2])};
  } else {
    SymExpr third = dividedBy(n, w.dim(1), 3);
    ends = {third, third * SymExpr(2), w.dim(1)};
  }
  Tensor q = splitHeads(n, sliceAxis(all, 2, SymExpr(0), ends[0]), heads),
         k = splitHeads(n, sliceAxis(all, 2, ends[0], ends[1]), heads),
         v = splitHeads(n, sliceAxis(all, 2, ends[1], ends[2]), heads);
  if (Tensor past = n.in(4, /*optional=*/true)) {
    k = concat({squeeze(sliceAxis(past, 0, 0, 1), 0), k}, 2);
    v = concat({squeeze(sliceAxis(past, 0, 1, 2), 0), v}, 2);
  }
  if (!q || !k || !v)
    return RowStatus::Done;
  if (n.hasOutput(1))
    n.out(1, stack({k, v}, 0));
  auto bias = biasOf(n, 3, 5, k, q.dtype());
  if (!bias)
    return n.unsupported(otherMask, prim::shapeText(n.in(3).shape()));
  double scale = scaleOf(n, q);
  n.out(0, joinHeads(attention(q, k, v, *bias, scale, /*zeroMaskedRows=*/false,
                               causalOf(n, n.hasInput(4)))));
  return RowStatus::Done;
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

/// x [B, H, S, D] turned by the angles of positions [B, S]; caches hold half of the turned part.
Tensor rotated(Tensor x, Tensor positions, Tensor cosine, Tensor sine, bool interleaved) {
  SymExpr half = cosine.dim(1), turning = half * SymExpr(2), size = x.dim(3);
  cosine = unsqueeze(take(cosine, positions, 0), 1);
  sine = unsqueeze(take(sine, positions, 0), 1);
  Tensor part = sliceAxis(x, 3, SymExpr(0), turning), a, b;
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
  return y && turning != size ? concat({y, sliceAxis(x, 3, turning, size)}, 3) : y;
}

/// The past [B, G, P, D] (may be absent), grown to `total`, with x [B, G, S, D] from place
/// start[b] on.
Tensor appended(Node &n, Tensor past, Tensor x, Tensor start, const SymExpr &total) {
  TensorContext &ctx = n.ctx();
  Shape shape = {x.dim(0), x.dim(1), total, x.dim(3)};
  Tensor zero = full(ctx, {}, 0, x.dtype());
  Tensor old = broadcastTo(zero, shape);
  if (past) {
    Shape lo(4, SymExpr(0)), hi = lo;
    hi[2] = total - past.dim(2);
    old = pad(past, zero, lo, hi);
  }
  Tensor from = iota(ctx, {x.dim(0), SymExpr(1), total, SymExpr(1)}, 2, i64Of(n)) -
                reshape(start, {x.dim(0), SymExpr(1), SymExpr(1), SymExpr(1)});
  Tensor last = dimScalar(ctx, x.dim(2) - 1, i64Of(n));
  Tensor isNew = (from >= 0) & (from <= last);
  Tensor place = broadcastTo(minimum(maximum(from, 0), last), shape);
  return select(isNew, takeAlongAxis(x, place, 2), old);
}

// Attention of heads of q that share heads of k and v, appended to a cache at each entry's own
// length; queries see the keys up to their own
RowStatus groupQueryAttention(Node &n) {
  TensorContext &ctx = n.ctx();
  Tensor q = n.in(0), k = n.in(1, /*optional=*/true), v = n.in(2, /*optional=*/true),
         pastKey = n.in(3, /*optional=*/true), pastValue = n.in(4, /*optional=*/true),
         lengths = n.in(5);
  const int64_t heads = n.i("num_heads", 0), groups = n.i("kv_num_heads", 0),
                window = n.i("local_window_size", -1);
  if (ctx.failed())
    return RowStatus::Done;
  if (heads < 1 || groups < 1 || heads % groups != 0 || q.rank() != 3)
    return n.invalid("kv_num_heads must divide num_heads, and the query have rank 3");
  if (n.hasInput(11) || n.i("smooth_softmax", 0) > 0 || n.hasOutput(3) || n.inputCount() > 12 ||
      n.i("kv_cache_bit_width", 0) != 0)
    return n.unsupported(smoothOrQuantised);
  if (!k || !v) { // packed: heads of q, of k and of v
    SymExpr size = dividedBy(n, q.dim(2), heads + 2 * groups);
    SymExpr first = size * SymExpr(heads), second = first + size * SymExpr(groups);
    k = sliceAxis(q, 2, first, second);
    v = sliceAxis(q, 2, second, q.dim(2));
    q = sliceAxis(q, 2, SymExpr(0), first);
  }
  q = splitHeads(n, q, heads);
  k = splitHeads(n, k, groups);
  v = splitHeads(n, v, groups);
  auto totals = n.bindDims(6);
  if (ctx.failed() || !totals || totals->size() != 1)
    return ctx.failed() ? RowStatus::Done : n.unsupported(openTotal);
  mlir::Type i64 = i64Of(n);
  SymExpr batch = q.dim(0), steps = q.dim(2), total = totals->front();
  SymExpr room = pastKey ? SymExpr::max(pastKey.dim(2), total) : total;
  // Where the new keys begin: at 0 if they are all that there is.
  Tensor length = reshape(convert(lengths, i64), {batch}), now = dimScalar(ctx, steps, i64);
  Tensor start = select(equal(dimScalar(ctx, total, i64), now), 0.0, length + 1.0 - now);
  Tensor positions = unsqueeze(start, 1) + iota(ctx, {SymExpr(1), steps}, 1, i64);
  if (n.i("do_rotary", 0) != 0) {
    Tensor cosine = n.in(7), sine = n.in(8);
    if (ctx.failed())
      return RowStatus::Done;
    bool interleaved = n.i("rotary_interleaved", 0) != 0;
    Tensor turning = n.hasInput(9) ? convert(n.in(9), i64) : positions;
    q = rotated(q, turning, cosine, sine, interleaved);
    k = rotated(k, turning, cosine, sine, interleaved);
  }
  k = appended(n, pastKey, k, start, room);
  v = appended(n, pastValue, v, start, room);
  n.out(1, k);
  n.out(2, v);
  if (!q || !k || !v)
    return RowStatus::Done;

  // [B, 1, S, room]: which keys each query sees.
  Tensor key = iota(ctx, {SymExpr(1), SymExpr(1), SymExpr(1), room}, 3, i64);
  Tensor query = reshape(positions, {batch, SymExpr(1), steps, SymExpr(1)});
  Tensor isSeen = key <= query;
  if (window > 0)
    isSeen = isSeen & (query - key < double(window));
  Tensor zero = full(ctx, {}, 0, q.dtype());
  Tensor hidden = full(ctx, {}, -std::numeric_limits<double>::infinity(), q.dtype());
  Tensor bias = select(isSeen, zero, hidden);
  if (Tensor given = n.in(10, /*optional=*/true)) {
    if (room != total) { // what is beyond the total is hidden anyway
      Shape lo(4, SymExpr(0)), hi = lo;
      hi[3] = room - given.dim(3);
      given = pad(given, zero, lo, hi);
    }
    bias = bias + given;
  }
  double scale = scaleOf(n, q), softcap = n.f("softcap", 0);
  if (softcap <= 0) {
    n.out(0, joinHeads(attention(q, k, v, bias, scale, /*zeroMaskedRows=*/false)));
    return RowStatus::Done;
  }
  SymExpr rows = steps * SymExpr(heads / groups);
  Tensor grouped = reshape(q * scale, {batch, SymExpr(groups), rows, q.dim(3)});
  Tensor scores = dot(grouped, k, {0, 1}, {0, 1}, 3, 3);
  scores = tanh(scores / softcap) * softcap;
  scores = reshape(scores, {batch, SymExpr(heads), steps, room}) + bias;
  Tensor shares = reshape(softmax(scores, 3), {batch, SymExpr(groups), rows, room});
  Tensor y = dot(shares, v, {0, 1}, {0, 1}, 3, 2);
  n.out(0, joinHeads(reshape(y, {batch, SymExpr(heads), steps, v.dim(3)})));
  return RowStatus::Done;
}

} // namespace

void onnx::addContribAttentionRows(OpTable &t) {
  t.add("Attention", 1, contribAttention, "T=float T T M=i32 T T M", microsoft)
      .inF32()
      .limits({&rotaryOrShared, &otherMask});
  t.add("MultiHeadAttention", 1, multiHeadAttention, "T=float T T T M=i32 T T T M", microsoft)
      .inF32()
      .limits({&decoderForms, &packedBias, &otherMask});
  t.add("GroupQueryAttention", 1, groupQueryAttention,
        "T=float T T T_CACHE=float T_CACHE M=i32 M T T _ T T _ _ T T M", microsoft)
      .inF32()
      .limits({&smoothOrQuantised, &openTotal});
}
