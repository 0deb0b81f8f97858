//===- Pool.cpp - pooling -------------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace dynac;
using namespace dynac::onnx;

namespace {

/// A window over all axes of the tensor, batch and channels included.
struct FullWindow {
  llvm::SmallVector<int64_t> size{1, 1}, strides{1, 1}, dilations{1, 1};
  prim::Shape lo{SymExpr(0), SymExpr(0)}, hi = lo;

  explicit FullWindow(const Window &window) {
    size.append(window.size.begin(), window.size.end());
    strides.append(window.strides.begin(), window.strides.end());
    dilations.append(window.dilations.begin(), window.dilations.end());
    lo.append(window.lo.begin(), window.lo.end());
    for (auto [padding, extra] : llvm::zip(window.hi, window.ceilExtra))
      hi.push_back(padding + extra);
  }
};

} // namespace

static Tensor pooled(Combiner combiner, Tensor x, const FullWindow &w) {
  return reduceWindow(combiner, x, w.size, w.strides, w.dilations, w.lo, w.hi);
}

// Maximum over each window; Indices: linear positions in x, row-major or (storage_order 1) with the
// first two spatial axes swapped
static RowStatus maxPool(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  Window window;
  if (auto failure = readWindow(n, x, {}, window))
    return *failure;
  FullWindow w(window);
  if (!n.hasOutput(1)) {
    n.out(0, pooled(Combiner::max, x, w));
    return RowStatus::Done;
  }
  auto [y, indices] = maxWindowWithIndices(x, w.size, w.strides, w.dilations, w.lo, w.hi);
  if (y && n.i("storage_order", 0) == 1) {
    // Column-major: position (n, c, h, w, …) counts with the first spatial axis fastest.
    mlir::Type i64 = indices.dtype();
    SymExpr plane(1);
    for (int64_t axis = 2; axis < x.rank(); ++axis)
      plane = plane * x.dim(axis);
    Tensor planeSize = dimScalar(n.ctx(), plane, i64);
    Tensor place = rem(indices, planeSize);
    Tensor result = indices - place;
    SymExpr weight(1);
    for (int64_t axis = 2; axis < x.rank(); ++axis) {
      SymExpr size = x.dim(axis), below(1);
      for (int64_t later = axis + 1; later < x.rank(); ++later)
        below = below * x.dim(later);
      Tensor coordinate =
          rem(place / dimScalar(n.ctx(), below, i64), dimScalar(n.ctx(), size, i64));
      result = result + coordinate * dimScalar(n.ctx(), weight, i64);
      weight = weight * size;
    }
    indices = result;
  }
  n.out(0, y);
  n.out(1, indices);
  return RowStatus::Done;
}

// Sum over each window / number of its elements; without count_include_pad padding does not count,
// and what ceil_mode adds beyond the padding never counts
static RowStatus averagePool(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  Window window;
  if (auto failure = readWindow(n, x, {}, window))
    return *failure;
  FullWindow w(window);
  Tensor total = pooled(Combiner::add, x, w);
  bool includePad = n.i("count_include_pad", 0) != 0;
  bool padded = false, extended = false;
  int64_t volume = 1;
  for (size_t i = 0; i < window.size.size(); ++i) {
    padded |= !window.lo[i].isZero() || !window.hi[i].isZero();
    extended |= !window.ceilExtra[i].isZero();
    volume *= window.size[i];
  }
  if (!extended && (includePad || !padded)) {
    n.out(0, total / double(volume));
    return RowStatus::Done;
  }
  // Counts do not depend on batch and channel.
  prim::Shape shape = x.shape();
  shape[0] = shape[1] = SymExpr(1);
  FullWindow counting(window);
  if (includePad) {
    for (size_t i = 0; i < window.size.size(); ++i) {
      shape[2 + i] = shape[2 + i] + window.lo[i] + window.hi[i];
      counting.lo[2 + i] = SymExpr(0);
      counting.hi[2 + i] = window.ceilExtra[i];
    }
  }
  Tensor count = pooled(Combiner::add, full(n.ctx(), shape, 1, x.dtype()), counting);
  n.out(0, total / count);
  return RowStatus::Done;
}

// (sum over each window of |x|^p)^(1/p)
static RowStatus lpPool(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  double p = n.opset() < 2 ? n.f("p", 2) : double(n.i("p", 2));
  Window window;
  if (auto failure = readWindow(n, x, {}, window))
    return *failure;
  Tensor powers = p == 2 ? x * x : pow(abs(x), p);
  Tensor total = pooled(Combiner::add, powers, FullWindow(window));
  n.out(0, p == 2 ? sqrt(total) : pow(total, 1 / p));
  return RowStatus::Done;
}

/// Axes 2 and up.
static llvm::SmallVector<int64_t> spatialAxes(Tensor x) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  return axes;
}

// Mean, maximum or p-norm over all spatial axes, which become 1
static Tensor globalMean(Tensor x) { return x ? mean(x, spatialAxes(x), /*keep=*/true) : x; }
static Tensor globalMax(Tensor x) { return x ? reduceMax(x, spatialAxes(x), /*keep=*/true) : x; }
static RowStatus globalLpPool(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  double p = n.opset() < 2 ? n.f("p", 2) : double(n.i("p", 2));
  Tensor total = sum(p == 2 ? x * x : pow(abs(x), p), spatialAxes(x), /*keep=*/true);
  n.out(0, p == 2 ? sqrt(total) : pow(total, 1 / p));
  return RowStatus::Done;
}

void onnx::addPoolRows(OpTable &t) {
  t.add("MaxPool", 1, maxPool, "T=float|byte");
  t.add("AveragePool", 1, averagePool, "T=float").inF32();
  t.add("LpPool", 1, lpPool, "T=float").inF32();
  t.add("GlobalAveragePool", 1, unary<globalMean>, "T=float").inF32();
  t.add("GlobalMaxPool", 1, unary<globalMax>, "T=float");
  t.add("GlobalLpPool", 1, globalLpPool, "T=float").inF32();
}
