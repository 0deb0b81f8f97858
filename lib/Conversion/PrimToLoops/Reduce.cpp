//===- Reduce.cpp - loops that combine many elements into one -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two loop orders. *Inner*: the reduced loops run for each element, accumulators are carried
// values; good where operands are contiguous along a reduced axis. *Row*: accumulators of a row of
// lanes are in an array on the stack, the lanes are the innermost loop; good where operands are
// contiguous along the lanes.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

Type loops::accumulatorType(Type primType) {
  if (auto type = dyn_cast<FloatType>(primType); type && type.getWidth() < 32)
    return Float32Type::get(type.getContext());
  return scalarType(primType);
}

static APFloat extremeFloat(FloatType type, bool lowest) {
  return APFloat::getInf(type.getFloatSemantics(), lowest);
}

static APInt neutralInt(prim::Combiner combiner, Type primType) {
  const unsigned width = primType.getIntOrFloatBitWidth();
  const bool isSigned = !primType.isUnsignedInteger() && width > 1;
  switch (combiner) {
  case prim::Combiner::mul:
    return APInt(width, 1);
  case prim::Combiner::and_:
    return APInt::getAllOnes(width);
  case prim::Combiner::max:
    return isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  case prim::Combiner::min:
    return isSigned ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width);
  default:
    return APInt::getZero(width);
  }
}

Value loops::neutralElement(OpBuilder &b, Location loc, prim::Combiner combiner, Type primType) {
  Type type = accumulatorType(primType);
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value(floatType.getFloatSemantics(), combiner == prim::Combiner::mul ? 1 : 0);
    if (combiner == prim::Combiner::max || combiner == prim::Combiner::min)
      value = extremeFloat(floatType, combiner == prim::Combiner::max);
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(floatType, value));
  }
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, neutralInt(combiner, primType)));
}

