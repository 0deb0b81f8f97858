//===- Verify.cpp - shared checks, elementwise ops and control flow -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult prim::expectShape(Operation *op, const char *what, Value result,
                                const std::optional<Shape> &inferred, const Misfit &why) {
  if (!inferred)
    return op->emitOpError(why.text);
  Shape got = shapeOf(result);
  if (got == *inferred)
    return success();
  return op->emitOpError() << what << " has shape " << shapeText(got) << ", expected "
                           << shapeText(*inferred);
}

LogicalResult prim::expectElement(Operation *op, const char *what, Value value, Type expected) {
  if (elementOf(value) == expected)
    return success();
  return op->emitOpError() << what << " has element type " << elementOf(value) << ", expected "
                           << expected;
}

LogicalResult prim::expectSameElement(Operation *op, Value a, Value b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return op->emitOpError() << "has element types " << elementOf(a) << " and " << elementOf(b)
                           << ", expected equal ones";
}

LogicalResult prim::expectInteger(Operation *op, const char *what, Value value) {
  if (isa<IntegerType>(elementOf(value)) && !isBool(elementOf(value)))
    return success();
  return op->emitOpError() << what << " has element type " << elementOf(value)
                           << ", expected an integer";
}

LogicalResult prim::expectRank(Operation *op, const char *what, Value value, int64_t rank) {
  if (rankOf(value) == rank)
    return success();
  return op->emitOpError() << what << " has rank " << rankOf(value) << ", expected " << rank;
}

LogicalResult prim::expectAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis " << axis << " is out of range for rank " << rank;
}

LogicalResult prim::expectCombiner(Operation *op, Combiner combiner, ArrayRef<Combiner> allowed,
                                   Type type) {
  bool bitwise = combiner == Combiner::and_ || combiner == Combiner::or_;
  if (llvm::is_contained(allowed, combiner) && (!bitwise || isa<IntegerType>(type)))
    return success();
  return op->emitOpError() << "combiner '" << stringifyCombiner(combiner)
                           << "' is not allowed here on " << type;
}

static LogicalResult expectSameShape(Operation *op, Value a, Value b) {
  if (shapeOf(a) == shapeOf(b))
    return success();
  return op->emitOpError() << "has shapes " << shapeText(shapeOf(a)) << " and "
                           << shapeText(shapeOf(b)) << ", expected equal ones";
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static LogicalResult verifyPredicate(Operation *op, Value x, Value y) {
  if (failed(expectElement(op, "result", y, IntegerType::get(op->getContext(), 1))))
    return failure();
  return expectSameShape(op, x, y);
}

LogicalResult IsFiniteOp::verify() { return verifyPredicate(*this, getX(), getY()); }
LogicalResult CompareOp::verify() { return verifyPredicate(*this, getA(), getY()); }
LogicalResult SelectOp::verify() { return verifyPredicate(*this, getA(), getCondition()); }

LogicalResult ConvertOp::verify() {
  auto to = elementOf(getY());
  if (isSmallFloat(to) || isSmallFloat(elementOf(getX())))
    return emitOpError() << "from " << elementOf(getX()) << " to " << to << " is a formula";
  if (getSaturate() && !(isa<FloatType>(to) && to.getIntOrFloatBitWidth() == 8))
    return emitOpError() << "saturates to " << to << ", expected an fp8 type";
  return expectSameShape(*this, getX(), getY());
}

LogicalResult BitcastOp::verify() {
  Type from = elementOf(getX()), to = elementOf(getY());
  if (bitWidth(from) != bitWidth(to))
    return emitOpError() << "has element types " << from << " and " << to
                         << ", expected equal widths";
  return expectSameShape(*this, getX(), getY());
}

//===----------------------------------------------------------------------===//
// Control flow and regions
//===----------------------------------------------------------------------===//

/// That the only block of `region` takes values of the types `arguments` and yields `results`.
static LogicalResult verifyBody(Operation *op, const char *what, Region &region,
                                TypeRange arguments, TypeRange results) {
  Block &block = region.front();
  auto report = [&](const char *kind, TypeRange got, TypeRange expected) -> LogicalResult {
    InFlightDiagnostic diagnostic = op->emitOpError() << what << kind << " (";
    llvm::interleaveComma(got, diagnostic);
    diagnostic << "), expected (";
    llvm::interleaveComma(expected, diagnostic);
    return diagnostic << ")";
  };
  if (TypeRange(block.getArgumentTypes()) != arguments)
    return report(" takes", block.getArgumentTypes(), arguments);
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << what << " does not end in prim.yield";
  if (yield.getOperandTypes() != results)
    return report(" yields", yield.getOperandTypes(), results);
  return success();
}

static LogicalResult verifyCondition(Operation *op, Value condition) {
  if (failed(expectRank(op, "condition", condition, 0)))
    return failure();
  return expectElement(op, "condition", condition, IntegerType::get(op->getContext(), 1));
}

LogicalResult IfOp::verify() {
  if (failed(verifyCondition(*this, getCondition())))
    return failure();
  TypeRange captured(getCaptured()), results(getResults());
  if (failed(verifyBody(*this, "'then' body", getThenBody(), captured, results)))
    return failure();
  return verifyBody(*this, "'else' body", getElseBody(), captured, results);
}

LogicalResult WhileOp::verify() {
  if (failed(verifyCondition(*this, getCondition())))
    return failure();
  if (TypeRange(getInitial()) != TypeRange(getResults()))
    return emitOpError("initial values and results differ in type");
  SmallVector<Type> arguments = llvm::to_vector(TypeRange(getInitial()));
  llvm::append_range(arguments, TypeRange(getCaptured()));
  SmallVector<Type> yielded{getCondition().getType()};
  llvm::append_range(yielded, TypeRange(getResults()));
  return verifyBody(*this, "body", getBody(), arguments, yielded);
}

LogicalResult RegionOp::verify() {
  return verifyBody(*this, "body", getBody(), TypeRange(getXs()), TypeRange(getYs()));
}
