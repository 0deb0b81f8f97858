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

#include "Families.h"

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
  std::optional<double> scale; ///< nothing: out / in, not known while importing
  double roiStart = 0, roiEnd = 1;
};

/// Scalars and vectors of f64.
struct Position {
  TensorContext &ctx;
  mlir::Type f64 = ctx.builder.getF64Type();
  Tensor dim(const SymExpr &value) const { return dimScalar(ctx, value, f64); }
  Tensor number(double value) const { return full(ctx, {}, value, f64); }
};

/// Places in the input of the output's elements 0, 1, ... of one axis; a null tensor for an unknown
/// mode.
Tensor sourcePositions(TensorContext &ctx, const Filter &filter, const Resampling &axis) {
  Position p{ctx};
  Tensor y = iota(ctx, {axis.out}, 0, p.f64);
  Tensor in = p.dim(axis.in);
  Tensor scale = axis.scale ? p.number(*axis.scale) : p.dim(axis.out) / in;
  Tensor width = scale * in; // before it is rounded to axis.out
  Tensor isOne = equal(width, p.number(1));
  if (filter.coordinates == "asymmetric")
    return y / scale;
  if (filter.coordinates == "align_corners")
    return select(isOne, fullLike(y, 0), y * (in - 1) / (width - 1));
  if (filter.coordinates == "tf_crop_and_resize") {
    double extent = axis.roiEnd - axis.roiStart;
    Tensor inner = select(isOne, broadcastTo((in - 1) * (extent / 2), y.shape()),
                          y * ((in - 1) * extent) / (width - 1));
    return inner + (in - 1) * axis.roiStart;
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
    return SymExpr(int64_t(std::floor(float(*value) * float(scale))));
  for (int64_t den = 1; den <= (int64_t(1) << 30); den *= 2)
    if (double num = scale * den; num == std::floor(num) && num < double(int64_t(1) << 40))
      return (size * SymExpr(int64_t(num))).floorDiv(SymExpr(den));
  return std::nullopt;
}

/// One scale for all axes, by the policy; sizes must be numbers.
std::optional<RowStatus> keepAspect(Node &n, const std::string &policy,
                                    std::map<int64_t, Resampling> &changes) {
  if (policy != "not_larger" && policy != "not_smaller")
    return n.invalid("attribute 'keep_aspect_ratio_policy': got '" + policy + "'");
  std::optional<double> best;
  for (auto &[axis, change] : changes) {
    if (!change.scale)
      return n.unsupported("attribute 'keep_aspect_ratio_policy' with symbolic sizes");
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
    auto sizes = n.bindDims(3);
    if (!sizes || sizes->size() != axes.size())
      return n.unsupported("sizes of another number than axes");
    for (auto [axis, size] : llvm::zip(axes, *sizes)) {
      Resampling change{x.dim(axis), size, {}};
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
  if (!scales)
    return n.unsupported("scales that are computed while running");
  if (scales->size() != axes.size())
    return n.invalid(llvm::Twine(scales->size()) + " scales for " + llvm::Twine(axes.size()) +
                     " axes");
  for (auto [axis, scale] : llvm::zip(axes, *scales)) {
    if (!(scale > 0))
      return n.invalid("a scale that is not positive");
    auto size = scaledSize(x.dim(axis), scale);
    if (!size)
      return n.unsupported("scale " + std::to_string(scale) + " of the symbolic dimension " +
                           x.dim(axis).str());
    changes[axis] = {x.dim(axis), *size, scale};
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
    auto roi = n.floatsOf(1);
    if (!roi || roi->size() != 2 * axes.size())
      return n.unsupported("a region of interest that is no constant of two numbers for each axis");
    for (size_t i = 0; i < axes.size(); ++i) {
      changes[axes[i]].roiStart = (*roi)[i];
      changes[axes[i]].roiEnd = (*roi)[axes.size() + i];
    }
  }
  mlir::Type dtype = x.dtype();
  bool interpolates = filter.mode != "nearest";
  if (interpolates && !x.isFloat())
    x = convert(x, n.ctx().builder.getF64Type());
  for (const auto &[axis, change] : changes) {
    bool isWhole = change.roiStart == 0 && change.roiEnd == 1;
    bool keepsSize =
        change.in == change.out && (!change.scale || std::abs(*change.scale - 1) < 1e-9);
    if (keepsSize && isWhole)
      continue; // Copied untouched.
    if (interpolates && filter.antialias && !change.scale)
      return n.unsupported("attribute 'antialias' with a symbolic scale");
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
  t.add("Resize", 10, resize).inF32().limits("scales and regions known while compiling");
  t.add("Upsample", 7, upsample).inF32().until(9);
}
