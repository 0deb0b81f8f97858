//===- Gather.cpp - elements by index -------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "llvm/ADT/StringSwitch.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit openVectors{"index vectors whose length only the run knows"};

/// The axis attribute; nothing after it set `status`.
static std::optional<int64_t> axisOf(Node &n, Tensor x, int64_t defaultAxis, RowStatus &status) {
  int64_t axis = n.i("axis", defaultAxis);
  if (axis < -x.rank() || axis >= x.rank()) {
    status = n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(x.rank()));
    return std::nullopt;
  }
  return axis < 0 ? axis + x.rank() : axis;
}

/// Operand `operand` with negative indices counted from the end of an axis of `size`. Indices known
/// while importing are checked here.
static Tensor indices(Node &n, int64_t operand, const SymExpr &size) {
  Tensor index = n.in(operand);
  auto known = n.dimsOf(operand);
  if (!known || !index)
    return wrapIndex(index, size);
  bool wraps = false;
  for (const SymExpr &value : *known) {
    wraps |= !value.provablyGe(SymExpr(0));
    auto at = value.constant(), extent = size.constant();
    if (at && extent && (*at >= *extent || *at < -*extent))
      n.ctx().fail("index " + llvm::Twine(*at) + " is out of range for an axis of " +
                   llvm::Twine(*extent));
  }
  return wraps ? wrapIndex(index, size) : index;
}

// x[..., index, ...] along `axis`
static RowStatus gatherRow(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  RowStatus status;
  auto axis = axisOf(n, x, 0, status);
  if (!axis)
    return status;
  // One known index is a slice.
  auto known = n.dimsOf(1);
  bool isSingle = known && known->size() == 1;
  SymExpr size = x.dim(*axis), at = isSingle ? known->front() : SymExpr(0);
  if (at.constant() && *at.constant() < 0)
    at = at + size;
  if (isSingle && at.provablyGe(SymExpr(0)) && size.provablyGt(at)) {
    prim::Shape shape = x.shape();
    shape.erase(shape.begin() + *axis);
    shape.insert(shape.begin() + *axis, n.in(1).rank(), SymExpr(1));
    n.out(0, reshape(sliceAxis(x, *axis, at, at + 1), shape));
    return RowStatus::Done;
  }
  n.out(0, take(x, indices(n, 1, x.dim(*axis)), *axis));
  return RowStatus::Done;
}

// y[i, j, k] = x[i, index[i, j, k], k] for axis 1
static RowStatus gatherElements(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  RowStatus status;
  auto axis = axisOf(n, x, 0, status);
  if (!axis)
    return status;
  n.out(0, takeAlongAxis(x, indices(n, 1, x.dim(*axis)), *axis));
  return RowStatus::Done;
}

/// Index vectors (the last axis) for the axes of x from `first` on, negative entries counted from
/// the end.
static Tensor wrapVectors(Tensor x, Tensor index, int64_t first) {
  auto width = index.dim(-1).constant();
  if (!width)
    return {};
  prim::Shape sizes;
  for (int64_t i = 0; i < *width; ++i)
    sizes.push_back(x.dim(first + i));
  return select(index < 0, index + dimsTensor(x.ctx(), sizes, index.dtype()), index);
}

static llvm::SmallVector<int64_t> axesFrom(int64_t first, int64_t count) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t i = 0; i < count; ++i)
    axes.push_back(first + i);
  return axes;
}

/// Index vectors of a symbolic length have the length that ranks imply.
static void openWidth(Node &n, Tensor index, int64_t width) {
  if (index.rank() > 0 && !index.dim(-1).isConstant())
    n.ctx().requireEqual(index.dim(-1), SymExpr(width), "the length of index vectors");
}

/// Whether the vectors of `index` address axes of x from `first` on; the row's end if not.
static std::optional<RowStatus> checkVectors(Node &n, Tensor x, Tensor index, int64_t first) {
  if (n.ctx().failed())
    return RowStatus::Done;
  if (index.rank() < 1 || first < 0)
    return n.invalid("indices " + prim::shapeText(index.shape()));
  auto width = index.dim(-1).constant();
  if (!width)
    return n.unsupported(openVectors);
  if (first + *width > x.rank())
    return n.invalid("index vectors of length " + llvm::Twine(*width) + " for a tensor " +
                     prim::shapeText(x.shape()));
  return std::nullopt;
}

