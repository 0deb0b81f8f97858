//===- TensorIndexing.cpp - gather, scatter, blocks at run-time places ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

static bool requireInteger(StringRef name, Tensor index) {
  if (index.isInteger())
    return true;
  index.ctx().fail(name + ": got indices of element type " + typeText(index.dtype()) +
                   ", expected integers");
  return false;
}

static SmallVector<int64_t> range(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq<int64_t>(from, to));
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

Tensor dynac::gather(Tensor x, Tensor indices, Axes axes, int64_t batch) {
  if (!x || !indices || !requireInteger("gather", indices))
    return invalidTensor({x, indices});
  prim::Misfit why;
  auto shape = prim::inferGather(x.shape(), indices.shape(), axes, batch, why);
  if (!shape)
    return failTensor(x.ctx(), "gather", why);
  return build<prim::GatherOp>(x.ctx(), prim::tensorType(*shape, x.dtype()), x.value(),
                               indices.value(), axes, static_cast<uint64_t>(batch));
}

Tensor dynac::take(Tensor x, Tensor index, int64_t axis) {
  if (!x || !index)
    return invalidTensor({x, index});
  int64_t place = x.axis(axis), count = index.rank();
  if (x.rank() == 0)
    return failTensor(x.ctx(), "take: got a tensor without axes");
  // Gather puts the index's axes first: [I…, before…, after…].
  Tensor picked = gather(x, unsqueeze(index, -1), place);
  if (!picked || place == 0)
    return picked;
  SmallVector<int64_t> order = range(count, count + place);
  llvm::append_range(order, range(0, count));
  llvm::append_range(order, range(count + place, picked.rank()));
  return transpose(picked, order);
}

/// takeAlongAxis where x and index agree on all axes but the last: a gather with batch axes.
static Tensor takeAlongLast(Tensor x, Tensor index) {
  int64_t last = x.rank() - 1;
  return gather(x, unsqueeze(index, -1), last, last);
}

Tensor dynac::takeAlongAxis(Tensor x, Tensor index, int64_t axis) {
  if (!x || !index || !requireInteger("take", index))
    return invalidTensor({x, index});
  int64_t place = x.axis(axis), rank = x.rank();
  if (index.rank() != rank || rank == 0)
    return failTensor(x.ctx(), "take: got an index of rank " + Twine(index.rank()) +
                                   " for a tensor of rank " + Twine(rank) +
                                   ", expected equal ranks of at least 1");
  bool sameElsewhere = true;
  for (int64_t i = 0; i < rank; ++i)
    sameElsewhere &= i == place || x.dim(i) == index.dim(i);
  if (sameElsewhere) {
    Tensor picked = takeAlongLast(swapAxes(x, place, -1), swapAxes(index, place, -1));
    return swapAxes(picked, place, -1);
  }
  // The index covers a part of the other axes: full coordinates.
  SmallVector<Tensor> coordinates;
  for (int64_t i = 0; i < rank; ++i)
    coordinates.push_back(i == place ? index : iota(x.ctx(), index.shape(), i, index.dtype()));
  return gather(x, stack(coordinates, -1), range(0, rank));
}

