//===- Movement.cpp - ops that choose elements ----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

//===----------------------------------------------------------------------===//
// Constants, iota, dimensions
//===----------------------------------------------------------------------===//

/// One element as an attribute of `type` (of memoryType or scalarType).
static Attribute elementAttr(Type type, const APInt &bits) {
  return IntegerAttr::get(type, bits.zextOrTrunc(type.getIntOrFloatBitWidth()));
}
static Attribute elementAttr(Type type, const APFloat &value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  return elementAttr(type, value.bitcastToAPInt());
}

Value Emitter::emitConstant(prim::ConstantOp op, IndicesRef indices) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  Type type = elementType(op);
  auto attrOf = [&](Type target, auto value) {
    return cast<TypedAttr>(elementAttr(target, value));
  };
  if (elements.isSplat()) {
    TypedAttr attr = isa<FloatType>(type)
                         ? attrOf(scalarType(type), elements.getSplatValue<APFloat>())
                         : attrOf(scalarType(type), elements.getSplatValue<APInt>());
    return b.create<arith::ConstantOp>(loc, attr);
  }
  Value &table = tables[op];
  if (!table) {
    SmallVector<Attribute> values;
    Type memory = memoryType(type);
    if (isa<FloatType>(type))
      for (APFloat value : elements.getValues<APFloat>())
        values.push_back(elementAttr(memory, value));
    else
      for (APInt value : elements.getValues<APInt>())
        values.push_back(elementAttr(memory, value));
    const int64_t count = values.size();
    auto tableType = MemRefType::get({count}, memory);
    std::string name = frame.name + ".table" + std::to_string(tables.size());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(frame.module.getBody());
    b.create<memref::GlobalOp>(
        loc, name, b.getStringAttr("private"), tableType,
        DenseElementsAttr::get(RankedTensorType::get({count}, memory), values),
        /*constant=*/true, /*alignment=*/b.getI64IntegerAttr(64));
    b.setInsertionPoint(prologueEnd);
    table = b.create<memref::GetGlobalOp>(loc, tableType, name);
  }
  return load(table, type, space.linearize(indices, prim::shapeOf(op.getResult())));
}

Value Emitter::emitIota(prim::IotaOp op, IndicesRef indices) {
  Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index(indices[op.getAxis()]));
  return emitConvert(b, loc, number, b.getI64Type(), elementType(op));
}

Value Emitter::emitDims(prim::DimsToTensorOp op, IndicesRef indices) {
  Value number;
  for (auto [position, expr] : llvm::enumerate(op.getDims().exprs())) {
    Value value = dim(expr);
    if (!number)
      number = value;
    else
      number = select(cmp(arith::CmpIPredicate::eq, index(indices[0]), constantIndex(position)),
                      value, number);
  }
  if (!number) // No dimension: the loop over the result does not run.
    number = constantIndex(0);
  number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), number);
  return emitConvert(b, loc, number, b.getI64Type(), elementType(op));
}

//===----------------------------------------------------------------------===//
// Pad, concat
//===----------------------------------------------------------------------===//

Value Emitter::emitPad(prim::PadOp op, IndicesRef indices) {
  Access access = padAccess(space, op, indices);
  SmallVector<Guard> guards;
  for (const Guard &guard : access.guards) {
    std::optional<size_t> segment =
        guard.divisor == 1 ? chosenSegment(op, guard.axis) : std::nullopt;
    if (!segment)
      guards.push_back(guard);
    else if (*segment != 1)
      return emit(op.getValue(), {});
  }
  if (guards.empty())
    return emit(access.operand, access.indices);
  return branch(
      condition(guards), scalarType(elementType(op)),
      [&] { return Values{emit(access.operand, access.indices)}; },
      [&] { return Values{emit(op.getValue(), {})}; })[0];
}

Value Emitter::emitConcat(prim::ConcatOp op, IndicesRef indices) {
  const int64_t axis = op.getAxis();
  if (std::optional<size_t> segment = chosenSegment(op, axis)) {
    Indices inner(indices);
    for (Value before : op.getXs().take_front(*segment))
      inner[axis] = inner[axis] - prim::shapeOf(before)[axis];
    return emit(op.getXs()[*segment], inner);
  }
  SmallVector<Value> operands;
  for (Value x : op.getXs())
    if (!prim::shapeOf(x)[axis].isZero())
      operands.push_back(x);
  if (operands.empty())
    return constant(scalarType(elementType(op)), 0);
  // From operand `number` on, which starts at `start`.
  std::function<Value(size_t, SymExpr)> from = [&](size_t number, SymExpr start) -> Value {
    Indices inner(indices);
    inner[axis] = indices[axis] - start;
    Value x = operands[number];
    if (number + 1 == operands.size())
      return emit(x, inner);
    SymExpr end = start + prim::shapeOf(x)[axis];
    Value isHere = cmp(arith::CmpIPredicate::ult, index(indices[axis]), dim(end));
    return branch(
        isHere, scalarType(elementType(op)), [&] { return Values{emit(x, inner)}; },
        [&] { return Values{from(number + 1, end)}; })[0];
  };
  return from(0, 0);
}

