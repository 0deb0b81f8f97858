//===- Signal.cpp - Fourier transforms and windows ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

/// Fourier transform along the axis before last of pairs (re, im).
static Tensor fourier(Tensor x, bool inverse) {
  if (!x)
    return x;
  auto op =
      x.ctx().builder.create<prim::FftOp>(x.ctx().loc, x.value().getType(), x.value(), inverse);
  return Tensor(x.ctx(), op.getY());
}

/// [..., 1] (real) or [..., 2] as pairs.
static Tensor asPairs(Node &n, Tensor x) {
  if (!x || x.dim(-1) == SymExpr(2))
    return x;
  SymExpr parts = x.dim(-1);
  std::string message = "the last axis of " + prim::shapeText(x.shape()) + " must be 1 or 2";
  if (parts.isConstant() && !parts.isOne()) {
    x.ctx().fail(message);
    return {};
  }
  if (parts.isOne())
    return concat({x, fullLike(x, 0)}, -1);
  // The last of two is the imaginary part, the last of one is none.
  Tensor count = dimScalar(x.ctx(), parts, x.ctx().builder.getI64Type());
  require(n, (count >= 1) & (count <= 2), message);
  Tensor last = sliceAxis(x, -1, parts - 1, parts);
  return concat({sliceAxis(x, -1, 0, 1), select(count > 1, last, 0.0)}, -1);
}

/// x cut or padded with zeros to `size` along `axis`.
static Tensor resized(Tensor x, int64_t axis, const SymExpr &size) {
  if (!x || x.dim(axis) == size)
    return x;
  Shape lo(x.rank(), SymExpr(0)), hi = lo;
  hi[axis] = size - x.dim(axis);
  return pad(x, full(x.ctx(), {}, 0, x.dtype()), lo, hi);
}

// y[k] = sum over t of x[t] exp(-2 pi i k t / n); onesided: k <= n / 2 only; inverse and onesided:
// from such a half to real numbers
static RowStatus dft(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t axis = n.i("axis", 1), rank = x.rank();
  AxisView view; // where only the run knows the axis
  prim::Shape shape = x.shape();
  if (n.opset() >= 20) {
    axis = -2;
    if (!requireLength(n, 2, SymExpr(1)))
      return RowStatus::Done;
    auto given = n.hasInput(2) ? n.intsOf(2) : std::nullopt;
    if (given && given->size() == 1) {
      axis = given->front();
    } else if (n.hasInput(2)) {
      view = aroundAxis(n, x, n.in(2), /*trailing=*/1);
      if (!view.x)
        return RowStatus::Done;
      x = view.x;
      axis = 1;
      rank = 4;
    }
  }
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank - 1)
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(rank));
  bool inverse = n.i("inverse", 0) != 0, onesided = n.i("onesided", 0) != 0;
  SymExpr length = inverse && onesided ? (x.dim(axis) - 1) * SymExpr(2) : x.dim(axis);
  if (n.hasInput(1)) {
    if (!requireLength(n, 1, SymExpr(1)))
      return RowStatus::Done;
    auto given = n.bindDims(1);
    if (!given || given->size() != 1)
      return n.invalid("operand dft_length must have one element");
    length = given->front();
  }
  x = swapAxes(asPairs(n, x), axis, rank - 2);
  SymExpr half = length.floorDiv(SymExpr(2)) + 1;
  if (inverse && onesided) {
    // The missing half is the conjugate of the other, in reverse: x[n - k] = conj x[k].
    x = resized(x, rank - 2, half);
    Tensor rest = reverse(sliceAxis(x, rank - 2, SymExpr(1), length - half + 1), rank - 2);
    if (!rest)
      return RowStatus::Done;
    Tensor re = sliceAxis(rest, -1, 0, 1), im = sliceAxis(rest, -1, 1, 2);
    x = sliceAxis(fourier(concat({x, concat({re, -im}, -1)}, rank - 2), true), -1, 0, 1);
  } else {
    x = fourier(resized(x, rank - 2, length), inverse);
    if (onesided)
      x = sliceAxis(x, rank - 2, SymExpr(0), half);
  }
  x = swapAxes(x, axis, rank - 2);
  if (view.x && x) {
    TensorContext &ctx = n.ctx();
    mlir::Type i64 = ctx.builder.getI64Type();
    SymExpr parts = x.dim(-1);
    shape.pop_back();
    Tensor at = iota(ctx, {SymExpr(int64_t(shape.size()))}, 0, i64);
    Tensor sizes =
        select(equal(at, view.axis), dimScalar(ctx, x.dim(1), i64), dimsTensor(ctx, shape, i64));
    shape = bindAll(sizes);
    shape.push_back(parts);
    x = reshape(x, shape);
  }
  n.out(0, x);
  return RowStatus::Done;
}

