//===- Recurrent.cpp - RNN, GRU, LSTM -------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products with the inputs of all steps are one contraction; the loop over steps multiplies
// with the state only. Gates lie one after another in W, R and B, in the order of the operator's
// text.
//
//===----------------------------------------------------------------------===//

#include "Loop.h"

using namespace dynac;
using namespace dynac::onnx;

namespace {

/// Sequences up to this known length are written out step by step.
constexpr int64_t unrollLimit = 16;

struct Activation {
  std::string name;
  double alpha, beta;
  Tensor operator()(Tensor x) const;
};

Tensor Activation::operator()(Tensor x) const {
  if (name == "sigmoid")
    return logistic(x);
  if (name == "tanh")
    return tanh(x);
  if (name == "relu")
    return maximum(x, 0);
  if (name == "affine")
    return x * alpha + beta;
  if (name == "leakyrelu")
    return select(x < 0, x * alpha, x);
  if (name == "thresholdedrelu")
    return select(x > alpha, x, 0.0);
  if (name == "scaledtanh")
    return tanh(x * beta) * alpha;
  if (name == "hardsigmoid")
    return clamp(x * alpha + beta, 0, 1);
  if (name == "elu")
    return select(x < 0, expm1(x) * alpha, x);
  if (name == "softsign")
    return x / (abs(x) + 1);
  return log1p(exp(-abs(x))) + maximum(x, 0); // softplus
}

/// Default alpha and beta of an activation (by its name in lower case); nothing for an unknown one.
std::optional<std::pair<double, double>> defaultsOf(llvm::StringRef name) {
  static constexpr std::tuple<llvm::StringLiteral, double, double> known[] = {
      {"sigmoid", 0, 0},    {"tanh", 0, 0},          {"relu", 0, 0},
      {"affine", 1, 0},     {"leakyrelu", .01, 0},   {"thresholdedrelu", 1, 0},
      {"scaledtanh", 1, 1}, {"hardsigmoid", .2, .5}, {"elu", 1, 0},
      {"softsign", 0, 0},   {"softplus", 0, 0}};
  for (auto [text, alpha, beta] : known)
    if (text == name)
      return std::pair(alpha, beta);
  return std::nullopt;
}

/// One direction of a layer; every tensor without the direction axis.
struct Cell {
  std::vector<Activation> f;
  double clip = 0;
  Tensor projected;  ///< [T, B, gates * H]: x W' + bias
  Tensor recurrence; ///< R [gates * H, H]
  Tensor stateBias;  ///< GRU: the recurrent bias, which reset gates scale
  Tensor peephole;   ///< LSTM: [3 * H] for i, o, f
  bool linearBeforeReset = false, inputForget = false;
  SymExpr hidden;

