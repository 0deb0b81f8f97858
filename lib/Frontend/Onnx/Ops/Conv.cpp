//===- Conv.cpp - convolutions --------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"
#include "Window.h"

using namespace dynac;
using namespace dynac::onnx;

/// Adds a bias [K] to [N, K, spatial…].
static Tensor addBias(Tensor y, Tensor bias) {
  if (!bias || !y)
    return y;
  llvm::SmallVector<SymExpr> shape(y.rank() - 1, SymExpr(1));
  shape[0] = bias.dim(0);
  return y + reshape(bias, shape);
}

/// Checks x [N, C, …] and w [K, C / group, …] (`transposed`: [C, K / group, …]); empty if they fit.
static std::string mismatch(Tensor x, Tensor w, int64_t group, bool transposed) {
  if (x.rank() < 3)
    return "expected an input of rank 3 or more, got " + prim::shapeText(x.shape());
  if (w.rank() != x.rank())
    return "input " + prim::shapeText(x.shape()) + " and weight " + prim::shapeText(w.shape()) +
           " differ in rank";
  if (group < 1)
    return "attribute 'group': " + std::to_string(group);
  auto channels = x.dim(1).constant();
  auto expected = transposed ? w.dim(0).constant() : (w.dim(1) * SymExpr(group)).constant();
  if (channels && expected && *channels != *expected)
    return "input " + prim::shapeText(x.shape()) + ", weight " + prim::shapeText(w.shape()) +
           " and group " + std::to_string(group) + " disagree on the channels";
  return "";
}

// y[n, k, p] = b[k] + sum over c, q of x[n, c, p * stride + q * dilation - pad] * w[k, c, q];
// FusedConv: activation(y + z)
static RowStatus convRow(Node &n) {
  Tensor x = n.in(0), w = n.in(1);
  if (!x || !w)
    return RowStatus::Done;
  int64_t group = n.i("group", 1);
  if (std::string why = mismatch(x, w, group, /*transposed=*/false); !why.empty())
    return n.invalid(why);
  Window window;
  if (auto failure = readWindow(n, x, w.shape(), window))
    return *failure;
  llvm::SmallVector<int64_t> ones(x.rank() - 2, 1);
  Tensor y = conv(x, w, window.strides, window.lo, window.hi, ones, window.dilations, group);
  y = addBias(y, n.in(2, /*optional=*/true));
  if (n.domain() == microsoft) {
    if (Tensor z = n.in(3, /*optional=*/true))
      y = y + z;
    std::string name = n.s("activation", "");
    auto result = activated(y, name, n.floats("activation_params"));
    if (!result)
      return n.unsupported(otherActivation, name);
    y = *result;
  }
  n.out(0, y);
  return RowStatus::Done;
}

/// w [C, K / group, …] as the weight of the plain convolution that a transposed one is: [K, C /
/// group, …] mirrored.
static Tensor mirroredWeight(Tensor w, int64_t group) {
  llvm::SmallVector<int64_t> spatial;
  for (int64_t axis = 2; axis < w.rank(); ++axis)
    spatial.push_back(axis);
  w = reverse(w, spatial);
  SymExpr c = w.dim(0), k = w.dim(1), groups(group);
  prim::Shape split = w.shape();
  split[0] = c.floorDiv(groups);
  split.insert(split.begin(), groups);
  prim::Shape merged = w.shape();
  merged[0] = k * groups;
  merged[1] = c.floorDiv(groups);
  return reshape(swapAxes(reshape(w, split), 1, 2), merged);
}

/// One spatial axis of a transposed convolution by phases: outputs t + before = stride * q + r for
/// fixed r are a plain convolution over q.
struct Phases {
  int64_t stride, taps, first,
      cut;        ///< taps of each phase, the first q, and outputs before the first
  SymExpr lo, hi; ///< padding of the convolution over q
  SymExpr outputs;
};

