//===- Movement.cpp - order, joining, splitting, padding ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit openParts{"before version 2: sizes that only the run knows"};
static constexpr Limit openTiles{"before version 6: tiles or axis that only the run knows"};

// Axis i is x's axis perm[i]; by default the axes in reverse
static RowStatus transposeRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  auto permutation = n.ints("perm");
  if (!n.has("perm"))
    for (int64_t axis = x.rank() - 1; axis >= 0; --axis)
      permutation.push_back(axis);
  n.out(0, transpose(x, permutation));
  return RowStatus::Done;
}

// The operands one after another along `axis`
static RowStatus concatRow(Node &n) {
  Tensors parts;
  for (int64_t i = 0; i < n.inputCount(); ++i)
    parts.push_back(n.in(i));
  if (n.ctx().failed() || parts.empty())
    return parts.empty() ? n.invalid("no operands") : RowStatus::Done;
  int64_t axis = n.i("axis", 1), rank = parts.front().rank();
  if (axis < -rank || axis >= rank)
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(rank));
  n.out(0, parts.size() == 1 ? parts.front() : concat(parts, axis));
  return RowStatus::Done;
}

/// Sizes of the parts of a Split along a dimension of `size`; a status: the row's end.
static std::optional<RowStatus> splitSizes(Node &n, const SymExpr &size, prim::Shape &sizes) {
  bool isOperand = n.opset() >= 13 || n.opset() < 2;
  if (isOperand && n.hasInput(1)) {
    if (!requireLength(n, 1, SymExpr(n.outputCount())))
      return RowStatus::Done;
    if (n.opset() < 2) { // numbers of x's type
      auto parts = n.floatsOf(1);
      if (!parts)
        return n.unsupported(openParts);
      for (double part : *parts)
        sizes.push_back(sizeOf(part));
    } else {
      auto given = n.bindDims(1);
      if (!given)
        return n.invalid("the sizes of the parts are no list of integers");
      sizes.assign(given->begin(), given->end());
    }
  } else {
    for (int64_t part : n.ints("split"))
      sizes.push_back(SymExpr(part));
  }
  int64_t count = n.outputCount();
  if (!sizes.empty()) {
    SymExpr total(0);
    for (const SymExpr &part : sizes)
      total = total + part;
    if (int64_t(sizes.size()) != count || (total.constant() && size.constant() && total != size))
      return n.invalid("parts " + prim::shapeText(sizes) + " of a dimension " + size.str() +
                       " for " + llvm::Twine(count) + " outputs");
    if (total != size) {
      mlir::Type i64 = n.ctx().builder.getI64Type();
      require(n, equal(dimScalar(n.ctx(), total, i64), dimScalar(n.ctx(), size, i64)),
              "the parts do not add up to a dimension of " + size.str());
    }
    return std::nullopt;
  }
  if (n.has("num_outputs") && n.i("num_outputs", 0) != count)
    return n.invalid("attribute 'num_outputs' is not the number of outputs");
  if (auto part = size.exactDiv(SymExpr(count))) {
    sizes.assign(count, *part);
    return std::nullopt;
  }
  if (size.constant() && n.opset() < 18)
    return n.invalid("a dimension of " + size.str() + " in " + llvm::Twine(count) + " equal parts");
  // Since opset 18 the last part is what is left.
  SymExpr part = size.ceilDiv(SymExpr(count));
  sizes.assign(count - 1, part);
  sizes.push_back(size - part * SymExpr(count - 1));
  if (size.constant() && *sizes.back().constant() < 0)
    return n.invalid("a dimension of " + size.str() + " in " + llvm::Twine(count) + " parts");
  return std::nullopt;
}

// Consecutive parts of x along `axis`
static RowStatus split(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t axis = n.i("axis", 0);
  if (axis < -x.rank() || axis >= x.rank())
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(x.rank()));
  axis += axis < 0 ? x.rank() : 0;
  prim::Shape sizes;
  if (auto failure = splitSizes(n, x.dim(axis), sizes))
    return *failure;
  SymExpr start(0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (n.hasOutput(i))
      n.out(i, sizes.size() == 1 ? x : sliceAxis(x, axis, start, start + size));
    start = start + size;
  }
  return RowStatus::Done;
}