  Tensor clipped(Tensor x) const { return clip > 0 ? clamp(x, -clip, clip) : x; }
  Tensor gate(Tensor all, int64_t index) const {
    return sliceAxis(all, -1, SymExpr(index) * hidden, SymExpr(index + 1) * hidden);
  }
  /// h R' for gates [first, first + count).
  Tensor recur(Tensor h, int64_t first, int64_t count) const {
    Tensor rows =
        sliceAxis(recurrence, 0, SymExpr(first) * hidden, SymExpr(first + count) * hidden);
    return dot(h, rows, {}, {}, 1, 1);
  }
};

/// The new state (h, or h and c) from the projected input [B, gates * H] of one step.
using StepFunction = Tensors (*)(const Cell &, Tensor x, llvm::ArrayRef<Tensor> state);

// h = f(x W' + h R' + b)
Tensors rnnStep(const Cell &cell, Tensor x, llvm::ArrayRef<Tensor> state) {
  return {cell.f[0](cell.clipped(x + cell.recur(state[0], 0, 1)))};
}

// z, r = f(x Wzr' + h Rzr' + b); n = g(x Wn' + r * (h Rn' + bn)), or with (r * h) Rn'; h = (1 - z)
// * n + z * h
Tensors gruStep(const Cell &cell, Tensor x, llvm::ArrayRef<Tensor> state) {
  Tensor h = state[0], both = cell.recur(h, 0, 2);
  Tensor z = cell.f[0](cell.clipped(cell.gate(x, 0) + cell.gate(both, 0)));
  Tensor r = cell.f[0](cell.clipped(cell.gate(x, 1) + cell.gate(both, 1)));
  Tensor candidate;
  if (cell.linearBeforeReset) {
    Tensor linear = cell.recur(h, 2, 1);
    candidate = r * (cell.stateBias ? linear + cell.gate(cell.stateBias, 2) : linear);
  } else {
    candidate = cell.recur(r * h, 2, 1);
    if (cell.stateBias)
      candidate = candidate + cell.gate(cell.stateBias, 2);
  }
  Tensor next = cell.f[1](cell.clipped(cell.gate(x, 2) + candidate));
  return {(1.0 - z) * next + z * h};
}

// i, o, f, g = x W' + h R' + b; c = f * c + i * g(…); h = o * k(c), peepholes adding P * c to i, f
// (old c) and o (new c)
Tensors lstmStep(const Cell &cell, Tensor x, llvm::ArrayRef<Tensor> state) {
  Tensor h = state[0], c = state[1], all = x + cell.recur(h, 0, 4);
  auto gate = [&](int64_t index, int64_t peephole, Tensor seen) {
    Tensor value = cell.gate(all, index);
    return cell.peephole ? value + cell.gate(cell.peephole, peephole) * seen : value;
  };
  Tensor i = cell.f[0](cell.clipped(gate(0, 0, c)));
  Tensor forget = cell.inputForget ? 1.0 - i : cell.f[0](cell.clipped(gate(2, 2, c)));
  Tensor candidate = cell.f[1](cell.clipped(cell.gate(all, 3)));
  Tensor memory = forget * c + i * candidate;
  Tensor o = cell.f[0](cell.clipped(gate(1, 1, memory)));
  return {o * cell.f[2](memory), memory};
}

/// Element `index` of the first axis, which vanishes.
Tensor pick(Tensor x, int64_t index) {
  return x ? squeeze(sliceAxis(x, 0, SymExpr(index), SymExpr(index + 1)), 0) : x;
}

/// Runs a cell over all steps. Results: outputs [T, B, H] and the last state. `lengths` (i64 [B],
/// or invalid): steps from there on leave the state and give 0.
std::optional<Tensors> runCell(const Cell &cell, StepFunction step, Tensors state, Tensor lengths,
                               bool backwards) {
  TensorContext &ctx = cell.projected.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  int64_t parts = state.size();
  SymExpr length = cell.projected.dim(0);
  /// New state and output of the step at position `at`.
  auto advance = [&](Tensor x, Tensor at, llvm::ArrayRef<Tensor> old) {
    Tensors next = step(cell, x, old);
    Tensor output = next[0];
    if (lengths) {
      Tensor isLive = unsqueeze(at < lengths, 1);
      for (auto [now, before] : llvm::zip(next, old))
        now = select(isLive, now, before);
      output = select(isLive, output, 0.0);
    }
    next.push_back(output);
    return next;
  };
  if (auto steps = length.constant(); steps && *steps > 0 && *steps <= unrollLimit) {
    Tensors outputs(*steps);
    for (int64_t k = 0; k < *steps; ++k) {
      int64_t at = backwards ? *steps - 1 - k : k;
      Tensors next = advance(pick(cell.projected, at), fullInt(ctx, {}, at, i64), state);
      outputs[at] = next.pop_back_val();
      state = next;
    }
    state.insert(state.begin(), stack(outputs, 0));
    return state;
  }
  Tensor count = dimScalar(ctx, length, i64);
  Shape all = {length, cell.projected.dim(1), cell.hidden};
  state.push_back(full(ctx, all, 0, cell.projected.dtype()));
  auto results = buildLoop(
      ctx, count, {}, state, [&](Tensor trip, llvm::ArrayRef<Tensor> now) -> std::optional<Trip> {
        Tensor at = backwards ? count - 1 - trip : trip;
        Tensors next = advance(take(cell.projected, at, 0), at, now.take_front(parts));
        Tensor entry = unsqueeze(next.back(), 0);
        Tensor starts = concat({reshape(at, {SymExpr(1)}), constantI64(ctx, {0, 0})}, 0);
        next.back() = dynamicUpdateSlice(now.back(), entry, starts);
        return Trip{{}, next};
      });
  if (!results)
    return std::nullopt;
  Tensors ordered = {results->back()};
  ordered.append(results->begin() + 1, results->begin() + 1 + parts);
  return ordered;
}

/// Activations of all directions, `perDirection` each; nothing after it set `status`.
std::optional<std::vector<Activation>> activations(Node &n, int64_t directions,
                                                   llvm::ArrayRef<llvm::StringRef> defaults,
                                                   RowStatus &status) {
  auto names = n.strings("activations");
  if (names.empty())
    for (int64_t i = 0; i < directions; ++i)
      names.append(defaults.begin(), defaults.end());
  auto alphas = n.floats("activation_alpha"), betas = n.floats("activation_beta");
  std::vector<Activation> result;
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string &name : names) {
    std::string lower = llvm::StringRef(name).lower();
    auto values = defaultsOf(lower);
    if (!values) {
      status = n.invalid("activation '" + name + "'");
      return std::nullopt;
    }
    bool hasAlpha = lower != "sigmoid" && lower != "tanh" && lower != "relu" &&
                    lower != "softsign" && lower != "softplus";
    bool hasBeta = lower == "affine" || lower == "scaledtanh" || lower == "hardsigmoid";
    if (hasAlpha && nextAlpha < alphas.size())
      values->first = alphas[nextAlpha++];
    if (hasBeta && nextBeta < betas.size())
      values->second = betas[nextBeta++];
    result.push_back({lower, values->first, values->second});
  }
  if (result.size() != size_t(directions) * defaults.size()) {
    status = n.invalid(llvm::Twine(result.size()) + " activations, expected " +
                       llvm::Twine(directions * defaults.size()));
    return std::nullopt;
  }
  return result;
}