static Value combineFloat(OpBuilder &b, Location loc, prim::Combiner combiner, Value a, Value x,
                          bool reassociate) {
  auto fast = arith::FastMathFlagsAttr::get(
      b.getContext(), reassociate ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
  switch (combiner) {
  case prim::Combiner::add:
    return b.create<arith::AddFOp>(loc, a, x, fast);
  case prim::Combiner::mul:
    return b.create<arith::MulFOp>(loc, a, x, fast);
  case prim::Combiner::max:
    // LLVM knows reductions of its own op, but not those of the (cheaper) comparisons that arith's
    // becomes.
    if (reassociate)
      return b.create<LLVM::MaximumOp>(loc, a, x);
    return b.create<arith::MaximumFOp>(loc, a, x);
  case prim::Combiner::min:
    if (reassociate)
      return b.create<LLVM::MinimumOp>(loc, a, x);
    return b.create<arith::MinimumFOp>(loc, a, x);
  default: // none: the later one
    return x;
  }
}

Value loops::combine(OpBuilder &b, Location loc, prim::Combiner combiner, Type primType, Value a,
                     Value x, bool reassociate) {
  if (isa<FloatType>(primType))
    return combineFloat(b, loc, combiner, a, x, reassociate);
  const bool isUnsigned = primType.isUnsignedInteger() || primType.isInteger(1);
  switch (combiner) {
  case prim::Combiner::add:
    return b.create<arith::AddIOp>(loc, a, x);
  case prim::Combiner::mul:
    return b.create<arith::MulIOp>(loc, a, x);
  case prim::Combiner::max:
    return isUnsigned ? Value(b.create<arith::MaxUIOp>(loc, a, x))
                      : Value(b.create<arith::MaxSIOp>(loc, a, x));
  case prim::Combiner::min:
    return isUnsigned ? Value(b.create<arith::MinUIOp>(loc, a, x))
                      : Value(b.create<arith::MinSIOp>(loc, a, x));
  case prim::Combiner::and_:
    return b.create<arith::AndIOp>(loc, a, x);
  case prim::Combiner::or_:
    return b.create<arith::OrIOp>(loc, a, x);
  default:
    return x;
  }
}

//===----------------------------------------------------------------------===//
// What a reduction accumulates
//===----------------------------------------------------------------------===//

namespace {

/// The accumulators of one reduction and its step.
class Accumulation {
public:
  /// `inRow`: lanes are independent, so nothing has to be regrouped to use vectors.
  Accumulation(Emitter &emitter, Operation *op, bool inRow)
      : e(emitter), b(emitter.b), loc(emitter.loc), op(op), inRow(inRow) {
    Type result = Emitter::elementType(op->getResult(0));
    if (auto reduce = dyn_cast<prim::ReduceOp>(op)) {
      combiner = reduce.getCombiner();
    } else if (auto window = dyn_cast<prim::ReduceWindowOp>(op)) {
      combiner = window.getCombiner();
      withPosition = bool(window.getIndices());
    } else if (auto arg = dyn_cast<prim::ArgReduceOp>(op)) {
      combiner = arg.getCombiner();
      withPosition = true;
      last = arg.getLast();
      result = Emitter::elementType(arg.getX());
    }
    valueType = result;
  }

  SmallVector<Type> types() {
    SmallVector<Type> all = {accumulatorType(valueType)};
    if (withPosition)
      all.push_back(b.getI64Type());
    return all;
  }

  Values start() {
    Values values = {neutralElement(b, loc, combiner, valueType)};
    if (withPosition)
      values.push_back(e.constant(b.getI64Type(), -1)); // nothing seen yet
    return values;
  }

  /// Combines vectors with a vector of the elements at `access`.
  Values vectorStep(ValueRange accumulators, const Access &access, Value mask) {
    Value x = e.emit(access.operand, access.indices);
    x = e.splat(convert(x, Emitter::elementType(access.operand)));
    if (mask)
      x = e.select(mask, x, e.splat(start()[0]));
    return {merge(accumulators[0], x)};
  }
  /// The lanes of all vectors, combined.
  Value combineLanes(Values vectors) {
    for (size_t count = vectors.size(); count > 1; count = (count + 1) / 2)
      for (size_t i = 0; i < count / 2; ++i)
        vectors[i] = merge(vectors[i], vectors[count - 1 - i]);
    Value sum = vectors[0];
    for (int64_t lanes = e.frame.lanes; lanes > 1; lanes /= 2) {
      SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, lanes / 2));
      SmallVector<int64_t> high = llvm::to_vector(llvm::seq<int64_t>(lanes / 2, lanes));
      sum = merge(b.create<vector::ShuffleOp>(loc, sum, sum, low),
                  b.create<vector::ShuffleOp>(loc, sum, sum, high));
    }
    return b.create<vector::ExtractOp>(loc, sum, 0);
  }

  /// Combines with the elements at `accesses`.
  Values step(ValueRange accumulators, ArrayRef<Access> accesses, IndicesRef reduced) {
    Values operands;
    for (const Access &access : accesses) {
      Value x = e.emit(access.operand, access.indices);
      operands.push_back(convert(x, Emitter::elementType(access.operand)));
    }
    if (operands.size() == 2)
      return {multiplyAdd(accumulators[0], operands[0], operands[1])};
    if (!withPosition)
      return {combine(b, loc, combiner, valueType, accumulators[0], operands[0],
                      /*reassociate=*/!inRow)};
    return stepWithPosition(accumulators, operands[0], position(accesses[0], reduced));
  }

  Values finish(ValueRange accumulators) {
    if (isa<prim::ArgReduceOp>(op))
      return {
          e.select(e.cmp(arith::CmpIPredicate::slt, accumulators[1], e.constant(b.getI64Type(), 0)),
                   e.constant(b.getI64Type(), 0), accumulators[1])};
    Values results = {accumulators[0]};
    if (Type type = getElementTypeOrSelf(results[0].getType()); type != scalarType(valueType))
      results[0] = emitConvert(b, loc, results[0], type, valueType);
    if (withPosition)
      results.push_back(accumulators[1]);
    return results;
  }

private:
  /// Combines two vectors.
  Value merge(Value x, Value y) {
    const bool isMax = combiner == prim::Combiner::max;
    if (!isa<FloatType>(valueType) || !(isMax || combiner == prim::Combiner::min))
      return combine(b, loc, combiner, valueType, x, y, /*reassociate=*/false);
    // As x86 has it: where one is NaN, its max gives the second. So only y is left to be tested,
    // which no earlier step has to be waited for.
    using P = arith::CmpFPredicate;
    Value wins = b.create<arith::CmpFOp>(loc, isMax ? P::OGT : P::OLT, y, x);
    Value isNan = b.create<arith::CmpFOp>(loc, P::UNO, y, y);
    return e.select(isNan, y, e.select(wins, y, x));
  }

  /// Brings an operand to the accumulator's type.
  Value convert(Value x, Type primType) {
    if (auto type = dyn_cast<FloatType>(valueType); type && type.getWidth() < 32)
      return emitConvert(b, loc, x, primType, b.getF32Type());
    return primType == valueType ? x : emitConvert(b, loc, x, primType, valueType);
  }

  Value multiplyAdd(Value sum, Value x, Value y) {
    if (!isa<FloatType>(valueType))
      return e.add(sum, e.mul(x, y));
    auto flags = arith::FastMathFlags::contract;
    if (!inRow)
      flags = flags | arith::FastMathFlags::reassoc;
    auto fast = arith::FastMathFlagsAttr::get(b.getContext(), flags);
    Value product = b.create<arith::MulFOp>(loc, x, y, fast);
    return b.create<arith::AddFOp>(loc, sum, product, fast);
  }

  Value position(const Access &access, IndicesRef reduced) {
    Index place = isa<prim::ArgReduceOp>(op)
                      ? reduced[0]
                      : e.space.linearize(access.indices, prim::shapeOf(access.operand));
    return b.create<arith::IndexCastOp>(loc, b.getI64Type(), e.index(place));
  }

  /// A new element wins if it beats the best one; of equals the first, or with `last` the last. The
  /// first NaN stays (or the last).
  Values stepWithPosition(ValueRange best, Value x, Value place) {
    Value wins = e.cmp(arith::CmpIPredicate::slt, best[1], e.constant(b.getI64Type(), 0));
    const bool isMax = combiner == prim::Combiner::max;
    auto either = [&](Value first, Value second) -> Value {
      return b.create<arith::OrIOp>(loc, first, second);
    };
    if (isa<FloatType>(valueType)) {
      using P = arith::CmpFPredicate;
      P beats = isMax ? (last ? P::OGE : P::OGT) : (last ? P::OLE : P::OLT);
      wins = either(wins, b.create<arith::CmpFOp>(loc, beats, x, best[0]));
      Value isNan = b.create<arith::CmpFOp>(loc, P::UNO, x, x);
      if (!last) {
        Value bestIsNumber = b.create<arith::CmpFOp>(loc, P::ORD, best[0], best[0]);
        isNan = b.create<arith::AndIOp>(loc, isNan, bestIsNumber);
      }
      wins = either(wins, isNan);
    } else {
      using P = arith::CmpIPredicate;
      const bool isUnsigned = valueType.isUnsignedInteger() || valueType.isInteger(1);
      P beats = isMax ? (last ? (isUnsigned ? P::uge : P::sge) : (isUnsigned ? P::ugt : P::sgt))
                      : (last ? (isUnsigned ? P::ule : P::sle) : (isUnsigned ? P::ult : P::slt));
      wins = either(wins, e.cmp(beats, x, best[0]));
    }
    return {e.select(wins, x, best[0]), e.select(wins, place, best[1])};
  }

  Emitter &e;
  OpBuilder &b;
  Location loc;
  Operation *op;
  bool inRow;
  prim::Combiner combiner = prim::Combiner::add;
  Type valueType; ///< the prim type that is accumulated
  bool withPosition = false, last = false;
};

