//===- Sample.cpp - images sampled at computed places ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit adaptiveSamples{"sampling_ratio 0, which is its default"};

namespace {

/// How GridSample treats places outside of the image.
struct Sampling {
  std::string mode, padding;
  bool alignCorners;
};

/// A scalar of `like`'s element type.
Tensor scalarOf(Tensor like, const SymExpr &value) {
  return dimScalar(like.ctx(), value, like.dtype());
}

/// Folds x back and forth into [first, last].
Tensor reflected(Tensor x, Tensor first, Tensor last) {
  Tensor range = last - first;
  Tensor phase = rem(abs(x - first), range * 2.0);
  return first + minimum(phase, range * 2.0 - phase);
}

/// One of the points of an axis that a sample is made of: its index (whole, in range) and weight.
struct Tap {
  Tensor index, weight;
};

/// The taps along an axis of `size` at the normalised place `g` in [-1, 1].
llvm::SmallVector<Tap> tapsOf(Tensor g, const SymExpr &size, const Sampling &how) {
  Tensor extent = scalarOf(g, size), last = extent - 1;
  Tensor place = how.alignCorners ? (g + 1.0) * 0.5 * last : ((g + 1.0) * extent - 1.0) * 0.5;
  Tensor first = how.alignCorners ? fullLike(last, 0) : fullLike(last, -0.5);
  Tensor end = how.alignCorners ? last : last + 0.5;
  if (how.mode == "nearest")
    place = roundEven(place);
  if (how.padding == "border")
    place = minimum(maximum(place, 0), last);
  else if (how.padding == "reflection")
    place = reflected(place, first, end);
  llvm::SmallVector<std::pair<Tensor, Tensor>> raw;
  if (how.mode == "nearest") {
    raw.push_back({trunc(place), fullLike(place, 1)});
  } else if (how.mode == "linear") {
    Tensor base = floor(place), t = place - base;
    raw = {{base, 1.0 - t}, {base + 1.0, t}};
  } else {
    const double a = -0.75;
    Tensor base = floor(place), t = place - base;
    auto near = [&](Tensor d) { return ((d * (a + 2) - (a + 3)) * d) * d + 1.0; };
    auto far = [&](Tensor d) { return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a; };
    raw = {{base - 1.0, far(t + 1.0)},
           {base, near(t)},
           {base + 1.0, near(1.0 - t)},
           {base + 2.0, far(2.0 - t)}};
  }
  llvm::SmallVector<Tap> taps;
  for (auto [index, weight] : raw) {
    if (how.padding == "zeros")
      weight = select((index >= 0) & (index <= last), weight, 0.0);
    else if (how.padding == "reflection")
      index = trunc(reflected(index, first, end));
    taps.push_back({minimum(maximum(index, 0), last), weight});
  }
  return taps;
}

/// The weighted sum over all combinations of taps, one for each axis from `axis` on.
Tensor combine(Tensor x, llvm::ArrayRef<llvm::SmallVector<Tap>> axes, Tensors &index,
               Tensor weight) {
  mlir::Type i64 = x.ctx().builder.getI64Type();
  if (index.size() == axes.size()) {
    llvm::SmallVector<int64_t> places;
    for (size_t i = 0; i < axes.size(); ++i)
      places.push_back(2 + i);
    Tensor picked = gather(x, stack(index, -1), places, /*batch=*/1); // [N, places..., C]
    return picked * unsqueeze(weight, -1);
  }
  Tensor total;
  for (const Tap &tap : axes[index.size()]) {
    Tensor product = weight ? weight * tap.weight : tap.weight;
    index.push_back(convert(tap.index, i64));
    Tensor part = combine(x, axes, index, product);
    index.pop_back();
    total = total ? total + part : part;
  }
  return total;
}

/// [N, places..., C] as [N, C, places...].
Tensor channelsSecond(Tensor x) {
  if (!x)
    return x;
  llvm::SmallVector<int64_t> order = {0, x.rank() - 1};
  for (int64_t axis = 1; axis < x.rank() - 1; ++axis)
    order.push_back(axis);
  return transpose(x, order);
}

// y[n, c, o...] = x[n, c] at the place grid[n, o...], last axis first, [-1, 1] being the image
RowStatus gridSample(Node &n) {
  Tensor x = n.in(0), grid = n.in(1);
  if (!x || !grid)
    return RowStatus::Done;
  int64_t spatial = x.rank() - 2;
  bool fits = spatial >= 1 && grid.rank() == x.rank();
  if (fits && !grid.dim(-1).constant())
    n.ctx().requireEqual(grid.dim(-1), SymExpr(spatial), "the coordinates of a place in the grid");
  if (n.ctx().failed())
    return RowStatus::Done;
  if (!fits || grid.dim(-1).constant() != spatial)
    return n.invalid("input " + prim::shapeText(x.shape()) + " and grid " +
                     prim::shapeText(grid.shape()));
  Sampling how{n.s("mode", n.opset() < 20 ? "bilinear" : "linear"), n.s("padding_mode", "zeros"),
               n.i("align_corners", 0) != 0};
  if (how.mode == "bilinear")
    how.mode = "linear";
  if (how.mode == "bicubic")
    how.mode = "cubic";
  if (how.mode != "linear" && how.mode != "nearest" && how.mode != "cubic")
    return n.invalid("attribute 'mode': got '" + how.mode + "'");
  if (how.padding != "zeros" && how.padding != "border" && how.padding != "reflection")
    return n.invalid("attribute 'padding_mode': got '" + how.padding + "'");
  std::vector<llvm::SmallVector<Tap>> axes;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    int64_t component = spatial - 1 - axis;
    Tensor g = squeeze(sliceAxis(grid, -1, SymExpr(component), SymExpr(component + 1)), -1);
    if (!g)
      return RowStatus::Done;
    axes.push_back(tapsOf(convert(g, x.isFloat() ? x.dtype() : g.dtype()), x.dim(2 + axis), how));
  }
  Tensors index;
  mlir::Type dtype = x.dtype();
  if (!x.isFloat())
    x = convert(x, grid.dtype());
  Tensor y = channelsSecond(combine(x, axes, index, {}));
  n.out(0, convert(y, dtype));
  return RowStatus::Done;
}