// The transforms of windowed frames that start every frame_step elements
static RowStatus stft(Node &n) {
  Tensor x = n.in(0);
  if (!x || !requireLength(n, 1, SymExpr(1)) || !requireLength(n, 3, SymExpr(1)))
    return RowStatus::Done;
  auto given = n.intsOf(1);
  if (given && (given->size() != 1 || given->front() < 1))
    return n.invalid("frame_step must be a positive number");
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor step = given ? fullInt(n.ctx(), {}, given->front(), i64) : scalarOf(n.in(1));
  Tensor window = n.hasInput(2) ? n.in(2) : Tensor();
  std::optional<SymExpr> length;
  if (n.hasInput(3)) {
    auto given = n.bindDims(3);
    if (given && given->size() == 1)
      length = given->front();
  } else if (window) {
    length = window.dim(0);
  }
  if (!length)
    return n.invalid("neither window nor frame_length given");
  if (x.rank() == 2)
    x = unsqueeze(x, 2);
  if (!x || x.rank() != 3)
    return n.invalid("expected a signal [batch, length, 1 or 2]");
  SymExpr frames = (x.dim(1) - *length) + 1;
  if (given) {
    frames = (x.dim(1) - *length).floorDiv(SymExpr(given->front())) + 1;
  } else {
    require(n, step >= 1, "frame_step must be positive");
    Tensor room = dimScalar(n.ctx(), x.dim(1) - *length, i64);
    frames = bindDim(room / maximum(step, 1) + 1, 0);
  }
  Shape grid = {frames, *length};
  Tensor index = iota(n.ctx(), grid, 0, i64) * step + iota(n.ctx(), grid, 1, i64);
  Tensor framed = take(x, index, 1); // [batch, frames, length, 1 or 2]
  if (window)
    framed = framed * unsqueeze(window, 1);
  Tensor y = fourier(asPairs(n, framed), false);
  if (n.i("onesided", 1) != 0)
    y = sliceAxis(y, 2, SymExpr(0), length->floorDiv(SymExpr(2)) + 1);
  n.out(0, y);
  return RowStatus::Done;
}

// a0 - a1 cos(2 pi i / m) + a2 cos(4 pi i / m), m = size (periodic) or size - 1
template <int Kind> static RowStatus windowRow(Node &n) {
  static constexpr double weights[3][3] = {
      {0.5, 0.5, 0}, {25.0 / 46.0, 21.0 / 46.0, 0}, {0.42, 0.5, 0.08}};
  const double *a = weights[Kind];
  auto size = n.bindDims(0);
  mlir::Type dtype = n.dtypeOf(n.i("output_datatype", 1));
  if (!size || size->size() != 1)
    return n.invalid("the size must have one element");
  if (!dtype)
    return RowStatus::Done;
  // In f64 and rounded once, as integers may be asked for.
  mlir::Type f64 = n.ctx().builder.getF64Type();
  bool periodic = n.i("periodic", 1) != 0;
  Tensor i = iota(n.ctx(), {size->front()}, 0, f64);
  Tensor period = dimScalar(n.ctx(), periodic ? size->front() : size->front() - 1, f64);
  Tensor angle = i * 6.283185307179586 / period;
  Tensor y = a[0] - cos(angle) * a[1];
  if (a[2] != 0)
    y = y + cos(angle * 2.0) * a[2];
  n.outAs(0, convert(y, dtype), dtype);
  return RowStatus::Done;
}

// Triangles over the bins of a spectrum, at equal steps of mel(f) = 2595 log10(1 + f / 700) between
// two frequencies: column i rises from edge i to i + 1 and falls to i + 2
static RowStatus melWeightMatrix(Node &n) {
  TensorContext &ctx = n.ctx();
  if (!requireLength(n, 0, SymExpr(1)) || !requireLength(n, 1, SymExpr(1)))
    return RowStatus::Done;
  auto bands = n.bindDims(0), length = n.bindDims(1);
  mlir::Type f64 = ctx.builder.getF64Type(), i64 = ctx.builder.getI64Type();
  mlir::Type dtype = n.dtypeOf(n.i("output_datatype", 1));
  Tensor rate = n.in(2), low = n.in(3), high = n.in(4);
  if (!bands || !length || !dtype || ctx.failed())
    return ctx.failed() ? RowStatus::Done : n.invalid("operands must have one element");
  auto mel = [&](Tensor hertz) {
    Tensor f = reshape(convert(hertz, f64), {});
    return log(f / 700.0 + 1.0) * (2595 / 2.302585092994046);
  };
  Tensor lowest = mel(low), edges = dimScalar(ctx, bands->front() + 2, f64);
  Tensor step = (mel(high) - lowest) / edges, bins = dimScalar(ctx, length->front() + 1, f64);
  Shape shape = {length->front().floorDiv(SymExpr(2)) + 1, bands->front()};
  Tensor column = iota(ctx, shape, 1, f64);
  auto edge = [&](double offset) {
    Tensor at = (column + offset) * step + lowest;
    Tensor hertz = (exp(at * (2.302585092994046 / 2595)) - 1.0) * 700.0;
    return convert(floor(bins * hertz / reshape(convert(rate, f64), {})), i64);
  };
  Tensor left = edge(0), middle = edge(1), right = edge(2), bin = iota(ctx, shape, 0, i64);
  auto ratio = [&](Tensor part, Tensor whole) {
    return convert(part, f64) / convert(maximum(whole, 1), f64);
  };
  Tensor isRise = (bin >= left) & (bin < middle), isFall = (bin >= middle) & (bin < right);
  Tensor y = select(isRise, ratio(bin - left, middle - left), 0.0);
  y = select(isFall, ratio(right - bin, right - middle), y);
  n.outAs(0, select(equal(bin, middle), 1.0, y), dtype);
  return RowStatus::Done;
}

void onnx::addSignalRows(OpTable &t) {
  t.add("DFT", 17, dft, "T1=float T2=index axis=index").inF32();
  t.add("STFT", 17, stft, "T1=float T2=index T1 T2").inF32();
  t.add("MelWeightMatrix", 17, melWeightMatrix,
        "T1=index T1 T1 T2=float output_datatype:T3=number");
  t.add("HannWindow", 17, windowRow<0>, "T1=index output_datatype:T2=number");
  t.add("HammingWindow", 17, windowRow<1>, "T1=index output_datatype:T2=number");
  t.add("BlackmanWindow", 17, windowRow<2>, "T1=index output_datatype:T2=number");
}
