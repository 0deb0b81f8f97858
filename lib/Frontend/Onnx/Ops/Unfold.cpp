//===- Unfold.cpp - windows taken apart and put together ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

namespace {

using Ints = llvm::SmallVector<int64_t>;

Ints counting(int64_t from, int64_t to) { return llvm::to_vector(llvm::seq<int64_t>(from, to)); }

/// Strides, dilations and pads of `spatial` axes.
struct Steps {
  Ints strides, dilations, pads;
  bool fit;

  Steps(Node &n, int64_t spatial)
      : strides(n.ints("strides", Ints(spatial, 1))),
        dilations(n.ints("dilations", Ints(spatial, 1))),
        pads(n.ints("pads", Ints(2 * spatial, 0))) {
    auto positive = [](int64_t step) { return step > 0; };
    fit = int64_t(strides.size()) == spatial && int64_t(dilations.size()) == spatial &&
          int64_t(pads.size()) == 2 * spatial && llvm::all_of(strides, positive) &&
          llvm::all_of(dilations, positive);
  }
};

// y[n, c, i...] = sum over places b of the block of x[n, (c, b), o...] where o * stride + b *
// dilation - pad = i. As a sum of what each pixel receives, so that sizes may be known to the run
// only.
RowStatus col2Im(Node &n) {
  Tensor x = n.in(0);
  std::optional<int64_t> axes = n.declaredRank(0);
  for (const char *name : {"strides", "dilations"})
    if (n.has(name))
      axes = int64_t(n.ints(name).size()) + 2;
  if (axes)
    axes = *axes - 2;
  if (!x || !openLength(n, 1, axes) || !openLength(n, 2, axes))
    return RowStatus::Done;
  auto image = n.bindDims(1), block = n.bindDims(2);
  if (!image || !block)
    return n.unsupported(openList);
  const int64_t spatial = image->size();
  Steps steps(n, spatial);
  if (x.rank() != 3 || int64_t(block->size()) != spatial || !steps.fit)
    return n.invalid("attributes and shapes do not fit");
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor volume = fullInt(ctx, {}, 1, i64);
  for (const SymExpr &size : *block)
    volume = volume * dimScalar(ctx, size, i64);
  Tensor rows = dimScalar(ctx, x.dim(1), i64);
  require(n, (volume >= 1) & equal(rem(rows, volume), fullLike(volume, 0)),
          "Col2Im: the block does not divide axis 1 of the input");
  SymExpr channels = bindDim(rows / maximum(volume, 1), 0);

  // Places [C, image..., block...].
  Shape grid = {channels};
  grid.append(image->begin(), image->end());
  grid.append(block->begin(), block->end());
  Tensor row = iota(ctx, grid, 0, i64), column = fullInt(ctx, {}, 0, i64);
  Tensor isTaken, blocks = fullInt(ctx, {}, 1, i64);
  for (int64_t axis = 0; axis < spatial; ++axis) {
    SymExpr padded = (*image)[axis] + SymExpr(steps.pads[axis] + steps.pads[spatial + axis]);
    SymExpr reach = ((*block)[axis] - 1) * SymExpr(steps.dilations[axis]) + 1;
    Tensor room = dimScalar(ctx, padded - reach, i64);
    // Truncation must not make one block of a negative room.
    Tensor count = select(room < 0, 0.0, room / double(steps.strides[axis]) + 1.0);
    Tensor inBlock = iota(ctx, grid, 1 + spatial + axis, i64);
    Tensor from = iota(ctx, grid, 1 + axis, i64) + double(steps.pads[axis]) -
                  inBlock * double(steps.dilations[axis]);
    Tensor stride = fullLike(from, double(steps.strides[axis])), place = from / stride;
    Tensor fits = (from >= 0) & (place < count) & equal(place * stride, from);
    isTaken = isTaken ? isTaken & fits : fits;
    row = row * dimScalar(ctx, (*block)[axis], i64) + inBlock;
    column = column * count + place;
    blocks = blocks * count;
  }
  require(n, equal(blocks, dimScalar(ctx, x.dim(2), i64)),
          "Col2Im: axis 2 of the input is not the number of blocks");
  Tensor index = stack({row, select(isTaken, column, 0.0)}, -1);
  Tensor taken = gather(x, index, {1, 2}); // [C, image..., block..., N]
  taken = select(unsqueeze(isTaken, -1), taken, 0.0);
  Tensor y = sum(taken, counting(1 + spatial, 1 + 2 * spatial)); // [C, image..., N]
  Ints order = {spatial + 1};
  order.append(counting(0, spatial + 1));
  n.out(0, transpose(y, order));
  return RowStatus::Done;
}

/// x [N, groups, D..., C] at the coordinates [N, groups, places..., axes], linear between
/// neighbours, 0 outside: [N, groups, places..., C].
Tensor sampleLinear(Tensor x, Tensor coordinates, int64_t spatial) {
  TensorContext &ctx = x.ctx();
  mlir::Type i64 = ctx.builder.getI64Type(), dtype = coordinates.dtype();
  Tensors low, fraction;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    Tensor at = squeeze(sliceAxis(coordinates, -1, SymExpr(axis), SymExpr(axis + 1)), -1);
    low.push_back(floor(at));
    fraction.push_back(at - low.back());
  }
  Tensor result;
  for (int64_t corner = 0; corner < int64_t(1) << spatial; ++corner) {
    Tensors index;
    Tensor weight, isInside;
    for (int64_t axis = 0; axis < spatial; ++axis) {
      const bool isUpper = corner >> axis & 1;
      Tensor at = isUpper ? low[axis] + 1.0 : low[axis];
      Tensor last = dimScalar(ctx, x.dim(2 + axis) - 1, dtype);
      Tensor inside = (at >= 0.0) & (at <= last);
      Tensor share = isUpper ? fraction[axis] : 1.0 - fraction[axis];
      index.push_back(convert(select(inside, at, 0.0), i64));
      weight = weight ? weight * share : share;
      isInside = isInside ? isInside & inside : inside;
    }
    Tensor value = gather(x, stack(index, -1), counting(2, 2 + spatial), /*batch=*/2);
    value = value * unsqueeze(select(isInside, weight, 0.0), -1);
    result = result ? result + value : value;
  }
  return result;
}

