//===- VerifyReduce.cpp - verifiers of reductions, contractions, sorting --===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

static Type int64Of(Operation *op) { return IntegerType::get(op->getContext(), 64); }

/// A result that accumulates elements of `x`: floats in floats, integers in integers.
static LogicalResult expectAccumulator(Operation *op, Value x, Value y) {
  if (isa<FloatType>(elementOf(x)) == isa<FloatType>(elementOf(y)))
    return success();
  return op->emitOpError() << "accumulates " << elementOf(x) << " in " << elementOf(y);
}

LogicalResult ReduceOp::verify() {
  using C = Combiner;
  if (failed(expectCombiner(*this, getCombiner(), {C::add, C::mul, C::max, C::min, C::and_, C::or_},
                            elementOf(getY()))) ||
      failed(expectAccumulator(*this, getX(), getY())))
    return failure();
  Misfit why;
  return expectShape(*this, "result", getY(), inferReduce(shapeOf(getX()), getAxes(), why), why);
}

LogicalResult ArgReduceOp::verify() {
  if (failed(expectCombiner(*this, getCombiner(), {Combiner::max, Combiner::min},
                            elementOf(getX()))) ||
      failed(expectElement(*this, "result", getY(), int64Of(*this))))
    return failure();
  Misfit why;
  auto shape = inferReduce(shapeOf(getX()), static_cast<int64_t>(getAxis()), why);
  return expectShape(*this, "result", getY(), shape, why);
}

LogicalResult CumulativeOp::verify() {
  using C = Combiner;
  if (failed(expectCombiner(*this, getCombiner(), {C::add, C::mul, C::max, C::min, C::and_, C::or_},
                            elementOf(getX()))))
    return failure();
  return expectAxis(*this, getAxis(), rankOf(getX()));
}

LogicalResult ReduceWindowOp::verify() {
  using C = Combiner;
  if (failed(expectCombiner(*this, getCombiner(), {C::add, C::mul, C::max, C::min, C::and_, C::or_},
                            elementOf(getX()))) ||
      failed(expectAccumulator(*this, getX(), getY())))
    return failure();
  Misfit why;
  auto shape = inferWindow(shapeOf(getX()), getWindow(), getStrides(), getDilations(),
                           getLo().exprs(), getHi().exprs(), why);
  if (failed(expectShape(*this, "result", getY(), shape, why)))
    return failure();
  Value indices = getIndices();
  if (!indices)
    return success();
  if (failed(expectCombiner(*this, getCombiner(), {C::max, C::min}, elementOf(getX()))) ||
      failed(expectElement(*this, "indices", indices, int64Of(*this))))
    return failure();
  return expectShape(*this, "indices", indices, shape, why);
}

LogicalResult SortOp::verify() {
  if (getXs().empty())
    return emitOpError("expected at least one operand");
  if (TypeRange(getXs()) != TypeRange(getYs()))
    return emitOpError("operands and results differ in type");
  for (Value x : getXs())
    if (failed(expectShape(*this, "operand", x, shapeOf(getXs().front()), {})))
      return failure();
  return expectAxis(*this, getAxis(), rankOf(getXs().front()));
}

LogicalResult TopKOp::verify() {
  if (failed(expectAxis(*this, getAxis(), rankOf(getX()))) ||
      failed(expectRank(*this, "result", getValues(), rankOf(getX()))) ||
      failed(expectSameElement(*this, getX(), getValues())) ||
      failed(expectElement(*this, "indices", getIndices(), int64Of(*this))))
    return failure();
  Shape x = shapeOf(getX()), expected = x, values = shapeOf(getValues());
  expected[getAxis()] = values[getAxis()];
  if (failed(expectShape(*this, "result", getValues(), expected, {})) ||
      failed(expectShape(*this, "indices", getIndices(), expected, {})))
    return failure();
  if (values[getAxis()].provablyGt(x[getAxis()]))
    return emitOpError() << "takes " << values[getAxis()].str() << " of " << x[getAxis()].str()
                         << " elements along axis " << getAxis();
  return success();
}

/// Operands of a contraction: equal float types, or any two integer types.
static LogicalResult verifyFactors(Operation *op, Value a, Value b, Value y) {
  if ((isa<FloatType>(elementOf(a)) || isa<FloatType>(elementOf(b))) &&
      failed(expectSameElement(op, a, b)))
    return failure();
  return expectAccumulator(op, a, y);
}

LogicalResult DotOp::verify() {
  if (failed(verifyFactors(*this, getA(), getB(), getY())))
    return failure();
  Misfit why;
  auto shape = inferDot(shapeOf(getA()), shapeOf(getB()), getBatchA(), getBatchB(), getContractA(),
                        getContractB(), why);
  return expectShape(*this, "result", getY(), shape, why);
}

LogicalResult ConvOp::verify() {
  if (failed(verifyFactors(*this, getX(), getW(), getY())))
    return failure();
  Misfit why;
  auto shape = inferConv(shapeOf(getX()), shapeOf(getW()), getStrides(), getLo().exprs(),
                         getHi().exprs(), getLhsDilation(), getRhsDilation(), getGroups(), why);
  return expectShape(*this, "result", getY(), shape, why);
}

LogicalResult FftOp::verify() {
  Shape x = shapeOf(getX());
  if (getX().getType() != getY().getType())
    return emitOpError("operand and result differ in type");
  if (!isa<FloatType>(elementOf(getX())) || x.size() < 2 || x.back() != SymExpr(2))
    return emitOpError() << "operand is " << elementOf(getX()) << " " << shapeText(x)
                         << ", expected floats of shape [.., n, 2]";
  return success();
}

LogicalResult RngBitsOp::verify() {
  Type word = IntegerType::get(getContext(), 32, IntegerType::Unsigned);
  if (failed(expectElement(*this, "seed", getSeed(), word)) ||
      failed(expectElement(*this, "result", getY(), word)))
    return failure();
  return expectShape(*this, "seed", getSeed(), Shape{SymExpr(2)}, {});
}

LogicalResult NonzeroOp::verify() {
  Type int64 = int64Of(*this);
  if (failed(expectElement(*this, "operand", getX(), IntegerType::get(getContext(), 1))) ||
      failed(expectElement(*this, "indices", getIndices(), int64)) ||
      failed(expectElement(*this, "count", getCount(), int64)) ||
      failed(expectRank(*this, "count", getCount(), 0)))
    return failure();
  Shape x = shapeOf(getX());
  Shape expected{SymExpr(static_cast<int64_t>(x.size())), elementCount(x)};
  return expectShape(*this, "indices", getIndices(), expected, {});
}