Tensor dynac::scatter(Combiner combiner, Tensor x, Tensor indices, Tensor updates, Axes axes,
                      int64_t batch) {
  if (!x || !indices || !updates || !requireInteger("scatter", indices))
    return invalidTensor({x, indices, updates});
  prim::Misfit why;
  auto shape = prim::inferGather(x.shape(), indices.shape(), axes, batch, why);
  if (!shape)
    return failTensor(x.ctx(), "scatter", why);
  if (updates.rank() == static_cast<int64_t>(shape->size()))
    for (auto [got, wanted] : llvm::zip(updates.shape(), *shape))
      if (!x.ctx().requireEqual(got, wanted, "scatter: updates"))
        return invalidTensor(x.ctx());
  if (updates.shape() != *shape || updates.dtype() != x.dtype())
    return failTensor(x.ctx(), "scatter: got updates of " + typeText(updates.dtype()) + " " +
                                   prim::shapeText(updates.shape()) + ", expected " +
                                   typeText(x.dtype()) + " " + prim::shapeText(*shape));
  return build<prim::ScatterOp>(x.ctx(), x.value(), indices.value(), updates.value(), axes,
                                static_cast<uint64_t>(batch), combiner);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static bool checkBlock(StringRef name, Tensor x, Tensor starts, Dims block) {
  if (!requireInteger(name, starts))
    return false;
  Shape expected{SymExpr(x.rank())};
  if (starts.shape() != expected || static_cast<int64_t>(block.size()) != x.rank()) {
    x.ctx().fail(name + ": got starts " + prim::shapeText(starts.shape()) + " and a block " +
                 prim::shapeText(block) + " for " + prim::shapeText(x.shape()));
    return false;
  }
  for (auto [i, dim] : llvm::enumerate(block))
    if (dim.provablyGt(x.dim(i))) {
      x.ctx().fail(name + ": block " + prim::shapeText(block) + " is larger than " +
                   prim::shapeText(x.shape()));
      return false;
    }
  return true;
}

Tensor dynac::dynamicSlice(Tensor x, Tensor starts, Dims sizes) {
  if (!x || !starts || !checkBlock("dynamic slice", x, starts, sizes))
    return invalidTensor({x, starts});
  return build<prim::DynamicSliceOp>(x.ctx(), prim::tensorType(sizes, x.dtype()), x.value(),
                                     starts.value());
}

Tensor dynac::dynamicUpdateSlice(Tensor x, Tensor update, Tensor starts) {
  if (!x || !update || !starts || !checkBlock("dynamic update", x, starts, update.shape()))
    return invalidTensor({x, update, starts});
  if (update.dtype() != x.dtype())
    return failTensor(x.ctx(), "dynamic update: element types " + typeText(x.dtype()) + " and " +
                                   typeText(update.dtype()) + " differ");
  return build<prim::DynamicUpdateSliceOp>(x.ctx(), x.value(), update.value(), starts.value());
}

//===----------------------------------------------------------------------===//
// Index values
//===----------------------------------------------------------------------===//

Tensor dynac::wrapIndex(Tensor index, const SymExpr &size) {
  if (!index || !requireInteger("index", index))
    return invalidTensor({index});
  if (index.isUnsigned())
    return index;
  DenseIntElementsAttr known;
  if (matchPattern(index.value(), m_Constant(&known)) &&
      llvm::none_of(known.getValues<APInt>(),
                    [](const APInt &value) { return value.isNegative(); }))
    return index;
  Tensor wrapped = index + dimScalar(index.ctx(), size, index.dtype());
  return select(index < 0.0, wrapped, index);
}

SymExpr dynac::bindDim(Tensor x, int64_t element, std::optional<SymExpr> upper) {
  if (!x || !requireInteger("dimension", x))
    return 0;
  SymExpr count = x.size();
  if (x.rank() > 1 || element < 0 || SymExpr(element).provablyGe(count)) {
    x.ctx().fail("dimension: element " + Twine(element) + " of " + prim::shapeText(x.shape()) +
                 " does not exist");
    return 0;
  }
  DenseIntElementsAttr known;
  if (matchPattern(x.value(), m_Constant(&known)))
    return known.getValues<APInt>()[element].getSExtValue();
  if (auto dims = x.value().getDefiningOp<prim::DimsToTensorOp>())
    return dims.getDims().exprs()[element];
  SymExpr symbol = x.ctx().freshSymbol();
  prim::DimsAttr limit;
  if (upper)
    limit = dimsAttr(x.ctx(), *upper);
  x.ctx().builder.create<prim::BindDimOp>(x.ctx().loc, x.value(), symbol.str(),
                                          static_cast<uint64_t>(element), limit);
  return symbol;
}