// A convolution whose taps read x, linear between neighbours and 0 outside, at o * stride + k *
// dilation - pad + offset[n, g, k, axis, o], times mask[n, g, k, o]
RowStatus deformConv(Node &n) {
  Tensor x = n.in(0), w = n.in(1), offset = n.in(2), mask = n.in(4, /*optional=*/true);
  if (n.ctx().failed())
    return RowStatus::Done;
  const int64_t spatial = x.rank() - 2, group = n.i("group", 1), offsets = n.i("offset_group", 1);
  Steps steps(n, spatial);
  if (spatial < 1 || spatial > 4 || w.rank() != x.rank() || offset.rank() != x.rank() ||
      (mask && mask.rank() != x.rank()) || !steps.fit || group < 1 || offsets < 1)
    return n.invalid("input " + prim::shapeText(x.shape()) + ", weight " +
                     prim::shapeText(w.shape()) + " and offset " + prim::shapeText(offset.shape()) +
                     " or the attributes do not fit");
  TensorContext &ctx = n.ctx();
  Shape kernel, places;
  SymExpr taps(1), outputs(1);
  Ints given = n.ints("kernel_shape");
  for (int64_t axis = 0; axis < spatial; ++axis) {
    kernel.push_back(w.dim(2 + axis));
    places.push_back(offset.dim(2 + axis));
    taps = taps * kernel.back();
    outputs = outputs * places.back();
    if (axis < int64_t(given.size()) &&
        !ctx.requireEqual(kernel.back(), SymExpr(given[axis]), "an axis of the weight"))
      return RowStatus::Done;
    SymExpr room = x.dim(2 + axis) + SymExpr(steps.pads[axis] + steps.pads[spatial + axis]) -
                   (kernel.back() - 1) * SymExpr(steps.dilations[axis]) - 1;
    if (!ctx.requireEqual(places.back(), room.floorDiv(SymExpr(steps.strides[axis])) + 1,
                          "an axis of offset"))
      return RowStatus::Done;
  }
  SymExpr batch = x.dim(0), share = dividedBy(n, x.dim(1), offsets),
          inputs = dividedBy(n, x.dim(1), group), channels = dividedBy(n, w.dim(0), group);
  if (ctx.failed() || !ctx.requireEqual(w.dim(1), inputs, "axis 1 of the weight") ||
      !ctx.requireEqual(offset.dim(1), taps * SymExpr(offsets * spatial), "axis 1 of offset") ||
      (mask && !ctx.requireEqual(mask.dim(1), taps * SymExpr(offsets), "axis 1 of mask")))
    return RowStatus::Done;

  // Coordinates [N, groups, kernel..., places..., axes].
  Shape grid = {batch, SymExpr(offsets)}, split = grid;
  grid.append(kernel);
  split.append(kernel);
  split.push_back(SymExpr(spatial));
  grid.append(places);
  split.append(places);
  Ints last = counting(0, split.size());
  last.erase(last.begin() + 2 + spatial);
  last.push_back(2 + spatial);
  Tensor moved = transpose(reshape(offset, split), last);
  Tensors at;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    Tensor tap = iota(ctx, grid, 2 + axis, x.dtype()) * double(steps.dilations[axis]);
    Tensor place = iota(ctx, grid, 2 + spatial + axis, x.dtype()) * double(steps.strides[axis]);
    at.push_back(place + tap - double(steps.pads[axis]));
  }
  Tensor coordinates = stack(at, -1) + moved;

  // x as [N, groups, D..., C / groups].
  Shape grouped = {batch, SymExpr(offsets), share};
  for (int64_t axis = 0; axis < spatial; ++axis)
    grouped.push_back(x.dim(2 + axis));
  Ints channelsLast = {0, 1};
  channelsLast.append(counting(3, 3 + spatial));
  channelsLast.push_back(2);
  Tensor taken = sampleLinear(transpose(reshape(x, grouped), channelsLast), coordinates, spatial);
  if (mask)
    taken = taken * unsqueeze(reshape(mask, grid), -1);
  // [N, groups, kernel..., places..., C / groups] -> [N, group, C / group * taps, places]
  taken = reshape(taken, {batch, SymExpr(offsets), taps, outputs, share});
  taken =
      reshape(transpose(taken, {0, 1, 4, 2, 3}), {batch, SymExpr(group), inputs * taps, outputs});
  Tensor weight = reshape(w, {SymExpr(group), channels, inputs * taps});
  Tensor y = dot(weight, taken, 0, 1, 2, 2); // [group, oC / group, N, places]
  Shape shape = {batch, w.dim(0)};
  shape.append(places);
  y = reshape(transpose(y, {2, 0, 1, 3}), shape);
  if (Tensor bias = n.in(3, /*optional=*/true))
    y = y + reshape(bias, [&] {
          Shape perChannel(x.rank(), SymExpr(1));
          perChannel[1] = w.dim(0);
          return perChannel;
        }());
  n.out(0, y);
  return RowStatus::Done;
}

} // namespace

void onnx::addUnfoldRows(OpTable &t) {
  t.add("Col2Im", 18, col2Im, "T=number|bool image_shape=index block_shape=index")
      .limits({&openList});
  t.add("DeformConv", 19, deformConv, "T=float").inF32();
}