// x repeated repeats[i] times along axis i; in opset 1 `tiles` times along one axis
static RowStatus tile(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  prim::Shape repeats(x.rank(), SymExpr(1));
  if (n.opset() >= 6 && !requireLength(n, 1, SymExpr(x.rank())))
    return RowStatus::Done;
  if (n.opset() < 6) { // one number and one axis, of x's type
    auto count = n.floatsOf(1), axis = n.floatsOf(2);
    if (!count || !axis)
      return n.unsupported(openTiles);
    if (count->size() != 1 || axis->size() != 1)
      return n.invalid("tiles and axis must have one element");
    if (!(axis->front() >= 0 && axis->front() < double(x.rank()))) // also NaN
      return n.invalid("the axis is none of rank " + llvm::Twine(x.rank()));
    repeats[int64_t(axis->front())] = sizeOf(count->front());
  } else {
    auto given = n.bindDims(1);
    if (!given)
      return n.invalid("the repeats are no list of integers");
    if (int64_t(given->size()) != x.rank())
      return n.invalid(llvm::Twine(given->size()) + " repeats for rank " + llvm::Twine(x.rank()));
    repeats.assign(given->begin(), given->end());
  }
  // [d] as [1, d] broadcast to [r, d]; axes that are not repeated stay as they are.
  prim::Shape split, target, merged;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    SymExpr size = x.dim(axis);
    if (!repeats[axis].isOne()) {
      split.push_back(SymExpr(1));
      target.push_back(repeats[axis]);
    }
    split.push_back(size);
    target.push_back(size);
    merged.push_back(size * repeats[axis]);
  }
  n.out(0, reshape(broadcastTo(reshape(x, split), target), merged));
  return RowStatus::Done;
}

/// Floor modulo by a positive size.
static Tensor wrapped(Tensor position, Tensor size) {
  Tensor rest = rem(position, size);
  return select(rest < 0, rest + size, rest);
}

/// x extended along one axis by copies of its own elements.
static RowStatus padByCopies(Node &n, Tensor &x, int64_t axis, const SymExpr &lo, const SymExpr &hi,
                             const std::string &mode) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  SymExpr size = x.dim(axis);
  bool grows = lo.provablyGt(SymExpr(0)) || hi.provablyGt(SymExpr(0));
  if (grows && lo.isConstant() && hi.isConstant() &&
      (size.isZero() || (mode == "reflect" && size.isOne())))
    return n.invalid("mode '" + mode + "' cannot pad axis " + llvm::Twine(axis) + " of " +
                     prim::shapeText(x.shape()));
  Tensor position = iota(ctx, {lo + size + hi}, 0, i64) - dimScalar(ctx, lo, i64);
  Tensor count = dimScalar(ctx, size, i64), last = dimScalar(ctx, size - 1, i64);
  Tensor index;
  if (mode == "edge") {
    index = minimum(maximum(position, 0), last);
  } else if (mode == "wrap") {
    index = wrapped(position, maximum(count, 1));
  } else {
    // Back and forth with period 2 (size - 1).
    Tensor period = maximum(last * 2.0, 1), phase = wrapped(position, period);
    index = minimum(phase, period - phase);
  }
  x = take(x, index, axis);
  return RowStatus::Done;
}