/// The axis of `size` elements with `kernel` taps, `before` cut from the full output's begin and
/// `after` from its end; nothing if a number is not known.
static std::optional<Phases> phasesOf(const SymExpr &size, const SymExpr &kernel, int64_t stride,
                                      const SymExpr &before, const SymExpr &after) {
  auto taps = kernel.constant(), begin = before.constant(), end = after.constant();
  if (!taps || !begin || !end || *taps < 1 || stride < 1)
    return std::nullopt;
  Phases result;
  result.stride = stride;
  result.taps = llvm::divideCeil(*taps, stride);
  result.first = llvm::divideFloorSigned(*begin, stride);
  result.cut = *begin - result.first * stride;
  int64_t beyond = *taps - *begin - *end; // outputs besides (size - 1) * stride
  result.lo = SymExpr(result.taps - 1 - result.first);
  result.hi = SymExpr(llvm::divideCeilSigned(result.cut + beyond, stride) - 1 + result.first);
  result.outputs = (size - 1) * SymExpr(stride) + SymExpr(beyond);
  return result;
}

/// A transposed convolution as one plain convolution that computes all phases as channels, which
/// then move side by side: no products with the zeros between x's elements.
static Tensor convByPhases(Tensor x, Tensor w, llvm::ArrayRef<Phases> axes, int64_t group) {
  TensorContext &ctx = x.ctx();
  const int64_t spatial = axes.size();
  // w [g * C, K, taps * stride ...] as [g * K * strides, C, taps mirrored ...].
  prim::Shape none(w.rank(), SymExpr(0)), more = none;
  SymExpr inputs = w.dim(0).floorDiv(SymExpr(group)), outputs = w.dim(1),
          channels = outputs * SymExpr(group);
  prim::Shape split = {SymExpr(group), inputs, outputs}, merged = {channels, inputs};
  llvm::SmallVector<int64_t> mirrored, order = {0, 2};
  for (int64_t i = 0; i < spatial; ++i) {
    more[2 + i] = SymExpr(axes[i].taps * axes[i].stride) - w.dim(2 + i);
    split.append({SymExpr(axes[i].taps), SymExpr(axes[i].stride)});
    mirrored.push_back(3 + 2 * i);
    order.push_back(4 + 2 * i);
    merged[0] = merged[0] * SymExpr(axes[i].stride);
    merged.push_back(SymExpr(axes[i].taps));
  }
  order.push_back(1);
  order.append(mirrored.begin(), mirrored.end());
  w = reshape(pad(w, full(ctx, {}, 0, w.dtype()), none, more), split);
  w = reshape(transpose(reverse(w, mirrored), order), merged);

  llvm::SmallVector<int64_t> ones(spatial, 1), side = {0, 1};
  prim::Shape lo, hi;
  for (const Phases &axis : axes) {
    lo.push_back(axis.lo);
    hi.push_back(axis.hi);
  }
  Tensor y = conv(x, w, ones, lo, hi, ones, ones, group);
  if (!y)
    return y;
  // [N, K * strides, q ...] as [N, K, q * stride ...], and the part that is asked for.
  prim::Shape apart = {y.dim(0), channels}, joined = apart;
  for (int64_t i = 0; i < spatial; ++i) {
    apart.push_back(SymExpr(axes[i].stride));
    joined.push_back(y.dim(2 + i) * SymExpr(axes[i].stride));
    side.append({2 + spatial + i, 2 + i});
  }
  for (int64_t i = 0; i < spatial; ++i)
    apart.push_back(y.dim(2 + i));
  y = reshape(transpose(reshape(y, apart), side), joined);
  for (int64_t i = 0; i < spatial; ++i)
    y = sliceAxis(y, 2 + i, SymExpr(axes[i].cut), SymExpr(axes[i].cut) + axes[i].outputs);
  return y;
}