/// The reduced loops: adjacent axes that all accesses treat as one are one loop.
struct ReducedLoops {
  SmallVector<unsigned>
      vars;        ///< one per loop, outermost first; values are set when the loop is emitted
  Indices indices; ///< one per reduced axis

  ReducedLoops(IndexSpace &space, Operation *op, IndicesRef outer) {
    SmallVector<SymExpr> dims = reducedDims(op);
    Indices trial;
    SmallVector<std::pair<size_t, unsigned>> axes;
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      trial.push_back(space.make(dim));
      if (!trial.back().isConstant())
        axes.push_back({axis, trial.back().terms[0].var});
    }
    AccessWalker walker(space);
    for (const Access &access : reductionAccesses(space, op, outer, trial)) {
      for (const Guard &guard : access.guards)
        walker.forms.push_back(guard.index);
      walker.walk(access.operand, access.indices);
    }
    indices.resize(dims.size());
    for (size_t first = 0; first < axes.size();) {
      size_t end = first + 1;
      while (end < axes.size() &&
             canMerge(space, walker.forms, axes[end - 1].second, axes[end].second))
        ++end;
      SmallVector<SymExpr> group;
      SymExpr extent(1);
      for (size_t i = first; i < end; ++i) {
        group.push_back(dims[axes[i].first]);
        extent = extent * group.back();
      }
      Var var;
      var.extent = extent;
      vars.push_back(space.addVar(std::move(var)));
      Indices parts = space.split(space.of(vars.back()), group);
      for (size_t i = first; i < end; ++i)
        indices[axes[i].first] = parts[i - first];
      first = end;
    }
  }
};