// grid[n, d..., :] = theta[n] (x, y[, z], 1), coordinates running over [-1, 1] (align_corners: ends
// included)
RowStatus affineGrid(Node &n) {
  Tensor theta = n.in(0);
  if (!theta || !openLength(n, 1, n.declaredRank(0)))
    return RowStatus::Done;
  auto size = n.bindDims(1);
  if (!size)
    return n.unsupported(openList);
  if (size->size() < 4 || size->size() > 5)
    return n.invalid("a size of 4 or 5 dimensions is needed");
  bool align = n.i("align_corners", 0) != 0;
  int64_t spatial = size->size() - 2;
  TensorContext &ctx = n.ctx();
  Shape places(size->begin() + 2, size->end());
  Tensors coordinates;
  for (int64_t axis = spatial - 1; axis >= 0; --axis) {
    Tensor at = iota(ctx, places, axis, theta.dtype());
    Tensor extent = scalarOf(at, places[axis]), steps = maximum(extent - 1, 1.0); // one place: -1
    coordinates.push_back(align ? at * 2.0 / steps - 1.0 : (at * 2.0 + 1.0) / extent - 1.0);
  }
  coordinates.push_back(full(ctx, places, 1, theta.dtype()));
  // [places, spatial + 1] x [N, spatial, spatial + 1]
  if (!n.ctx().requireEqual(theta.dim(1), SymExpr(spatial), "the rows of theta"))
    return RowStatus::Done;
  Tensor y = dot(theta, stack(coordinates, -1), {}, {}, 2, spatial); // [N, spatial, places...]
  if (!y)
    return RowStatus::Done;
  llvm::SmallVector<int64_t> order = {0};
  for (int64_t axis = 0; axis < spatial; ++axis)
    order.push_back(2 + axis);
  order.push_back(1);
  n.out(0, transpose(y, order));
  return RowStatus::Done;
}

/// Sampling places along one axis of all regions: [R, bins * samples], and whether each is in the
/// image.
struct Places {
  Tensor low, high, weight, isInside;
};
Places regionPlaces(Tensor start, Tensor length, int64_t bins, int64_t samples,
                    const SymExpr &size) {
  TensorContext &ctx = start.ctx();
  Tensor step = iota(ctx, {SymExpr(1), SymExpr(bins * samples)}, 1, start.dtype());
  Tensor place = unsqueeze(start, 1) + (step + 0.5) * unsqueeze(length, 1) / double(bins * samples);
  Tensor extent = scalarOf(place, size), last = extent - 1;
  Tensor isInside = (place >= -1) & (place <= extent);
  place = maximum(place, 0);
  Tensor low = minimum(floor(place), last);
  Tensor high = minimum(low + 1.0, last);
  Tensor weight = select(low >= last, fullLike(place, 0), place - low);
  return {low, high, weight, isInside};
}