// The adjoint of a convolution: x with stride - 1 zeros between its elements, convolved with the
// mirrored weight.
static RowStatus convTranspose(Node &n) {
  Tensor x = n.in(0), w = n.in(1);
  if (!x || !w)
    return RowStatus::Done;
  int64_t group = n.i("group", 1), spatial = x.rank() - 2;
  if (std::string why = mismatch(x, w, group, /*transposed=*/true); !why.empty())
    return n.invalid(why);
  llvm::SmallVector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0);
  auto strides = n.ints("strides", ones), dilations = n.ints("dilations", ones);
  auto extra = n.ints("output_padding", llvm::ArrayRef(zeros).take_front(spatial));
  auto pads = n.ints("pads", zeros), outputShape = n.ints("output_shape");
  std::string autoPad = n.s("auto_pad", "NOTSET");
  if (int64_t(strides.size()) != spatial || int64_t(dilations.size()) != spatial ||
      int64_t(extra.size()) != spatial || int64_t(pads.size()) != 2 * spatial)
    return n.invalid("attributes and spatial axes differ in number");
  // Some files give output_shape with batch and channels.
  if (int64_t(outputShape.size()) == spatial + 2)
    outputShape.erase(outputShape.begin(), outputShape.begin() + 2);
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  prim::Shape lo, hi;
  llvm::SmallVector<Phases> phases;
  for (int64_t i = 0; i < spatial; ++i) {
    SymExpr size = x.dim(2 + i);
    SymExpr reach = (w.dim(2 + i) - 1) * SymExpr(dilations[i]);
    SymExpr before(pads[i]), after(pads[spatial + i]);
    if (autoPad == "VALID")
      before = after = SymExpr(0);
    if (same || !outputShape.empty()) {
      SymExpr wanted = outputShape.empty() ? size * SymExpr(strides[i]) : SymExpr(outputShape[i]);
      SymExpr total = (size - 1) * SymExpr(strides[i]) + SymExpr(extra[i]) + reach + 1 - wanted;
      // Only SAME_UPPER has the greater half at the end. An output beyond the full one grows there.
      SymExpr cut = SymExpr::max(total, SymExpr(0)), half = cut.floorDiv(SymExpr(2));
      before = autoPad == "SAME_UPPER" ? half : cut - half;
      after = total - before;
    }
    lo.push_back(reach - before);
    hi.push_back(reach - after + SymExpr(extra[i]));
    if (dilations[i] == 1)
      if (auto axis = phasesOf(size, w.dim(2 + i), strides[i], before, after - SymExpr(extra[i])))
        phases.push_back(*axis);
  }
  bool byPhases =
      int64_t(phases.size()) == spatial && llvm::any_of(strides, [](int64_t s) { return s > 1; });
  Tensor y = byPhases ? convByPhases(x, w, phases, group)
                      : conv(x, mirroredWeight(w, group), ones, lo, hi, strides, dilations, group);
  n.out(0, addBias(y, n.in(2, /*optional=*/true)));
  return RowStatus::Done;
}

/// x - zero point in i32; the zero point may be absent, a scalar or one per `axis`.
static Tensor shifted(Node &n, int64_t operand, int64_t zeroPoint, int64_t axis) {
  mlir::Type i32 = n.ctx().builder.getI32Type();
  Tensor x = convert(n.in(operand), i32);
  if (!n.hasInput(zeroPoint) || !x)
    return x;
  Tensor zero = convert(n.in(zeroPoint), i32);
  if (zero && zero.rank() == 1) {
    llvm::SmallVector<SymExpr> shape(x.rank() - axis, SymExpr(1));
    shape[0] = zero.dim(0);
    zero = reshape(zero, shape);
  }
  return x - zero;
}

// conv(x - x_zero_point, w - w_zero_point) in i32: padding is the zero point
static RowStatus convInteger(Node &n) {
  Tensor x = shifted(n, 0, 2, 1), w = shifted(n, 1, 3, 0);
  if (!x || !w)
    return RowStatus::Done;
  int64_t group = n.i("group", 1);
  if (std::string why = mismatch(x, w, group, /*transposed=*/false); !why.empty())
    return n.invalid(why);
  Window window;
  if (auto failure = readWindow(n, x, w.shape(), window))
    return *failure;
  llvm::SmallVector<int64_t> ones(x.rank() - 2, 1);
  n.out(0, conv(x, w, window.strides, window.lo, window.hi, ones, window.dilations, group));
  return RowStatus::Done;
}

void onnx::addConvRows(OpTable &t) {
  t.add("Conv", 1, convRow, "T=float").inF32();
  t.add("FusedConv", 1, convRow, "T=float", microsoft).inF32().limits({&otherActivation});
  t.add("ConvTranspose", 1, convTranspose, "T=float").inF32();
  t.add("ConvInteger", 10, convInteger, "T1=byte T2=byte T1 T2");
}
