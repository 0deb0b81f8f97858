//===- Resize.cpp - resampling along axes ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resampling is separable: each axis whose size or scale changes becomes a sum of gathers, one for
// each tap of the filter, with weights that depend on the position only. Positions are computed in
// f64, so that ties round as written.
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

#include <cmath>

using namespace dynac;
using namespace dynac::onnx;

namespace {

/// The attributes, with those of older versions expressed by newer ones.
struct Filter {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
};

/// How one axis changes.
struct Resampling {
  SymExpr in, out;
  std::optional<double> scale{}; ///< nothing: not known while importing
  Tensor runTimeScale{};         ///< f64 of rank 0, where it is given; else the scale is out / in
  Tensor roiStart{}, roiEnd{};   ///< f64 of rank 0; invalid: the whole axis
};

/// Scalars and vectors of f64.
struct Position {
  TensorContext &ctx;
  mlir::Type f64 = ctx.builder.getF64Type();
  Tensor dim(const SymExpr &value) const { return dimScalar(ctx, value, f64); }
  Tensor number(double value) const { return full(ctx, {}, value, f64); }
};

Tensor scaleOf(const Position &p, const Resampling &axis) {
  if (axis.scale)
    return p.number(*axis.scale);
  return axis.runTimeScale ? axis.runTimeScale : p.dim(axis.out) / p.dim(axis.in);
}

/// Places in the input of the output's elements 0, 1, ... of one axis; a null tensor for an unknown
/// mode.
Tensor sourcePositions(TensorContext &ctx, const Filter &filter, const Resampling &axis) {
  Position p{ctx};
  Tensor y = iota(ctx, {axis.out}, 0, p.f64);
  Tensor in = p.dim(axis.in);
  Tensor scale = scaleOf(p, axis);
  Tensor width = scale * in; // before it is rounded to axis.out
  Tensor isOne = equal(width, p.number(1));
  if (filter.coordinates == "asymmetric")
    return y / scale;
  if (filter.coordinates == "align_corners")
    return select(isOne, fullLike(y, 0), y * (in - 1) / (width - 1));
  if (filter.coordinates == "tf_crop_and_resize") {
    Tensor start = axis.roiStart ? axis.roiStart : p.number(0);
    Tensor extent = axis.roiEnd ? axis.roiEnd - start : p.number(1);
    Tensor inner = select(isOne, broadcastTo((in - 1) * (extent / 2.0), y.shape()),
                          y * ((in - 1) * extent) / (width - 1));
    return inner + (in - 1) * start;
  }
  if (filter.coordinates == "tf_half_pixel_for_nn")
    return (y + 0.5) / scale;
  Tensor centred = (y + 0.5) / scale - 0.5;
  if (filter.coordinates == "half_pixel")
    return centred;
  if (filter.coordinates == "pytorch_half_pixel")
    return select(isOne, fullLike(y, -0.5), centred);
  if (filter.coordinates == "half_pixel_symmetric")
    return in * 0.5 * (1.0 - p.dim(axis.out) / width) + centred;
  return {};
}

/// The weight of a tap at `distance` from the position.
Tensor kernel(const Filter &filter, Tensor distance) {
  Tensor d = abs(distance);
  if (filter.mode == "linear")
    return maximum(1.0 - d, 0);
  double a = filter.cubic;
  Tensor near = ((d * (a + 2) - (a + 3)) * d) * d + 1.0;
  Tensor far = ((d * a - 5 * a) * d + 8 * a) * d - 4 * a;
  return select(d <= 1, near, select(d < 2, far, 0.0));
}

/// A vector that belongs to `axis` of a tensor of `rank` axes.
Tensor alongAxis(Tensor vector, int64_t axis, int64_t rank) {
  Shape shape(rank, SymExpr(1));
  shape[axis] = vector.dim(0);
  return reshape(vector, shape);
}

Tensor nearestIndex(const Filter &filter, Tensor position) {
  if (filter.nearest == "floor")
    return floor(position);
  if (filter.nearest == "ceil")
    return ceil(position);
  return filter.nearest == "round_prefer_ceil" ? floor(position + 0.5) : ceil(position - 0.5);
}

/// Resampling with as many taps as the run finds that a kernel stretched by 1 / scale reaches: they
/// are an axis of their own.
Tensor resampleStretched(Tensor x, int64_t axis, const Filter &filter, Tensor position,
                         const Resampling &change) {
  TensorContext &ctx = x.ctx();
  Position p{ctx};
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor last = p.dim(change.in - 1), stretch = minimum(scaleOf(p, change), 1);
  Tensor first = floor((filter.mode == "linear" ? -1.0 : -2.0) / stretch) + 1;
  Tensor count = convert(2.0 - first * 2.0, i64);
  if (!count)
    return count;
  Tensor tap = iota(ctx, {SymExpr(1), bindDim(count, 0)}, 1, p.f64);
  position = unsqueeze(position, 1);
  Tensor at = floor(position) + first + tap; // [out, taps]
  Tensor weight = kernel(filter, (at - position) * stretch);
  if (filter.excludeOutside)
    weight = select((at < 0) | (at > last), fullLike(weight, 0), weight);
  weight = convert(weight / sum(weight, 1, /*keep=*/true), x.dtype());
  Tensor picked = take(x, convert(minimum(maximum(at, 0), last), i64), axis);
  if (!picked || !weight)
    return {};
  Shape shape(picked.rank(), SymExpr(1));
  shape[axis] = weight.dim(0);
  shape[axis + 1] = weight.dim(1);
  return sum(picked * reshape(weight, shape), axis + 1);
}

/// x resampled along one axis.
Tensor resample(Tensor x, int64_t axis, const Filter &filter, const Resampling &change) {
  TensorContext &ctx = x.ctx();
  Tensor position = sourcePositions(ctx, filter, change);
  if (!position)
    return position;
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor last = dimScalar(ctx, change.in - 1, position.dtype());
  auto place = [&](Tensor at) { return convert(minimum(maximum(at, 0), last), i64); };
  Tensor result;
  if (filter.mode == "nearest") {
    result = take(x, place(nearestIndex(filter, position)), axis);
  } else if (filter.antialias && !change.scale) {
    result = resampleStretched(x, axis, filter, position, change);
  } else {
    // Shrinking with antialias stretches the kernel.
    double stretch = filter.antialias && change.scale ? std::min(*change.scale, 1.0) : 1.0;
    int64_t reach = filter.mode == "linear" ? 1 : 2;
    int64_t first = int64_t(std::floor(double(-reach) / stretch)) + 1, end = 2 - first;
    bool normalise = stretch < 1 || filter.excludeOutside;
    Tensor base = floor(position), total;
    llvm::SmallVector<Tensor> weights, taps;
    for (int64_t k = first; k < end; ++k) {
      Tensor at = base + double(k);
      Tensor weight = kernel(filter, (at - position) * stretch);
      if (filter.excludeOutside)
        weight = select((at < 0) | (at > last), fullLike(weight, 0), weight);
      total = total ? total + weight : weight;
      weights.push_back(weight);
      taps.push_back(place(at));
    }
    for (size_t k = 0; k < taps.size(); ++k) {
      Tensor weight = normalise ? weights[k] / total : weights[k];
      Tensor part = take(x, taps[k], axis) * alongAxis(convert(weight, x.dtype()), axis, x.rank());
      result = result ? result + part : part;
    }
  }
  if (filter.coordinates == "tf_crop_and_resize") {
    Tensor outside = (position < 0) | (position > last);
    result =
        select(alongAxis(outside, axis, x.rank()), fullLike(result, filter.extrapolation), result);
  }
  return result;
}

/// floor(size * scale). A constant size multiplies in f32, the type of scales.
std::optional<SymExpr> scaledSize(const SymExpr &size, double scale) {
  if (auto value = size.constant())
    return sizeOf(std::floor(float(*value) * float(scale)));
  for (int64_t den = 1; den <= (int64_t(1) << 30); den *= 2)
    if (double num = scale * den; num == std::floor(num) && num < double(int64_t(1) << 40))
      return (size * SymExpr(int64_t(num))).floorDiv(SymExpr(den));
  return std::nullopt;
}

/// Element i of a list of numbers as an f64 of rank 0.
Tensor numberAt(Tensor list, int64_t i) {
  Tensor element = reshape(sliceAxis(list, 0, SymExpr(i), SymExpr(i + 1)), {});
  return element ? convert(element, list.ctx().builder.getF64Type()) : element;
}

/// floor(size * scale) in f32, the type of scales, as a dimension.
SymExpr runTimeSize(Tensor scale, const SymExpr &size) {
  TensorContext &ctx = scale.ctx();
  mlir::Type f32 = ctx.builder.getF32Type();
  Tensor scaled = convert(scale, f32) * convert(dimScalar(ctx, size, scale.dtype()), f32);
  return bindDim(convert(floor(scaled), ctx.builder.getI64Type()), 0);
}

/// One scale for all axes, by the policy.
std::optional<RowStatus> keepAspect(Node &n, const std::string &policy,
                                    std::map<int64_t, Resampling> &changes) {
  if (policy != "not_larger" && policy != "not_smaller")
    return n.invalid("attribute 'keep_aspect_ratio_policy': got '" + policy + "'");
  if (llvm::any_of(changes, [](auto &entry) { return !entry.second.scale; })) {
    Position p{n.ctx()};
    Tensor best;
    for (auto &[axis, change] : changes) {
      Tensor scale = scaleOf(p, change);
      best = !best ? scale : policy == "not_larger" ? minimum(best, scale) : maximum(best, scale);
    }
    for (auto &[axis, change] : changes) {
      change.scale.reset();
      change.runTimeScale = best;
      Tensor size = floor(best * p.dim(change.in) + 0.5);
      change.out = bindDim(convert(size, n.ctx().builder.getI64Type()), 0);
    }
    return std::nullopt;
  }
  std::optional<double> best;
  for (auto &[axis, change] : changes) {
    bool isBetter =
        !best || (policy == "not_larger" ? *change.scale < *best : *change.scale > *best);
    best = isBetter ? *change.scale : *best;
  }
  for (auto &[axis, change] : changes) {
    change.scale = best;
    change.out = SymExpr(int64_t(*best * double(*change.in.constant()) + 0.5));
  }
  return std::nullopt;
}

/// An operand that is present and, if its size is known, not empty: files give empty constants for
/// absent ones.
bool isGiven(Node &n, int64_t operand) {
  if (!n.hasInput(operand))
    return false;
  Tensor value = n.in(operand);
  return value && !(value.rank() == 1 && value.dim(0).isZero());
}

/// Reads scales or sizes; a status: the row's end.
std::optional<RowStatus> readChanges(Node &n, Tensor x, int64_t scalesOperand,
                                     llvm::ArrayRef<int64_t> axes,
                                     std::map<int64_t, Resampling> &changes) {
  if (isGiven(n, 3) && n.opset() >= 11) {
    if (!requireLength(n, 3, SymExpr(int64_t(axes.size()))))
      return RowStatus::Done;
    auto sizes = n.bindDims(3);
    if (!sizes)
      return n.invalid("the sizes are no list of integers");
    for (auto [axis, size] : llvm::zip(axes, *sizes)) {
      Resampling change{x.dim(axis), size};
      auto in = change.in.constant(), out = size.constant();
      if (in && out && *in > 0)
        change.scale = double(*out) / double(*in);
      else if (auto ratio = size.exactDiv(change.in); ratio && ratio->constant())
        change.scale = double(*ratio->constant());
      changes[axis] = change;
    }
    std::string policy = n.s("keep_aspect_ratio_policy", "stretch");
    return policy == "stretch" ? std::nullopt : keepAspect(n, policy, changes);
  }
  std::optional<llvm::SmallVector<double>> scales;
  if (scalesOperand < 0)
    scales = n.floats("scales");
  else if (isGiven(n, scalesOperand))
    scales = n.floatsOf(scalesOperand);
  if (!scales) {
    if (scalesOperand < 0 || !requireLength(n, scalesOperand, SymExpr(int64_t(axes.size()))))
      return n.ctx().failed() ? RowStatus::Done : n.invalid("neither scales nor sizes are given");
    Tensor given = n.in(scalesOperand);
    require(n, given > 0, "a scale that is not positive");
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Tensor scale = numberAt(given, i);
      if (!scale)
        return RowStatus::Done;
      Resampling change{x.dim(axis), runTimeSize(scale, x.dim(axis))};
      change.runTimeScale = scale;
      changes[axis] = change;
    }
    return std::nullopt;
  }
  if (scales->size() != axes.size())
    return n.invalid(llvm::Twine(scales->size()) + " scales for " + llvm::Twine(axes.size()) +
                     " axes");
  for (auto [axis, scale] : llvm::zip(axes, *scales)) {
    if (!(scale > 0))
      return n.invalid("a scale that is not positive");
    auto size = scaledSize(x.dim(axis), scale);
    if (!size)
      size = runTimeSize(full(n.ctx(), {}, scale, n.ctx().builder.getF64Type()), x.dim(axis));
    changes[axis] = {x.dim(axis), *size, scale, {}, {}, {}};
  }
  return std::nullopt;
}