/// The guards that can be tested inside of the first `depth` loops, but not before.
SmallVector<Guard> guardsAt(const IndexSpace &space, ArrayRef<Access> accesses,
                            ArrayRef<unsigned> vars, size_t depth, std::optional<unsigned> lane) {
  SmallVector<Guard> result;
  for (const Guard &guard : accesses[0].guards) {
    if (lane && space.dependsOn(guard.index, *lane))
      continue;
    size_t needed = 0;
    for (size_t i = 0; i < vars.size(); ++i)
      if (space.dependsOn(guard.index, vars[i]))
        needed = i + 1;
    if (needed == depth)
      result.push_back(guard);
  }
  return result;
}

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Values Emitter::emitReduction(Operation *op, IndicesRef indices) {
  std::optional<unsigned> lane = space.laneOf(indices);
  if (lane && laneCounts.count(*lane) &&
      hoistLevel(indices, /*lanesToo=*/false) < space[*lane].level &&
      preferRows(space, op, indices, *lane))
    return reduceRow(op, indices, *lane);
  Values results;
  atLevel(hoistLevel(indices), [&] {
    results = reduceInner(op, indices);
    known.memo[op].push_back({Indices(indices), level(), results});
  });
  return results;
}

Values Emitter::reduceInner(Operation *op, IndicesRef indices) {
  Accumulation accumulation(*this, op, /*inRow=*/false);
  ReducedLoops loops(space, op, indices);
  SmallVector<Access, 2> accesses = reductionAccesses(space, op, indices, loops.indices);
  std::optional<size_t> pass = row ? row->passOf(op, indices) : std::nullopt;
  if (isa<prim::ReduceOp>(op) && loops.vars.size() == 1 &&
      fillsVectors(space[loops.vars[0]].extent) &&
      isVector(accesses[0].operand, accesses[0].indices, loops.vars[0],
               pass ? row->readsOf(*pass) : SmallVector<Value, 2>()))
    return reduceVectors(op, accesses[0], loops.vars[0], pass);
  // Inside of `depth` loops: tests what can be tested, then the next loop or the step.
  std::function<Values(size_t, Values)> nest = [&](size_t depth, Values carried) -> Values {
    auto inside = [&]() -> Values {
      if (depth == loops.vars.size()) {
        if (pass)
          readKept(*pass, accesses[0].indices);
        Values next = accumulation.step(carried, accesses, loops.indices);
        if (pass)
          writeKept(*pass, accesses[0].indices);
        return next;
      }
      return loop(space[loops.vars[depth]].extent, carried, [&](Value iv, ValueRange values) {
        space[loops.vars[depth]].value = iv;
        space[loops.vars[depth]].level = level();
        return nest(depth + 1, Values(values));
      });
    };
    SmallVector<Guard> guards = guardsAt(space, accesses, loops.vars, depth, std::nullopt);
    if (guards.empty())
      return inside();
    return branch(condition(guards), accumulation.types(), inside, [&] { return carried; });
  };
  return accumulation.finish(nest(0, accumulation.start()));
}

/// Several vectors of accumulators, so that one addition need not wait for the other.
Values Emitter::reduceVectors(Operation *op, const Access &access, unsigned var,
                              std::optional<size_t> pass) {
  Accumulation accumulation(*this, op, /*inRow=*/true);
  AccessWalker walker(space);
  walker.walk(access.operand, access.indices);
  const SymExpr extent = space[var].extent;
  size_t copies = walker.cost < 10 ? 4 : 2;
  if (std::optional<int64_t> count = extent.constant())
    copies = std::min<size_t>(copies, llvm::divideCeil(*count, frame.lanes));
  Values start(copies, splat(accumulation.start()[0]));
  Values vectors = vectorLoop(extent, copies, start, [&](unsigned vector, ValueRange carried) {
    Access here{access.operand, {}, {}};
    for (const Index &index : access.indices)
      here.indices.push_back(space.substitute(index, var, space.of(vector)));
    if (pass)
      readKept(*pass, here.indices);
    Values next = accumulation.vectorStep(carried, here, space[vector].mask);
    if (pass)
      writeKept(*pass, here.indices);
    return next;
  });
  return accumulation.finish(accumulation.combineLanes(vectors));
}