/// x extended along `axes` by `mode`, with lo and hi not negative.
static RowStatus extended(Node &n, Tensor x, Dims lo, Dims hi, const std::string &mode) {
  if (mode == "constant") {
    Tensor value = n.opset() < 11  ? full(n.ctx(), {}, n.f("value", 0), x.dtype())
                   : n.hasInput(2) ? reshape(n.in(2), {})
                                   : full(n.ctx(), {}, 0, x.dtype());
    n.out(0, pad(x, value, lo, hi));
    return RowStatus::Done;
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return n.invalid("attribute 'mode': got '" + mode + "'");
  for (int64_t axis = 0; x && axis < int64_t(lo.size()); ++axis)
    if (!lo[axis].isZero() || !hi[axis].isZero())
      if (RowStatus status = padByCopies(n, x, axis, lo[axis], hi[axis], mode);
          status != RowStatus::Done)
        return status;
  n.out(0, x);
  return RowStatus::Done;
}

/// Pads that only the run knows. Each size is bound for itself: sums of sizes would multiply to
/// unwieldy numbers of elements.
static RowStatus padAtRunTime(Node &n, Tensor x, const std::string &mode) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor pads = n.in(1);
  Tensor list = n.hasInput(3) ? n.in(3) : iota(ctx, {SymExpr(x.rank())}, 0, i64);
  if (!pads || !list || !requireLength(n, 1, list.size() * SymExpr(2)))
    return RowStatus::Done;
  RunTimeAxes axes = runTimeAxes(n, list, x.rank());
  Tensor zeros = fullInt(ctx, {SymExpr(x.rank())}, 0, i64);
  SymExpr count = list.size();
  Tensor lo = atAxes(axes, sliceAxis(pads, 0, SymExpr(0), count), zeros);
  Tensor hi = atAxes(axes, sliceAxis(pads, 0, count, count * SymExpr(2)), zeros);
  Tensor front = maximum(-lo, 0), before = maximum(lo, 0);
  Tensor left = dimsTensor(ctx, x.shape(), i64) - front - maximum(-hi, 0);
  require(n, left >= 0, "more is cropped than there is");
  prim::Shape starts = bindAll(front), sizes = bindAll(maximum(left, 0));
  prim::Shape added = bindAll(before), totals = bindAll(left + before + maximum(hi, 0));
  if (ctx.failed())
    return RowStatus::Done;
  prim::Shape ends, after;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    ends.push_back(starts[axis] + sizes[axis]);
    after.push_back(totals[axis] - sizes[axis] - added[axis]);
  }
  x = slice(x, starts, ends, llvm::SmallVector<int64_t>(x.rank(), 1));
  return extended(n, x, added, after, mode);
}

// lo elements before and hi after each axis: a constant, or copies (reflect, edge, wrap); negative
// ones crop, first
static RowStatus padRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t rank = x.rank();
  std::string mode = n.s("mode", "constant");
  std::optional<llvm::SmallVector<SymExpr>> pads = llvm::SmallVector<SymExpr>();
  std::optional<llvm::SmallVector<int64_t>> axes = llvm::SmallVector<int64_t>();
  if (n.opset() >= 11) {
    pads = n.dimsOf(1);
    if (n.hasInput(3))
      axes = n.intsOf(3);
    if (!pads || !axes)
      return padAtRunTime(n, x, mode);
  } else {
    for (int64_t pad : n.ints(n.has("pads") ? "pads" : "paddings"))
      pads->push_back(SymExpr(pad));
  }
  if (!n.hasInput(3))
    for (int64_t axis = 0; axis < rank; ++axis)
      axes->push_back(axis);
  if (pads->size() != 2 * axes->size())
    return n.invalid(llvm::Twine(pads->size()) + " pads for " + llvm::Twine(axes->size()) +
                     " axes");
  prim::Shape lo(rank, SymExpr(0)), hi = lo, starts = lo, ends = x.shape();
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] < -rank || (*axes)[i] >= rank)
      return n.invalid("axis " + llvm::Twine((*axes)[i]) + " of rank " + llvm::Twine(rank));
    lo[x.axis((*axes)[i])] = (*pads)[i];
    hi[x.axis((*axes)[i])] = (*pads)[axes->size() + i];
  }
  bool crops = false;
  for (int64_t axis = 0; mode != "constant" && axis < rank; ++axis) {
    auto taken = [&](SymExpr &pad) {
      SymExpr wanted = pad;
      pad = SymExpr::max(pad, SymExpr(0));
      crops |= pad != wanted;
      return pad - wanted;
    };
    starts[axis] = taken(lo[axis]);
    ends[axis] = ends[axis] - taken(hi[axis]);
  }
  if (crops)
    x = slice(x, starts, ends, llvm::SmallVector<int64_t>(rank, 1));
  return extended(n, x, lo, hi, mode);
}

