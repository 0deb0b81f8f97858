//===- Sort.cpp - sort, top_k, cumulative ---------------------------------===//
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

namespace {

/// An array of positions in the workspace: a sort permutes these and leaves its operands alone.
struct Positions {
  Emitter &e;
  Value memory, offset;

  Value at(Value place) {
    Value number = e.b.create<memref::LoadOp>(e.loc, memory, e.add(offset, place));
    return e.b.create<arith::IndexCastOp>(e.loc, e.b.getIndexType(), number);
  }
  void set(Value place, Value position) {
    Value number = e.b.create<arith::IndexCastOp>(e.loc, e.b.getI64Type(), position);
    e.b.create<memref::StoreOp>(e.loc, number, memory, e.add(offset, place));
  }
};

/// One line of a tensor and its order.
struct Line {
  Emitter &e;
  Value keys; ///< the prim value
  Indices indices;
  int64_t axis;
  SymExpr length;
  bool greatestFirst;

  Value element(Value x, Value position) {
    Indices place = indices;
    place[axis] = e.variable(position, length);
    return e.emit(x, place);
  }

  /// Whether the element at `a` has to stand before that at `other`, whatever their positions.
  Value before(Value a, Value other) {
    Value x = element(keys, a), y = element(keys, other);
    if (greatestFirst)
      std::swap(x, y);
    // x < y, NaN being the greatest.
    Type type = Emitter::elementType(keys);
    if (auto floatType = dyn_cast<FloatType>(type)) {
      if (floatType.getWidth() < 32) {
        x = emitConvert(e.b, e.loc, x, type, e.b.getF32Type());
        y = emitConvert(e.b, e.loc, y, type, e.b.getF32Type());
      }
      using P = arith::CmpFPredicate;
      Value less = e.b.create<arith::CmpFOp>(e.loc, P::OLT, x, y);
      Value isNan = e.b.create<arith::CmpFOp>(e.loc, P::UNO, y, y);
      Value isNumber = e.b.create<arith::CmpFOp>(e.loc, P::ORD, x, x);
      return e.b.create<arith::OrIOp>(e.loc, less,
                                      e.b.create<arith::AndIOp>(e.loc, isNan, isNumber));
    }
    const bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    return e.cmp(isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x, y);
  }