Values Emitter::reduceRow(Operation *op, IndicesRef indices, unsigned lane) {
  Indices place;
  for (const Index &index : indices)
    place.push_back(space.substitute(index, lane, space.of(anyLane)));
  Values arrays;
  for (const Element &row : known.rows[op])
    if (row.level <= level() && row.indices == place)
      arrays = row.values;
  if (arrays.empty())
    atLevel(hoistLevel(indices, /*lanesToo=*/false), [&] {
      arrays = emitRow(op, indices, lane);
      known.rows[op].push_back({place, level(), arrays});
    });
  Values accumulators;
  for (Value array : arrays)
    accumulators.push_back(b.create<memref::LoadOp>(loc, array, space[lane].value));
  return Accumulation(*this, op, /*inRow=*/true).finish(accumulators);
}

/// Fills one array of accumulators for all lanes of the tile.
Values Emitter::emitRow(Operation *op, IndicesRef indices, unsigned outerLane) {
  Accumulation accumulation(*this, op, /*inRow=*/true);
  Var laneVar = space[outerLane];
  const unsigned lane = space.addVar(laneVar);
  Value count = laneCounts[outerLane];
  laneCounts[lane] = count;
  auto lanesIn = [&](Value first, Value last, llvm::function_ref<void(Value)> body) {
    loop(first, last, constantIndex(1), [&](Value iv) {
      space[lane].value = iv;
      space[lane].level = level();
      body(iv);
    });
  };
  auto lanes = [&](llvm::function_ref<void(Value)> body) {
    lanesIn(constantIndex(0), count, body);
  };
  Values arrays;
  for (Type type : accumulation.types())
    arrays.push_back(frame.stackArray(MemRefType::get({rowLanes}, type)));
  auto storeAll = [&](ValueRange values, Value iv) {
    for (auto [value, array] : llvm::zip(values, arrays))
      b.create<memref::StoreOp>(loc, value, array, iv);
  };
  lanes([&](Value iv) { storeAll(accumulation.start(), iv); });

  Indices here;
  for (const Index &index : indices)
    here.push_back(space.substitute(index, outerLane, space.of(lane)));
  ReducedLoops loops(space, op, here);
  SmallVector<Access, 2> accesses = reductionAccesses(space, op, here, loops.indices);
  SmallVector<Guard> laneGuards;
  std::optional<std::pair<Guard, SymExpr>> cut;
  for (const Guard &guard : accesses[0].guards) {
    if (!space.dependsOn(guard.index, lane))
      continue;
    // A masked load with a stride would be a gather: the loop is cut to the lanes inside instead.
    std::optional<SymExpr> stride = space.strideOf(guard.index, lane);
    if (!cut && stride && guard.divisor == 1 && stride->provablyGe(2))
      cut = {guard, *stride};
    else
      laneGuards.push_back(guard);
  }

  auto step = [&](Value iv) {
    Values carried;
    for (Value array : arrays)
      carried.push_back(b.create<memref::LoadOp>(loc, array, iv));
    auto inside = [&] { return accumulation.step(carried, accesses, loops.indices); };
    storeAll(laneGuards.empty() ? inside()
                                : branch(condition(laneGuards), accumulation.types(), inside,
                                         [&] { return carried; }),
             iv);
  };
  std::function<void(size_t)> nest = [&](size_t depth) {
    auto inside = [&] {
      if (depth == loops.vars.size()) {
        // What is the same for all lanes is loaded once, and not under the lanes' guards.
        for (const Access &access : accesses)
          if (!space.laneOf(access.indices))
            emit(access.operand, access.indices);
        if (!cut)
          return lanes(step);
        // 0 <= start + stride * lane < extent.
        Value start = index(space.substitute(cut->first.index, lane, Index()));
        Value stride = dim(cut->second), zero = constantIndex(0);
        Value first = b.create<arith::CeilDivSIOp>(loc, sub(zero, start), stride);
        Value last = b.create<arith::CeilDivSIOp>(loc, sub(dim(cut->first.extent), start), stride);
        first = b.create<arith::MaxSIOp>(loc, first, zero);
        return lanesIn(first, b.create<arith::MinSIOp>(loc, last, count), step);
      }
      loop(space[loops.vars[depth]].extent, [&](Value iv) {
        space[loops.vars[depth]].value = iv;
        space[loops.vars[depth]].level = level();
        nest(depth + 1);
      });
    };
    SmallVector<Guard> guards = guardsAt(space, accesses, loops.vars, depth, lane);
    if (guards.empty())
      return inside();
    branch(condition(guards), inside);
  };
  nest(0);
  return arrays;
}