/// `scalesOperand`: the operand with the scales, or -1 for the attribute.
RowStatus resizeWith(Node &n, const Filter &filter, int64_t scalesOperand) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  llvm::SmallVector<int64_t> axes = n.ints("axes");
  for (int64_t &axis : axes)
    axis += axis < 0 ? x.rank() : 0;
  if (axes.empty())
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      axes.push_back(axis);
  std::map<int64_t, Resampling> changes;
  if (auto failure = readChanges(n, x, scalesOperand, axes, changes))
    return *failure;
  bool crops = filter.coordinates == "tf_crop_and_resize";
  if (crops) {
    auto known = n.floatsOf(1);
    if (!requireLength(n, 1, SymExpr(2 * int64_t(axes.size()))))
      return RowStatus::Done;
    for (size_t i = 0; i < axes.size(); ++i) {
      size_t end = axes.size() + i;
      if (known && (*known)[i] == 0 && (*known)[end] == 1)
        continue;
      changes[axes[i]].roiStart = numberAt(n.in(1), i);
      changes[axes[i]].roiEnd = numberAt(n.in(1), end);
    }
  }
  mlir::Type dtype = x.dtype();
  bool interpolates = filter.mode != "nearest";
  if (interpolates && !x.isFloat())
    x = convert(x, n.ctx().builder.getF64Type());
  for (const auto &[axis, change] : changes) {
    bool isWhole = !change.roiStart;
    bool keepsSize = change.in == change.out && !change.runTimeScale &&
                     (!change.scale || std::abs(*change.scale - 1) < 1e-9);
    if (keepsSize && isWhole)
      continue; // Copied untouched.
    x = resample(x, axis, filter, change);
    if (!x)
      return n.ctx().failed() ? RowStatus::Done
                              : n.invalid("attribute 'coordinate_transformation_mode': got '" +
                                          filter.coordinates + "'");
  }
  n.out(0, x.dtype().isF64() ? convert(x, dtype) : x);
  return RowStatus::Done;
}