// y[b, i...] = x[b, index[b, i..., 0], index[b, i..., 1], ...], b being `batch_dims` axes
static RowStatus gatherNd(Node &n) {
  Tensor x = n.in(0), index = n.in(1);
  if (!x || !index)
    return RowStatus::Done;
  int64_t batch = n.i("batch_dims", 0);
  // The declared rank is that of the index without its last axis, and of what an index picks.
  if (auto rank = n.declaredRank(0))
    openWidth(n, index, index.rank() - 1 + x.rank() - batch - *rank);
  if (auto failure = checkVectors(n, x, index, batch))
    return *failure;
  auto axes = axesFrom(batch, *index.dim(-1).constant());
  n.out(0, gather(x, wrapVectors(x, index, batch), axes, batch));
  return RowStatus::Done;
}

/// How a scatter combines an update with what is there; nothing if the attribute is wrong.
static std::optional<Combiner> reductionOf(Node &n) {
  return llvm::StringSwitch<std::optional<Combiner>>(n.s("reduction", "none"))
      .Case("none", Combiner::none)
      .Case("add", Combiner::add)
      .Case("mul", Combiner::mul)
      .Case("max", Combiner::max)
      .Case("min", Combiner::min)
      .Default(std::nullopt);
}

// x with updates[i...] combined into x[index[i..., 0], index[i..., 1], ...]
static RowStatus scatterNd(Node &n) {
  Tensor x = n.in(0), index = n.in(1), updates = n.in(2);
  if (!x || !index || !updates)
    return RowStatus::Done;
  openWidth(n, index, index.rank() - 1 + x.rank() - updates.rank());
  if (auto failure = checkVectors(n, x, index, 0))
    return *failure;
  auto combiner = reductionOf(n);
  if (!combiner)
    return n.invalid("attribute 'reduction': got '" + n.s("reduction", "") + "'");
  auto axes = axesFrom(0, *index.dim(-1).constant());
  n.out(0, scatter(*combiner, x, wrapVectors(x, index, 0), updates, axes));
  return RowStatus::Done;
}

// x with updates[i, j, k] combined into x[i, index[i, j, k], k] for axis 1
static RowStatus scatterElements(Node &n) {
  Tensor x = n.in(0), updates = n.in(2);
  if (!x || !updates)
    return RowStatus::Done;
  RowStatus status;
  auto axis = axisOf(n, x, 0, status);
  if (!axis)
    return status;
  auto combiner = reductionOf(n);
  if (!combiner)
    return n.invalid("attribute 'reduction': got '" + n.s("reduction", "") + "'");
  Tensor index = indices(n, 1, x.dim(*axis));
  if (!index)
    return RowStatus::Done;
  if (x.rank() != index.rank())
    return n.invalid("data " + prim::shapeText(x.shape()) + " and indices " +
                     prim::shapeText(index.shape()) + " differ in rank");
  Tensors coordinates;
  for (int64_t i = 0; i < x.rank(); ++i)
    coordinates.push_back(i == *axis ? index : iota(n.ctx(), index.shape(), i, index.dtype()));
  n.out(0, scatter(*combiner, x, stack(coordinates, -1), updates, axesFrom(0, x.rank())));
  return RowStatus::Done;
}

