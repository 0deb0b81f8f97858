//===- StateSpace.cpp - layers that carry a state over positions ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop.h"

#include <cmath>

using namespace dynac;
using namespace dynac::onnx;

namespace {

/// Sequences up to this known length are written out step by step.
constexpr int64_t unrollLimit = 8;

/// [B, T, heads * D] as [T, B, heads, D], so that a step is one entry of the first axis.
Tensor stepsFirst(Node &n, Tensor x, int64_t heads) {
  SymExpr size = dividedBy(n, x.dim(2), heads);
  return transpose(reshape(x, {x.dim(0), x.dim(1), SymExpr(heads), size}), {1, 0, 2, 3});
}

/// An axis whose size is open is 1 or `size`: all entries of it, the only one repeated.
Tensor stretched(Tensor x, int64_t axis, const SymExpr &size) {
  if (!x || x.dim(axis).isConstant() || x.dim(axis) == size)
    return x;
  mlir::Type i64 = x.ctx().builder.getI64Type();
  Tensor last = dimScalar(x.ctx(), x.dim(axis) - 1, i64);
  return take(x, minimum(iota(x.ctx(), {size}, 0, i64), last), axis);
}

/// One step of linear attention; every tensor is of this step: [B, heads, D].
struct LinearStep {
  Tensor q, k, v, decay, beta;
};

// S = exp(g) S; v = beta (v - S' k); S = S + k v'; o = scale q' S, query heads sharing the states
// of key heads in a row
std::pair<Tensor, Tensor> linearStep(const LinearStep &in, Tensor state, double scale) {
  if (in.decay)
    state = state * unsqueeze(exp(in.decay), 3);
  Tensor v = in.v;
  if (in.beta)
    v = in.beta * (v - dot(state, in.k, {0, 1}, {0, 1}, 2, 2));
  state = state + unsqueeze(in.k, 3) * unsqueeze(v, 2);
  if (!state)
    return {};
  SymExpr batch = state.dim(0), heads = state.dim(1);
  SymExpr shared = *in.q.dim(1).exactDiv(heads);
  Tensor grouped = reshape(in.q, {batch, heads, shared, in.q.dim(2)});
  Tensor y = dot(grouped, state, {0, 1}, {0, 1}, 3, 2) * scale; // [B, heads, shared, D]
  return {reshape(y, {batch, in.q.dim(1), state.dim(3)}), state};
}

// Attention without softmax, as a recurrence over a state [B, heads, Dk, Dv]
RowStatus linearAttention(Node &n) {
  Tensor query = n.in(0), key = n.in(1), value = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  int64_t heads = n.i("q_num_heads", 0), keyHeads = n.i("kv_num_heads", 0);
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0)
    return n.invalid("q_num_heads must be a multiple of kv_num_heads");
  std::string rule = n.s("update_rule", "gated_delta");
  bool isGated = rule == "gated" || rule == "gated_delta";
  bool isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return n.invalid("attribute 'update_rule': got '" + rule + "'");
  if (n.hasInput(4) != isGated || n.hasInput(5) != isDelta)
    return n.invalid("rule '" + rule + "' and the operands decay and beta do not fit");
  LinearStep all{stepsFirst(n, query, heads),
                 stepsFirst(n, key, keyHeads),
                 stepsFirst(n, value, keyHeads),
                 {},
                 {}};
  if (isGated)
    all.decay = stretched(stepsFirst(n, n.in(4), keyHeads), 3, all.k.dim(3));
  if (isDelta) {
    Tensor beta = stretched(n.in(5), 2, SymExpr(keyHeads));
    all.beta = beta ? stepsFirst(n, beta, beta.dim(2).isOne() ? 1 : keyHeads) : beta;
  }
  if (n.ctx().failed())
    return RowStatus::Done;
  double scale = n.f("scale", 0);
  auto size = all.q.dim(3).constant();
  if (scale == 0 && size)
    scale = 1 / std::sqrt(double(*size));
  if (scale == 0) {
    all.q = all.q * rsqrt(dimScalar(n.ctx(), all.q.dim(3), all.q.dtype()));
    scale = 1;
  }
  SymExpr steps = query.dim(1), batch = query.dim(0), width = all.v.dim(3);
  Tensor state = n.in(3, /*optional=*/true);
  mlir::Type stateType = state ? n.inputType(3) : n.inputType(0);
  if (!state)
    state = full(n.ctx(), {batch, SymExpr(keyHeads), all.k.dim(3), width}, 0, query.dtype());
  /// The step at position `at`.
  auto stepAt = [&](Tensor at) {
    auto pick = [&](Tensor x) { return x ? take(x, at, 0) : x; };
    return LinearStep{pick(all.q), pick(all.k), pick(all.v), pick(all.decay), pick(all.beta)};
  };
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor outputs; // [T, B, heads, Dv]
  if (auto count = steps.constant(); count && *count > 0 && *count <= unrollLimit) {
    Tensors parts;
    for (int64_t t = 0; t < *count; ++t) {
      auto [y, next] = linearStep(stepAt(fullInt(n.ctx(), {}, t, i64)), state, scale);
      parts.push_back(y);
      state = next;
    }
    outputs = stack(parts, 0);
  } else {
    Tensors initial = {state,
                       full(n.ctx(), {steps, batch, SymExpr(heads), width}, 0, query.dtype())};
    auto results =
        buildLoop(n.ctx(), dimScalar(n.ctx(), steps, i64), {}, initial,
                  [&](Tensor trip, llvm::ArrayRef<Tensor> now) -> std::optional<Trip> {
                    auto [y, next] = linearStep(stepAt(trip), now[0], scale);
                    Tensor starts =
                        concat({reshape(trip, {SymExpr(1)}), constantI64(n.ctx(), {0, 0, 0})}, 0);
                    return Trip{{}, {next, dynamicUpdateSlice(now[1], unsqueeze(y, 0), starts)}};
                  });
    if (!results)
      return RowStatus::Done;
    state = (*results)[1];
    outputs = (*results)[2];
  }
  Tensor y = transpose(outputs, {1, 0, 2, 3});
  if (y)
    n.out(0, reshape(y, {batch, steps, SymExpr(heads) * width}));
  if (state)
    n.outAs(1, state, stateType);
  return RowStatus::Done;
}

