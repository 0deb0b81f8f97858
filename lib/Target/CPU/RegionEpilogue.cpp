//===- RegionEpilogue.cpp - elementwise chains on register tiles ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionEpilogue.h"

#include "dynac/Conversion/PrimToLoops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

namespace {

Value yielded(RegionOp region) {
  return cast<YieldOp>(region.getBody().front().getTerminator()).getValues()[0];
}

int64_t encode(const SymExpr &expr, KernelDims &dims) {
  if (auto value = expr.constant())
    return *value;
  return -2 - static_cast<int64_t>(dims.of(expr));
}

Value decode(int64_t code, KernelFunction &kernel) {
  return code >= 0 ? kernel.constant(code) : kernel.dim(-2 - code);
}

} // namespace

RegionEpilogue::RegionEpilogue(RegionOp region, Operation *claimed, KernelDims &dims)
    : region(region), claimed(claimed), dims(dims) {
  for (const SymExpr &dim : shapeOf(yielded(region)))
    resultExtents.push_back(encode(dim, dims));
  findLeaves(yielded(region));
}

bool RegionEpilogue::empty() const { return yielded(region).getDefiningOp() == claimed; }

Type RegionEpilogue::outputType() const {
  return memoryType(cast<RankedTensorType>(region.getYs()[0].getType()).getElementType());
}

bool RegionEpilogue::readsResidual() const {
  return llvm::any_of(leaves, [](auto &entry) { return entry.second.isWhole; });
}

bool RegionEpilogue::mayCountPixels(unsigned outer, unsigned inner) const {
  return llvm::all_of(leaves, [&](auto &entry) {
    const Leaf &leaf = entry.second;
    return leaf.isWhole || (leaf.strides[outer] == 0 && leaf.strides[inner] == 0);
  });
}

SmallVector<BufferArg> RegionEpilogue::buffers() const {
  SmallVector<BufferArg> args;
  for (unsigned operand : operands) {
    auto type = cast<RankedTensorType>(region.getXs()[operand].getType());
    args.push_back({memoryType(type.getElementType()), {Extent(1)}});
  }
  return args;
}

/// `value` as an operand of the region seen through broadcasts and unit reshapes.
std::optional<RegionEpilogue::Leaf> RegionEpilogue::leafOf(Value value) {
  SmallVector<int64_t> axes(resultExtents.size()); // of the result, for each axis of `value`
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] = i;
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    SmallVector<int64_t> inner;
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      Shape from = shapeOf(broadcast.getX());
      for (auto [i, axis] : llvm::enumerate(broadcast.getAxes()))
        inner.push_back(from[i].isOne() ? -1 : axes[axis]);
      value = broadcast.getX();
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      Shape from = shapeOf(reshape.getX()), to = shapeOf(reshape.getY());
      size_t next = 0;
      for (const SymExpr &dim : from) {
        if (dim.isOne()) {
          inner.push_back(-1);
          continue;
        }
        while (next < to.size() && to[next].isOne())
          ++next;
        if (next == to.size() || to[next] != dim)
          return std::nullopt;
        inner.push_back(axes[next++]);
      }
      value = reshape.getX();
    } else {
      return std::nullopt;
    }
    axes = inner;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  Leaf leaf;
  leaf.strides.assign(resultExtents.size(), 0);
  Shape shape = shapeOf(value);
  SymExpr stride(1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    if (axes[i] >= 0 && !shape[i].isOne())
      leaf.strides[axes[i]] = encode(stride, dims);
    stride = stride * shape[i];
  }
  leaf.isWhole = shape == shapeOf(yielded(region));
  unsigned number = argument.getArgNumber();
  auto *known = llvm::find(operands, number);
  leaf.operand = known - operands.begin();
  if (known == operands.end())
    operands.push_back(number);
  return leaf;
}

void RegionEpilogue::findLeaves(Value value) {
  Operation *op = value.getDefiningOp();
  if (op == claimed || leaves.count(value))
    return;
  if (op && isElementwise(op)) {
    for (Value operand : op->getOperands())
      findLeaves(operand);
    return;
  }
  if (std::optional<Leaf> leaf = leafOf(value))
    leaves[value] = *leaf;
}