/// A layer with `gates` gates; its state is h and, with a cell, c.
RowStatus layer(Node &n, int64_t gates, StepFunction step, llvm::ArrayRef<llvm::StringRef> defaults,
                bool hasCell) {
  Tensor x = n.in(0), w = n.in(1), r = n.in(2), b = n.in(3, true), h0 = n.in(5, true);
  Tensor c0 = hasCell ? n.in(6, true) : Tensor(), p = hasCell ? n.in(7, true) : Tensor();
  Tensor lengths = n.hasInput(4) ? convert(n.in(4), n.ctx().builder.getI64Type()) : Tensor();
  if (n.ctx().failed())
    return RowStatus::Done;
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3)
    return n.invalid("X, W and R must have three axes");
  std::string direction = n.s("direction", "forward");
  int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (directions == 1 && direction != "forward" && direction != "foward" && direction != "reverse")
    return n.invalid("attribute 'direction': got '" + direction + "'");
  RowStatus status;
  auto functions = activations(n, directions, defaults, status);
  if (!functions)
    return status;
  bool batchFirst = n.i("layout", 0) != 0;
  if (batchFirst) {
    x = swapAxes(x, 0, 1);
    h0 = h0 ? swapAxes(h0, 0, 1) : h0;
    c0 = c0 ? swapAxes(c0, 0, 1) : c0;
  }
  SymExpr hidden = r.dim(2), half = SymExpr(gates) * hidden;
  Shape stateShape = {x.dim(1), hidden};
  std::vector<Tensors> perDirection;
  for (int64_t d = 0; d < directions; ++d) {
    Cell cell;
    cell.f.assign(functions->begin() + d * defaults.size(),
                  functions->begin() + (d + 1) * defaults.size());
    cell.clip = n.f("clip", 0);
    cell.hidden = hidden;
    cell.recurrence = pick(r, d);
    cell.peephole = pick(p, d);
    cell.linearBeforeReset = n.i("linear_before_reset", 0) != 0;
    cell.inputForget = n.i("input_forget", 0) != 0;
    cell.projected = dot(x, pick(w, d), {}, {}, 2, 1);
    if (b) {
      Tensor bias = pick(b, d), ofInput = sliceAxis(bias, 0, SymExpr(0), half),
             ofState = sliceAxis(bias, 0, half, half * 2);
      if (gates == 3) {
        // A reset gate scales the candidate's recurrent bias: it stays apart.
        cell.stateBias = ofState;
        Tensor zr = sliceAxis(ofState, 0, SymExpr(0), hidden * 2);
        ofState = pad(zr, full(n.ctx(), {}, 0, zr.dtype()), SymExpr(0), hidden);
      }
      cell.projected = cell.projected + (ofInput + ofState);
    }
    Tensors state = {h0 ? pick(h0, d) : full(n.ctx(), stateShape, 0, x.dtype())};
    if (hasCell)
      state.push_back(c0 ? pick(c0, d) : full(n.ctx(), stateShape, 0, x.dtype()));
    if (n.ctx().failed())
      return RowStatus::Done;
    auto results = runCell(cell, step, state, lengths, direction == "reverse" || d == 1);
    if (!results)
      return RowStatus::Done;
    perDirection.push_back(*results);
  }
  /// Result `index` of all directions, along a new axis.
  auto joined = [&](size_t index, int64_t axis) {
    Tensors parts;
    for (const Tensors &results : perDirection)
      parts.push_back(results[index]);
    return parts.size() == 1 ? unsqueeze(parts[0], axis) : stack(parts, axis);
  };
  // Y is [T, directions, B, H], or with layout 1 [B, T, directions, H].
  Tensor y = joined(0, 1);
  n.out(0, batchFirst ? transpose(y, {2, 0, 1, 3}) : y);
  for (int64_t i = 1; i < (hasCell ? 3 : 2); ++i)
    n.out(i, batchFirst ? swapAxes(joined(i, 0), 0, 1) : joined(i, 0));
  return RowStatus::Done;
}

RowStatus rnn(Node &n) { return layer(n, 1, rnnStep, {"Tanh"}, false); }
RowStatus gru(Node &n) { return layer(n, 3, gruStep, {"Sigmoid", "Tanh"}, false); }
RowStatus lstm(Node &n) { return layer(n, 4, lstmStep, {"Sigmoid", "Tanh", "Tanh"}, true); }

} // namespace

void onnx::addRecurrentRows(OpTable &t) {
  t.add("RNN", 1, rnn, "T=float T T T T1=i32 T").inF32();
  t.add("GRU", 1, gru, "T=float T T T T1=i32 T").inF32();
  t.add("LSTM", 1, lstm, "T=float T T T T1=i32 T").inF32();
}
