//===- Scatter.cpp - scatter, nonzero -------------------------------------===//
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

/// y = x, unless y is x's memory; then, in row-major order of updates, y[batch, coordinates, slab]
/// (+)= update. A unit is one batch entry.
void Emitter::emitScatter(prim::ScatterOp op, Value begin, Value end) {
  prim::Shape x = prim::shapeOf(op.getX()), updates = prim::shapeOf(op.getUpdates());
  const size_t batch = op.getBatch(), positions = prim::shapeOf(op.getIndices()).size() - 1;
  Type type = elementType(op.getX());
  SmallVector<SymExpr> batchDims(x.begin(), x.begin() + batch), rest(x.begin() + batch, x.end());
  SmallVector<SymExpr> positionDims(updates.begin() + batch, updates.begin() + positions);
  SmallVector<SymExpr> slabDims(updates.begin() + positions, updates.end());
  SymExpr restCount = prim::elementCount(rest), positionCount = prim::elementCount(positionDims),
          slabCount = prim::elementCount(slabDims);
  const unsigned result = resultsOf(op.getY())[0];
  Value y = flat[region.getNumOperands() + result];

  auto update = [&](IndicesRef from, IndicesRef to) {
    Value scalar = emit(op.getUpdates(), from);
    if (op.getCombiner() != prim::Combiner::none) {
      Type wide = accumulatorType(type), widePrim = wide == scalarType(type) ? type : wide;
      Value old = load(y, type, space.linearize(to, x));
      old = emitConvert(b, loc, old, type, widePrim);
      scalar = emitConvert(b, loc, scalar, type, widePrim);
      scalar = combine(b, loc, op.getCombiner(), type, old, scalar, /*reassociate=*/false);
      scalar = emitConvert(b, loc, scalar, widePrim, type);
    }
    storeAll(op.getY(), to, scalar);
  };

  loop(begin, end, constantIndex(1), [&](Value unit) {
    Indices batchIndices = space.split(variable(unit, prim::elementCount(batchDims)), batchDims);
    if (!op.getInPlace())
      loop(restCount, [&](Value i) {
        Indices place = batchIndices;
        place.append(space.split(variable(i, restCount), rest));
        storeAll(op.getY(), place, emit(op.getX(), place));
      });
    loop(positionCount, [&](Value i) {
      GatherAccess access;
      access.batch = batchIndices;
      access.position = batchIndices;
      access.position.append(space.split(variable(i, positionCount), positionDims));
      Indices coordinates;
      Value allGood;
      for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
        Indices position = access.position;
        position.push_back(Index(SymExpr(number)));
        Value value = toIndex(emit(op.getIndices(), position), elementType(op.getIndices()));
        Value isGood = cmp(arith::CmpIPredicate::ult, value, dim(x[axis]));
        allGood = allGood ? Value(b.create<arith::AndIOp>(loc, allGood, isGood)) : isGood;
        coordinates.push_back(variable(value, x[axis]));
      }
      auto updateSlab = [&] {
        loop(slabCount, [&](Value j) {
          GatherAccess here = access;
          here.slab = space.split(variable(j, slabCount), slabDims);
          Indices from = access.position;
          from.append(here.slab);
          update(from, here.inX(op.getAxes(), coordinates, x.size()));
        });
      };
      if (!allGood)
        return updateSlab();
      Value isBad = b.create<arith::XOrIOp>(loc, allGood, constant(b.getI1Type(), 1));
      frame.fail(b, isBad, "an index is out of range");
      branch(allGood, updateSlab);
    });
  });
}

void Emitter::emitNonzero(prim::NonzeroOp op, Value begin, Value end) {
  prim::Shape x = prim::shapeOf(op.getX());
  SymExpr elements = prim::elementCount(x);
  auto storeNumber = [&](Value result, IndicesRef place, Value number) {
    number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), number);
    storeAll(result, place, emitConvert(b, loc, number, b.getI64Type(), elementType(result)));
  };
  loop(begin, end, constantIndex(1), [&](Value) {
    Values count = loop(elements, constantIndex(0), [&](Value i, ValueRange carried) {
      Indices place = space.split(variable(i, elements), x);
      Type type = elementType(op.getX());
      Value isTrue = emitConvert(b, loc, emit(op.getX(), place), type, b.getI1Type());
      branch(isTrue, [&] {
        for (auto [axis, index] : llvm::enumerate(place)) {
          Indices target = {Index(SymExpr(axis)), variable(carried[0], elements)};
          storeNumber(op.getIndices(), target, this->index(index));
        }
      });
      return Values{select(isTrue, add(carried[0], constantIndex(1)), carried[0])};
    });
    storeNumber(op.getCount(), Indices(prim::shapeOf(op.getCount()).size()), count[0]);
  });
}