  /// The order with equal elements in the order of their positions.
  Value beforeStable(Value a, Value other) {
    Value first = e.cmp(arith::CmpIPredicate::ult, a, other);
    Value notAfter =
        e.b.create<arith::XOrIOp>(e.loc, before(other, a), e.constant(e.b.getI1Type(), 1));
    Value strictly = before(a, other);
    return e.b.create<arith::OrIOp>(e.loc, strictly,
                                    e.b.create<arith::AndIOp>(e.loc, first, notAfter));
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// sort: merges runs of 1, 2, 4, ...
//===----------------------------------------------------------------------===//

/// target[low, high) = merge of source[low, middle) and source[middle, high).
static void emitMerge(Line &line, Positions source, Positions target, Value low, Value middle,
                      Value high) {
  Emitter &e = line.e;
  Value one = e.constantIndex(1);
  e.loop(low, high, one, {low, middle}, [&](Value place, ValueRange heads) {
    Value left = heads[0], right = heads[1];
    Value leftOnly = e.cmp(arith::CmpIPredicate::uge, right, high);
    Value hasLeft = e.cmp(arith::CmpIPredicate::ult, left, middle);
    Type i1 = e.b.getI1Type();
    Value takeLeft = e.branch(
        e.b.create<arith::OrIOp>(e.loc, leftOnly,
                                 e.b.create<arith::XOrIOp>(e.loc, hasLeft, e.constant(i1, 1))),
        i1, [&] { return Values{leftOnly}; },
        [&] {
          Value rightFirst = line.before(source.at(right), source.at(left));
          return Values{e.b.create<arith::XOrIOp>(e.loc, rightFirst, e.constant(i1, 1))};
        })[0];
    target.set(place, source.at(e.select(takeLeft, left, right)));
    return Values{e.select(takeLeft, e.add(left, one), left),
                  e.select(takeLeft, right, e.add(right, one))};
  });
}

void Emitter::emitSort(prim::SortOp op, Value begin, Value end) {
  prim::Shape shape = prim::shapeOf(op.getXs()[0]);
  const int64_t axis = op.getAxis();
  Value length = dim(shape[axis]), one = constantIndex(1), zero = constantIndex(0);
  Value memory = flat[region.getNumOperands() + region.getNumResults() + workspaceNumber++];
  loop(begin, end, one, [&](Value unit) {
    Line line{*this, op.getXs()[0], lineIndices(unit, shape, axis),
              axis,  shape[axis],   op.getDescending()};
    Value first = mul(unit, dim(SymExpr(2) * shape[axis])), second = add(first, length);
    loop(shape[axis], [&](Value i) { Positions{*this, memory, first}.set(i, i); });
    Values state = whileLoop(
        {one, first, second},
        [&](ValueRange state) { return cmp(arith::CmpIPredicate::ult, state[0], length); },
        [&](ValueRange state) {
          Positions source{*this, memory, state[1]}, target{*this, memory, state[2]};
          Value run = state[0], twice = add(run, run);
          loop(zero, length, twice, [&](Value low) {
            Value middle = b.create<arith::MinUIOp>(loc, add(low, run), length);
            Value high = b.create<arith::MinUIOp>(loc, add(low, twice), length);
            emitMerge(line, source, target, low, middle, high);
          });
          return Values{twice, state[2], state[1]};
        });
    Positions sorted{*this, memory, state[1]};
    loop(shape[axis], [&](Value i) {
      Value position = sorted.at(i);
      Indices place = line.indices;
      place[axis] = variable(i, shape[axis]);
      for (auto [x, y] : llvm::zip(op.getXs(), op.getYs()))
        if (!resultsOf(y).empty())
          storeAll(y, place, line.element(x, position));
    });
  });
}

//===----------------------------------------------------------------------===//
// top_k: a heap of the k best so far, the worst of them at its root
//===----------------------------------------------------------------------===//

/// Restores the heap of `size` positions below `start`.
static void emitSiftDown(Line &line, Positions heap, Value start, Value size) {
  Emitter &e = line.e;
  Value one = e.constantIndex(1);
  auto childOf = [&](Value place) { return e.add(e.add(place, place), one); };
  using P = arith::CmpIPredicate;
  e.whileLoop(
      start, [&](ValueRange state) { return e.cmp(P::ult, childOf(state[0]), size); },
      [&](ValueRange state) {
        Value place = state[0], left = childOf(place), right = e.add(left, one);
        Value child = e.branch(
            e.cmp(P::ult, right, size), e.b.getIndexType(),
            [&] {
              Value rightIsWorse = line.beforeStable(heap.at(left), heap.at(right));
              return Values{e.select(rightIsWorse, right, left)};
            },
            [&] { return Values{left}; })[0];
        Value here = heap.at(place), below = heap.at(child);
        return e.branch(
            line.beforeStable(here, below), e.b.getIndexType(),
            [&] {
              heap.set(place, below);
              heap.set(child, here);
              return Values{child};
            },
            [&] { return Values{size}; }); // ends the loop: its child is beyond the heap
      });
}

void Emitter::emitTopK(prim::TopKOp op, Value begin, Value end) {
  prim::Shape shape = prim::shapeOf(op.getX());
  const int64_t axis = op.getAxis();
  SymExpr count = prim::shapeOf(op.getValues())[axis];
  Value one = constantIndex(1), zero = constantIndex(0), length = dim(shape[axis]);
  if (!shape[axis].provablyGe(count))
    frame.fail(b, cmp(arith::CmpIPredicate::ugt, dim(count), length), "top_k: k exceeds the axis");
  Value k = dim(SymExpr::min(count, shape[axis]));
  Value memory = flat[region.getNumOperands() + region.getNumResults() + workspaceNumber++];
  loop(begin, end, one, [&](Value unit) {
    Line line{*this, op.getX(),   lineIndices(unit, shape, axis),
              axis,  shape[axis], !op.getSmallest()};
    Positions heap{*this, memory, mul(unit, dim(count))};
    loop(zero, k, one, [&](Value i) { heap.set(i, i); });
    Value half = b.create<arith::DivUIOp>(loc, k, constantIndex(2));
    loop(zero, half, one, [&](Value i) { emitSiftDown(line, heap, sub(sub(half, one), i), k); });
    branch(cmp(arith::CmpIPredicate::ugt, k, zero), [&] {
      loop(k, length, one, [&](Value i) {
        branch(line.before(i, heap.at(zero)), [&] { // a later element loses against its equals
          heap.set(zero, i);
          emitSiftDown(line, heap, zero, k);
        });
      });
      loop(one, k, one, [&](Value i) {
        Value last = sub(k, i), best = heap.at(last);
        heap.set(last, heap.at(zero));
        heap.set(zero, best);
        emitSiftDown(line, heap, zero, last);
      });
    });
    loop(zero, k, one, [&](Value i) {
      Value position = heap.at(i);
      Indices place = line.indices;
      place[axis] = variable(i, count);
      if (!resultsOf(op.getValues()).empty())
        storeAll(op.getValues(), place, line.element(op.getX(), position));
      Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), position);
      storeAll(op.getIndices(), place,
               emitConvert(b, loc, number, b.getI64Type(), elementType(op.getIndices())));
    });
  });
}

//===----------------------------------------------------------------------===//
// cumulative
//===----------------------------------------------------------------------===//

void Emitter::emitCumulative(prim::CumulativeOp op, Value begin, Value end) {
  prim::Shape shape = prim::shapeOf(op.getX());
  const int64_t axis = op.getAxis();
  Type type = elementType(op.getX()), wide = accumulatorType(type);
  Type widePrim = wide == scalarType(type) ? type : wide;
  loop(begin, end, constantIndex(1), [&](Value unit) {
    Indices place = lineIndices(unit, shape, axis);
    Value start = neutralElement(b, loc, op.getCombiner(), type);
    loop(shape[axis], start, [&](Value i, ValueRange carried) {
      place[axis] = variable(i, shape[axis]);
      if (op.getReverse())
        place[axis] = Index(shape[axis] - SymExpr(1)) + place[axis] * SymExpr(-1);
      Value x = emitConvert(b, loc, emit(op.getX(), place), type, widePrim);
      Value next = combine(b, loc, op.getCombiner(), type, carried[0], x, /*reassociate=*/false);
      storeAll(op.getY(), place,
               emitConvert(b, loc, op.getExclusive() ? carried[0] : next, widePrim, type));
      return Values{next};
    });
  });
}