// Each axis resampled by nearest, linear or cubic interpolation at the positions of the coordinate
// mode
RowStatus resize(Node &n) {
  Filter filter;
  filter.mode = n.s("mode", "nearest");
  bool isFirst = n.opset() < 11;
  filter.coordinates = isFirst ? "asymmetric" : n.s("coordinate_transformation_mode", "half_pixel");
  filter.nearest = isFirst ? "floor" : n.s("nearest_mode", "round_prefer_floor");
  filter.cubic = n.f("cubic_coeff_a", -0.75);
  filter.extrapolation = n.f("extrapolation_value", 0);
  filter.excludeOutside = n.i("exclude_outside", 0) != 0;
  filter.antialias = n.i("antialias", 0) != 0;
  if (filter.mode != "nearest" && filter.mode != "linear" && filter.mode != "cubic")
    return n.invalid("attribute 'mode': got '" + filter.mode + "'");
  return resizeWith(n, filter, isFirst ? 1 : 2);
}

// Resize of version 10; the scales are an attribute before opset 9
RowStatus upsample(Node &n) {
  Filter filter{n.s("mode", "nearest"), "asymmetric", "floor"};
  if (filter.mode == "bilinear")
    filter.mode = "linear";
  if (filter.mode != "nearest" && filter.mode != "linear")
    return n.invalid("attribute 'mode': got '" + filter.mode + "'");
  return resizeWith(n, filter, n.opset() < 9 ? -1 : 1);
}

} // namespace

void onnx::addResizeRows(OpTable &t) {
  t.add("Resize", 10, resize, "T1=number|bool T2=float scales=f32 sizes=index").inF32();
  t.add("Upsample", 7, upsample, "T=number|bool scales=f32").inF32().until(9);
}