// values[1] where the index equals the position along the new axis, else values[0]; indices out of
// range: nowhere
static RowStatus oneHot(Node &n) {
  Tensor index = n.in(0), values = n.in(2);
  if (!index || !values)
    return RowStatus::Done;
  std::optional<SymExpr> depth;
  if (auto given = n.bindDims(1); given && given->size() == 1)
    depth = given->front();
  else if (auto number = n.floatsOf(1); number && number->size() == 1)
    depth = sizeOf(number->front());
  else if (Tensor given = n.in(1); given && given.size().isOne())
    depth = bindDim(reshape(convert(given, n.ctx().builder.getI64Type()), {}), 0);
  if (!depth)
    return n.invalid("the depth must have one element");
  int64_t rank = index.rank() + 1, axis = n.i("axis", -1);
  if (axis < -rank || axis >= rank)
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(rank));
  axis += axis < 0 ? rank : 0;
  index = wrapIndex(convert(index, n.ctx().builder.getI64Type()), *depth);
  index = unsqueeze(index, axis);
  if (!index)
    return RowStatus::Done;
  prim::Shape shape = index.shape();
  shape[axis] = *depth;
  Tensor hot = equal(broadcastTo(index, shape), iota(n.ctx(), shape, axis, index.dtype()));
  Tensor off = reshape(sliceAxis(values, 0, 0, 1), {}),
         on = reshape(sliceAxis(values, 0, 1, 2), {});
  n.out(0, select(hot, on, off));
  return RowStatus::Done;
}

/// Whether x is a literal of one value that is not 0, of any size: exporters write arange and
/// as_strided as NonZero of ones.
static bool isFilled(Tensor x) {
  mlir::Value value = x.value();
  if (auto spread = value.getDefiningOp<prim::BroadcastOp>())
    value = spread.getX();
  auto op = value.getDefiningOp<prim::ConstantOp>();
  auto literal =
      op ? llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue()) : mlir::DenseElementsAttr();
  if (!literal || !literal.isSplat())
    return false;
  if (x.isFloat())
    return !literal.getSplatValue<llvm::APFloat>().isZero();
  return !literal.getSplatValue<llvm::APInt>().isZero();
}

// Coordinates of the elements that are not 0: [rank, count]
static RowStatus nonZero(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (x.rank() > 0 && isFilled(x)) {
    Tensors rows;
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      rows.push_back(
          reshape(iota(n.ctx(), x.shape(), axis, n.ctx().builder.getI64Type()), {x.size()}));
    n.out(0, stack(rows, 0));
    return RowStatus::Done;
  }
  Tensor isSet = x.isBool() ? x : notEqual(x, fullLike(x, 0));
  // A scalar counts as a vector of one element, whose coordinates have no axis.
  auto [coordinates, count] = nonzero(x.rank() == 0 ? reshape(isSet, {SymExpr(1)}) : isSet);
  if (!coordinates)
    return RowStatus::Done;
  SymExpr found = bindDim(count, 0, x.size());
  Tensor result = sliceAxis(coordinates, 1, 0, found);
  n.out(0, x.rank() == 0 ? sliceAxis(result, 0, 0, 0) : result);
  return RowStatus::Done;
}

// The slices of x along `axis` (none: of x as a vector) at the true elements of the condition
static RowStatus compress(Node &n) {
  Tensor x = n.in(0), condition = n.in(1);
  if (!x || !condition)
    return RowStatus::Done;
  int64_t axis = n.i("axis", 0);
  if (!n.has("axis"))
    x = reshape(x, {x.size()});
  if (axis < -x.rank() || axis >= x.rank())
    return n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(x.rank()));
  auto [places, count] = nonzero(condition);
  if (!places)
    return RowStatus::Done;
  SymExpr found = bindDim(count, 0, condition.size());
  Tensor index = reshape(sliceAxis(places, 1, 0, found), {found});
  n.out(0, take(x, index, x.axis(axis)));
  return RowStatus::Done;
}

void onnx::addGatherRows(OpTable &t) {
  t.add("Gather", 1, gatherRow, "T=any Tind=index");
  t.add("GatherElements", 11, gatherElements, "T=any Tind=index");
  t.add("GatherND", 11, gatherNd, "T=any indices=index").limits({&openVectors});
  t.add("Scatter", 9, scatterElements, "T=any Tind=index T");
  t.add("ScatterElements", 11, scatterElements, "T=any Tind=index T");
  t.add("ScatterND", 11, scatterNd, "T=any indices=index T");
  t.add("OneHot", 9, oneHot, "T1=number T2=number T3=number|bool|f8");
  t.add("NonZero", 9, nonZero, "T=number|bool");
  t.add("Compress", 9, compress, "T=any T1=bool");
}
