//===- Movement.cpp - order, joining, splitting, padding ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

using namespace dynac;
using namespace dynac::onnx;

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
    auto given = n.bindDims(1);
    if (!given)
      return n.unsupported("an unknown number of parts");
    sizes.assign(given->begin(), given->end());
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
  auto given = n.bindDims(1);
  if (!given)
    return n.unsupported("repeats of unknown length");
  if (n.opset() < 6) {
    auto axis = n.intsOf(2);
    if (!axis || axis->size() != 1 || given->size() != 1 || axis->front() < 0 ||
        axis->front() >= x.rank())
      return n.unsupported("tiles or axis that are no constants");
    repeats[axis->front()] = given->front();
  } else if (int64_t(given->size()) != x.rank()) {
    return n.invalid(llvm::Twine(given->size()) + " repeats for rank " + llvm::Twine(x.rank()));
  } else {
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

/// Elements to add to (negative: to take from) the ends of each axis.
struct Pads {
  prim::Shape lo, hi;
};

/// The pads of an operand, along axes that may be known only to the run; a status: the row's end.
static std::optional<RowStatus> operandPads(Node &n, Tensor x, Pads &pads) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type();
  int64_t rank = x.rank();
  Tensor given = n.in(1), list = n.hasInput(3) ? n.in(3) : Tensor();
  auto axes = list ? n.intsOf(3) : std::optional(llvm::SmallVector<int64_t>());
  if (!given || ctx.failed())
    return RowStatus::Done;
  for (int64_t axis = 0; !list && axis < rank; ++axis)
    axes->push_back(axis);
  SymExpr count = axes ? SymExpr(int64_t(axes->size())) : list.dim(0);
  if (!requireLength(n, 1, count * SymExpr(2)))
    return given.dim(0).isConstant() && count.isConstant()
               ? n.invalid("pads " + prim::shapeText(given.shape()) + " for " + count.str() +
                           " axes")
               : RowStatus::Done;
  pads.lo.assign(rank, SymExpr(0));
  pads.hi = pads.lo;
  auto known = n.dimsOf(1);
  for (size_t i = 0; axes && i < axes->size(); ++i) {
    if ((*axes)[i] < -rank || (*axes)[i] >= rank)
      return n.invalid("axis " + llvm::Twine((*axes)[i]) + " of rank " + llvm::Twine(rank));
    int64_t axis = x.axis((*axes)[i]), after = axes->size() + i;
    pads.lo[axis] = known ? (*known)[i] : bindSigned(given, i);
    pads.hi[axis] = known ? (*known)[after] : bindSigned(given, after);
  }
  Tensor zeros = fullInt(ctx, {SymExpr(rank)}, 0, i64);
  if (!axes) {
    RunTimeAxes listed = runTimeAxes(n, list, rank);
    Tensor lo = atAxes(listed, sliceAxis(given, 0, SymExpr(0), count), zeros);
    Tensor hi = atAxes(listed, sliceAxis(given, 0, count, count * SymExpr(2)), zeros);
    for (int64_t axis = 0; lo && hi && axis < rank; ++axis) {
      pads.lo[axis] = bindSigned(lo, axis);
      pads.hi[axis] = bindSigned(hi, axis);
    }
  }
  if (!axes || !known)
    for (int64_t axis = 0; axis < rank; ++axis)
      require(n, dimScalar(ctx, pads.lo[axis] + x.dim(axis) + pads.hi[axis], i64) >= 0,
              "more is cropped from axis " + llvm::Twine(axis) + " than it has");
  return ctx.failed() ? std::optional(RowStatus::Done) : std::nullopt;
}

/// Takes from x what negative pads crop, and leaves those that add.
static Tensor cropped(Tensor x, Pads &pads) {
  prim::Shape starts, ends;
  bool crops = false;
  auto split = [&](SymExpr &pad) {
    SymExpr added = SymExpr::max(pad, SymExpr(0)), taken = added - pad;
    pad = added;
    crops |= !taken.isZero();
    return taken;
  };
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    starts.push_back(split(pads.lo[axis]));
    ends.push_back(x.dim(axis) - split(pads.hi[axis]));
  }
  return crops ? slice(x, starts, ends, llvm::SmallVector<int64_t>(x.rank(), 1)) : x;
}

// lo elements before and hi after each axis: a constant, or copies (reflect, edge, wrap); negative
// ones crop, first
static RowStatus padRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t rank = x.rank();
  Pads pads;
  if (n.opset() >= 11) {
    if (auto end = operandPads(n, x, pads))
      return *end;
  } else {
    auto given = n.ints(n.has("pads") ? "pads" : "paddings");
    if (int64_t(given.size()) != 2 * rank)
      return n.invalid(llvm::Twine(given.size()) + " pads for " + llvm::Twine(rank) + " axes");
    pads.lo.assign(given.begin(), given.begin() + rank);
    pads.hi.assign(given.begin() + rank, given.end());
  }
  std::string mode = n.s("mode", "constant");
  if (mode == "constant") {
    Tensor value = n.opset() < 11  ? full(n.ctx(), {}, n.f("value", 0), x.dtype())
                   : n.hasInput(2) ? reshape(n.in(2), {})
                                   : full(n.ctx(), {}, 0, x.dtype());
    n.out(0, pad(x, value, pads.lo, pads.hi));
    return RowStatus::Done;
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return n.invalid("attribute 'mode': got '" + mode + "'");
  x = cropped(x, pads);
  for (int64_t axis = 0; x && axis < rank; ++axis)
    if (!pads.lo[axis].isZero() || !pads.hi[axis].isZero())
      if (RowStatus status = padByCopies(n, x, axis, pads.lo[axis], pads.hi[axis], mode);
          status != RowStatus::Done)
        return status;
  n.out(0, x);
  return RowStatus::Done;
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
  t.add("Transpose", 1, transposeRow);
  t.add("Concat", 1, concatRow);
  t.add("Split", 1, split);
  t.add("Tile", 1, tile);
  t.add("Pad", 1, padRow);
  t.add("Trilu", 14, trilu);
  t.add("DepthToSpace", 1, depthToSpace);
  t.add("SpaceToDepth", 1, spaceToDepth);
}