// The upper (or lower) triangle: elements with column - row >= k (<= k), else 0
static RowStatus trilu(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (x.rank() < 2)
    return n.invalid("expected matrices, got " + prim::shapeText(x.shape()));
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  prim::Shape plane = {x.dim(-2), x.dim(-1)};
  Tensor k = n.hasInput(1) ? reshape(n.in(1), {}) : full(ctx, {}, 0, i64);
  Tensor diagonal = iota(ctx, plane, 1, i64) - iota(ctx, plane, 0, i64);
  Tensor keep = n.i("upper", 1) != 0 ? diagonal >= k : diagonal <= k;
  n.out(0, select(keep, x, fullLike(x, 0)));
  return RowStatus::Done;
}

/// [N, C, H, W] and a block size that divides what it must; a status: the row's end.
static std::optional<RowStatus> checkBlocks(Node &n, Tensor x, int64_t block) {
  if (x.rank() != 4 || block < 1)
    return n.invalid("expected an image [N, C, H, W] and a positive blocksize, got " +
                     prim::shapeText(x.shape()) + " and " + llvm::Twine(block));
  return std::nullopt;
}

// Blocks of channels become blocks of space: [N, b, b, C/b^2, H, W] (CRD: [N, C/b^2, b, b, H, W])
// -> [N, C/b^2, H b, W b]
static RowStatus depthToSpace(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t b = n.i("blocksize", 0);
  if (auto failure = checkBlocks(n, x, b))
    return *failure;
  SymExpr block(b), batch = x.dim(0), h = x.dim(2), w = x.dim(3);
  SymExpr depth = dividedBy(n, x.dim(1), b * b);
  if (n.s("mode", "DCR") == "CRD")
    x = transpose(reshape(x, {batch, depth, block, block, h, w}), {0, 1, 4, 2, 5, 3});
  else
    x = transpose(reshape(x, {batch, block, block, depth, h, w}), {0, 3, 4, 1, 5, 2});
  n.out(0, reshape(x, {batch, depth, h * block, w * block}));
  return RowStatus::Done;
}

// The inverse: [N, C, H/b, b, W/b, b] -> [N, b, b, C, H/b, W/b] (CRD: [N, C, b, b, H/b, W/b])
static RowStatus spaceToDepth(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t b = n.i("blocksize", 0);
  if (auto failure = checkBlocks(n, x, b))
    return *failure;
  SymExpr block(b), batch = x.dim(0), channels = x.dim(1);
  SymExpr h = dividedBy(n, x.dim(2), b), w = dividedBy(n, x.dim(3), b);
  x = reshape(x, {batch, channels, h, block, w, block});
  bool crd = n.s("mode", "DCR") == "CRD";
  x = transpose(x, crd ? Axes{0, 1, 3, 5, 2, 4} : Axes{0, 3, 5, 1, 2, 4});
  n.out(0, reshape(x, {batch, channels * SymExpr(b * b), h, w}));
  return RowStatus::Done;
}

void onnx::addMovementRows(OpTable &t) {
  t.add("Transpose", 1, transposeRow, "T=any");
  t.add("Concat", 1, concatRow, "T=any");
  t.add("Split", 1, split, "T=number").until(1).limits({&openParts});
  t.add("Split", 2, split, "T=any split=index");
  t.add("Tile", 1, tile, "T=number").until(5).limits({&openTiles});
  t.add("Tile", 6, tile, "T=any T1=index");
  t.add("Pad", 1, padRow, "T=any pads=index T Tind=index");
  t.add("Trilu", 14, trilu, "T=number|bool|f8 k=i64");
  t.add("DepthToSpace", 1, depthToSpace, "T=any");
  t.add("SpaceToDepth", 1, spaceToDepth, "T=any");
}