// y[b, c, t] = sum over k of x[b, c, t + k] w[c, 0, k]: a depthwise convolution of any number of
// channels
Tensor slidingSum(Tensor x, Tensor w) {
  if (!x || !w)
    return {};
  mlir::Type i64 = x.ctx().builder.getI64Type();
  SymExpr size = w.dim(2);
  Shape grid = {x.dim(2) - size + 1, size};
  Tensor place = iota(x.ctx(), grid, 0, i64) + iota(x.ctx(), grid, 1, i64);
  return sum(take(x, place, 2) * w, 3); // [B, C, T, k] * [C, 1, k]
}

// Depthwise convolution of (past, x) by the last k positions, then perhaps y * logistic(y); the
// state is the last k - 1
RowStatus causalConv(Node &n) {
  Tensor x = n.in(0), w = n.in(1), bias = n.in(2, /*optional=*/true),
         past = n.in(3, /*optional=*/true);
  if (n.ctx().failed())
    return RowStatus::Done;
  SymExpr size = w.dim(-1), before = size - 1;
  auto channels = x.dim(1).constant();
  if (!past)
    past = full(n.ctx(), {x.dim(0), x.dim(1), before}, 0, x.dtype());
  Tensor all = concat({past, x}, 2);
  Tensor y = channels ? conv(all, w, {1}, {SymExpr(0)}, {SymExpr(0)}, {1}, {1}, *channels)
                      : slidingSum(all, w);
  if (bias)
    y = y + unsqueeze(bias, 1);
  std::string activation = n.s("activation", "none");
  if (activation == "silu" || activation == "swish")
    y = y * logistic(y);
  else if (activation != "none")
    return n.invalid("attribute 'activation': got '" + activation + "'");
  n.out(0, y);
  if (all)
    n.out(1, sliceAxis(all, 2, all.dim(2) - before, all.dim(2)));
  return RowStatus::Done;
}

} // namespace

void onnx::addStateSpaceRows(OpTable &t) {
  t.add("LinearAttention", 27, linearAttention, "T=float T T S=float T").inF32();
  t.add("CausalConvWithState", 27, causalConv, "T=float").inF32();
}