//===----------------------------------------------------------------------===//
// Loaded indices
//===----------------------------------------------------------------------===//

Index Emitter::coordinate(Value indices, IndicesRef position, const SymExpr &extent) {
  for (const Coordinate &held : known.coordinates[indices])
    if (held.level <= level() && held.extent == extent && IndicesRef(held.position) == position)
      return held.index;
  Coordinate result{Indices(position), extent, 0, Index()};
  atLevel(hoistLevel(position), [&] {
    Value value = toIndex(emit(indices, position), elementType(indices));
    Value isBad = cmp(arith::CmpIPredicate::uge, value, dim(extent));
    frame.fail(b, isBad, "an index is out of range");
    result.level = level();
    result.index = variable(select(isBad, constantIndex(0), value), extent);
  });
  known.coordinates[indices].push_back(result);
  return result.index;
}

Value Emitter::emitGather(prim::GatherOp op, IndicesRef indices) {
  prim::Shape x = prim::shapeOf(op.getX());
  GatherAccess access = gatherAccess(indices, prim::shapeOf(op.getIndices()).size(), op.getBatch());
  Indices coordinates;
  SmallVector<Guard> nonEmpty;
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    Indices position = access.position;
    position.push_back(Index(SymExpr(number)));
    coordinates.push_back(coordinate(op.getIndices(), position, x[axis]));
    if (!x[axis].provablyGe(1))
      nonEmpty.push_back({Index(), x[axis]});
  }
  Indices inX = access.inX(op.getAxes(), coordinates, x.size());
  if (nonEmpty.empty())
    return emit(op.getX(), inX);
  // Nothing can be read from an empty axis; the kernel has failed already.
  Type type = scalarType(elementType(op));
  return branch(
      condition(nonEmpty), type, [&] { return Values{emit(op.getX(), inX)}; },
      [&] { return Values{constant(type, 0)}; })[0];
}

/// Where a block starts, clamped so that it fits.
Indices Emitter::blockStarts(Value starts, Dims outer, Dims block) {
  Indices result;
  for (size_t axis = 0; axis < outer.size(); ++axis) {
    SymExpr room = outer[axis] - block[axis];
    if (room.isZero()) {
      result.push_back(Index());
      continue;
    }
    Value start;
    unsigned at = 0;
    atLevel(hoistLevel({}), [&] {
      at = level();
      Value value = toIndex(emit(starts, Index(SymExpr(axis))), elementType(starts));
      value = b.create<arith::MinSIOp>(loc, value, dim(room));
      start = b.create<arith::MaxSIOp>(loc, value, constantIndex(0));
    });
    result.push_back(space.make(room + SymExpr(1), start, at));
  }
  return result;
}

Value Emitter::emitDynamicSlice(prim::DynamicSliceOp op, IndicesRef indices) {
  prim::Shape x = prim::shapeOf(op.getX()), y = prim::shapeOf(op.getY());
  Indices starts = blockStarts(op.getStarts(), x, y);
  for (auto [start, index] : llvm::zip(starts, indices))
    start = start + index;
  return emit(op.getX(), starts);
}

Value Emitter::emitDynamicUpdateSlice(prim::DynamicUpdateSliceOp op, IndicesRef indices) {
  prim::Shape x = prim::shapeOf(op.getX()), update = prim::shapeOf(op.getUpdate());
  Indices inner = blockStarts(op.getStarts(), x, update);
  SmallVector<Guard> guards;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    inner[axis] = indices[axis] + inner[axis] * SymExpr(-1);
    if (x[axis] != update[axis])
      guards.push_back({inner[axis], update[axis]});
  }
  if (guards.empty())
    return emit(op.getUpdate(), inner);
  return branch(
      condition(guards), scalarType(elementType(op)),
      [&] { return Values{emit(op.getUpdate(), inner)}; },
      [&] { return Values{emit(op.getX(), indices)}; })[0];
}