Epilogue RegionEpilogue::emitter(unsigned firstBuffer, bool rowsAndColumns) const {
  if (empty())
    return nullptr;
  return [this, firstBuffer, rowsAndColumns](OpBuilder &b, Location loc, Value acc,
                                             const EpilogueCoords &coords) -> Value {
    KernelFunction &kernel = coords.kernel;
    IndexMath math{b, loc};
    int64_t lanes = coords.type.getNumElements();

    // One index per axis of the result, made when a leaf needs it: rows are divided into axes.
    SmallVector<Value> index;
    auto indexOf = [&](size_t axis) {
      if (!rowsAndColumns)
        return coords.index[axis];
      if (index.empty()) {
        index.resize(resultExtents.size());
        index.back() = coords.index.back();
        Value row = coords.index.front();
        for (int64_t i = static_cast<int64_t>(index.size()) - 2; i >= 0; --i) {
          Value extent = decode(resultExtents[i], kernel);
          index[i] = i == 0 ? row : math.rem(row, extent);
          if (i > 0)
            row = math.div(row, extent);
        }
      }
      return index[axis];
    };

    auto loadLeaf = [&](const Leaf &leaf) -> Value {
      Value offset;
      if (leaf.isWhole && rowsAndColumns) {
        offset = math.add(math.mul(coords.index.front(), decode(resultExtents.back(), kernel)),
                          coords.index.back());
        if (coords.index.size() == 1)
          offset = coords.index.front();
      } else {
        offset = kernel.constant(0);
        for (auto [axis, stride] : llvm::enumerate(leaf.strides))
          if (stride != 0)
            offset =
                math.add(offset, stride == 1 ? indexOf(axis)
                                             : math.mul(indexOf(axis), decode(stride, kernel)));
      }
      auto type = cast<RankedTensorType>(region.getXs()[operands[leaf.operand]].getType());
      Type element = memoryType(type.getElementType());
      Value flat = flatView(b, loc, kernel.pointer(firstBuffer + leaf.operand), element);
      Value loaded;
      if (leaf.strides.back() == 1) {
        loaded = coords.load(b, flat, ValueRange{offset});
      } else {
        Value scalar = b.create<memref::LoadOp>(loc, flat, ValueRange{offset});
        loaded = b.create<vector::BroadcastOp>(loc, VectorType::get({lanes}, element), scalar);
      }
      if (isBool(type.getElementType())) {
        Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(loaded.getType()));
        loaded = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, loaded, zero);
      } else if (Type scalar = scalarType(type.getElementType()); scalar != element) {
        loaded = b.create<arith::TruncIOp>(loc, VectorType::get({lanes}, scalar), loaded);
      }
      return loaded;
    };

    DenseMap<Value, Value> known;
    std::function<Value(Value)> evaluate = [&](Value value) -> Value {
      if (Value done = known.lookup(value))
        return done;
      Operation *op = value.getDefiningOp();
      Value result;
      if (op == claimed) {
        result = acc;
      } else if (auto leaf = leaves.find(value); leaf != leaves.end()) {
        result = loadLeaf(leaf->second);
      } else if (isElementwise(op)) {
        SmallVector<Value> arguments;
        for (Value operand : op->getOperands())
          arguments.push_back(evaluate(operand));
        result = emitElementwise(b, loc, op, arguments);
      } else { // a splat, possibly broadcast
        while (auto view = value.getDefiningOp<BroadcastOp>())
          value = view.getX();
        auto elements = cast<DenseElementsAttr>(value.getDefiningOp<ConstantOp>().getValue());
        Type scalar = scalarType(elements.getElementType());
        auto type = VectorType::get({lanes}, scalar);
        Attribute splat = elements.getSplatValue<Attribute>();
        if (auto integer = dyn_cast<IntegerAttr>(splat))
          splat = IntegerAttr::get(scalar, integer.getValue());
        else if (auto number = cast<FloatAttr>(splat); isa<IntegerType>(scalar)) // held as bits
          splat = IntegerAttr::get(scalar, number.getValue().bitcastToAPInt());
        result = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, splat));
      }
      return known[op ? op->getResult(0) : value] = result;
    };
    Value stored = evaluate(yielded(region));
    if (cast<VectorType>(stored.getType()).getElementTypeBitWidth() < 8)
      stored = b.create<arith::ExtUIOp>(loc, VectorType::get({lanes}, b.getI8Type()), stored);
    return stored;
  };
}