// Each region's bins: mean (max) of bilinear samples on a grid in the bin
RowStatus roiAlign(Node &n) {
  Tensor x = n.in(0), rois = n.in(1), batch = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  int64_t height = n.i("output_height", 1), width = n.i("output_width", 1);
  int64_t samples = n.i("sampling_ratio", 0);
  if (samples == 0)
    return n.unsupported(adaptiveSamples);
  constexpr int64_t most = 1 << 16;
  for (auto [what, count] : {std::pair("output_height", height), std::pair("output_width", width),
                             std::pair("sampling_ratio", samples)})
    if (count < 1 || count > most)
      return n.invalid(llvm::Twine("attribute '") + what + "': got " + llvm::Twine(count) +
                       ", expected 1 to " + llvm::Twine(most));
  std::string mode = n.s("mode", "avg");
  bool halfPixel =
      n.opset() >= 16 && n.s("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double scale = n.f("spatial_scale", 1), offset = halfPixel ? 0.5 : 0;
  auto edge = [&](int64_t i) {
    return squeeze(sliceAxis(rois, 1, SymExpr(i), SymExpr(i + 1)), 1) * scale - offset;
  };
  Tensor left = edge(0), top = edge(1), w = edge(2) - left, h = edge(3) - top;
  if (!halfPixel) {
    w = maximum(w, 1);
    h = maximum(h, 1);
  }
  if (n.ctx().failed())
    return RowStatus::Done;
  Places y = regionPlaces(top, h, height, samples, x.dim(2));
  Places z = regionPlaces(left, w, width, samples, x.dim(3));
  mlir::Type i64 = n.ctx().builder.getI64Type();
  SymExpr regions = rois.dim(0);
  Shape grid = {regions, SymExpr(height * samples), SymExpr(width * samples)};
  Tensor entry = broadcastTo(reshape(convert(batch, i64), {regions, SymExpr(1), SymExpr(1)}), grid);
  Tensor inside = unsqueeze(y.isInside, 2) & unsqueeze(z.isInside, 1);
  llvm::SmallVector<Tensor> corners;
  for (int corner = 0; corner < 4; ++corner) {
    bool isLow = corner < 2, isLeft = corner % 2 == 0;
    Tensor row = unsqueeze(convert(isLow ? y.low : y.high, i64), 2);
    Tensor column = unsqueeze(convert(isLeft ? z.low : z.high, i64), 1);
    Tensor index = stack({entry, broadcastTo(row, grid), broadcastTo(column, grid)}, -1);
    Tensor weight = unsqueeze(isLow ? 1.0 - y.weight : y.weight, 2) *
                    unsqueeze(isLeft ? 1.0 - z.weight : z.weight, 1);
    weight = select(inside, weight, 0.0);
    corners.push_back(gather(x, index, {0, 2, 3}) * unsqueeze(weight, -1)); // [R, h, w, C]
  }
  bool isMax = mode == "max";
  Tensor sampled = isMax ? maximum(maximum(corners[0], corners[1]), maximum(corners[2], corners[3]))
                         : corners[0] + corners[1] + corners[2] + corners[3];
  sampled = reshape(sampled, {regions, SymExpr(height), SymExpr(samples), SymExpr(width),
                              SymExpr(samples), x.dim(1)});
  Tensor binned = isMax ? reduceMax(sampled, {2, 4}) : mean(sampled, {2, 4});
  n.out(0, channelsSecond(binned));
  return RowStatus::Done;
}

// Values put back to where MaxPool took them from, zeros elsewhere
RowStatus maxUnpool(Node &n) {
  Tensor x = n.in(0), index = n.in(1);
  if (!x || !index)
    return RowStatus::Done;
  int64_t spatial = x.rank() - 2;
  auto kernel = n.ints("kernel_shape");
  auto strides = n.ints("strides", llvm::SmallVector<int64_t>(spatial, 1));
  auto pads = n.ints("pads", llvm::SmallVector<int64_t>(2 * spatial, 0));
  if (int64_t(kernel.size()) != spatial || int64_t(strides.size()) != spatial ||
      int64_t(pads.size()) != 2 * spatial)
    return n.invalid("kernel_shape, strides or pads do not fit " + prim::shapeText(x.shape()));
  Shape shape = {x.dim(0), x.dim(1)};
  for (int64_t i = 0; i < spatial; ++i)
    shape.push_back((x.dim(2 + i) - 1) * SymExpr(strides[i]) +
                    SymExpr(kernel[i] - pads[i] - pads[spatial + i]));
  Tensor flat = full(n.ctx(), {prim::elementCount(shape)}, 0, x.dtype());
  Tensor places = reshape(index, {x.size(), SymExpr(1)});
  Tensor y = reshape(scatter(Combiner::none, flat, places, reshape(x, {x.size()}), {0}), shape);
  if (n.hasInput(2)) {
    if (!requireLength(n, 2, SymExpr(x.rank())))
      return RowStatus::Done;
    auto target = n.bindDims(2);
    if (!target)
      return n.invalid("output_shape is no list of integers");
    if (target->size() != shape.size())
      return n.invalid("output_shape");
    Shape lo(shape.size(), SymExpr(0)), hi;
    for (auto [to, from] : llvm::zip(*target, shape))
      hi.push_back(to - from);
    y = pad(y, full(n.ctx(), {}, 0, x.dtype()), lo, hi);
  }
  n.out(0, y);
  return RowStatus::Done;
}

} // namespace

void onnx::addSampleRows(OpTable &t) {
  t.add("GridSample", 16, gridSample, "T1=number|bool T2=float").inF32();
  t.add("AffineGrid", 20, affineGrid, "T1=float T2=index").inF32().limits({&openList});
  t.add("RoiAlign", 10, roiAlign, "T1=float T1 T2=index").inF32().limits({&adaptiveSamples});
  t.add("MaxUnpool", 9, maxUnpool, "T1=float T2=index");
}
