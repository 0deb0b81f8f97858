//===- Work.cpp - what a region computes and moves ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Work.h"

#include "dynac/Target/Common/Schedule.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {

SymExpr multiplicationsOf(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    Shape a = shapeOf(dot.getA());
    SymExpr depth(1);
    for (int64_t axis : dot.getContractA())
      depth = depth * a[static_cast<size_t>(axis)];
    return elementCount(shapeOf(dot.getY())) * depth;
  }
  if (auto conv = dyn_cast<ConvOp>(op)) {
    // w is [K, C/groups, window...]: all but K are summed over.
    Shape w = shapeOf(conv.getW());
    w.erase(w.begin());
    return elementCount(shapeOf(conv.getY())) * elementCount(w);
  }
  return SymExpr(0);
}

/// Operations of an op that is no contraction, one for each element of its result or, where it
/// reduces, of its operand. Moves, choices and conversions are none.
static SymExpr elementOperations(Operation *op) {
  if (isa<SelectOp, ConvertOp, BitcastOp>(op))
    return SymExpr(0);
  const bool reduces = isa<ReduceOp, ReduceWindowOp, CumulativeOp>(op);
  if (!reduces && !isElementwise(op))
    return SymExpr(0);
  Type type = reduces ? op->getOperand(0).getType() : op->getResult(0).getType();
  if (!isa<FloatType>(getElementTypeOrSelf(type)))
    return SymExpr(0);
  return elementCount(shapeOf(type));
}

SymExpr flopsOf(RegionOp region, const SymExpr &products) {
  SymExpr multiplications = products, others(0);
  region.getBody().walk([&](Operation *op) {
    multiplications = multiplications + multiplicationsOf(op);
    others = others + elementOperations(op);
  });
  return multiplications * SymExpr(2) + others;
}

Type factorTypeOf(RegionOp region) {
  Type result;
  region.getBody().walk([&](Operation *op) {
    if (isa<DotOp, ConvOp, CompositeOp>(op) && op->getNumOperands() > 1)
      result = getElementTypeOrSelf(op->getOperand(1).getType());
  });
  return result ? result : Float32Type::get(region.getContext());
}

SymExpr bytesRead(RegionOp region, unsigned operand) {
  BlockArgument argument = region.getBody().front().getArgument(operand);
  SymExpr all = byteSize(argument.getType()), taken(0);
  for (OpOperand &use : argument.getUses()) {
    if (auto scatter = dyn_cast<ScatterOp>(use.getOwner());
        scatter && scatter.getInPlace() && use.getOperandNumber() == 0) {
      if (scatter.getCombiner() != Combiner::none)
        taken = taken + byteSize(scatter.getUpdates().getType());
      continue;
    }
    if (!isa<SliceOp, DynamicSliceOp, GatherOp>(use.getOwner()) || use.getOperandNumber() != 0)
      return all;
    taken = taken + byteSize(use.getOwner()->getResult(0).getType());
  }
  return SymExpr::min(all, taken);
}

std::optional<unsigned> operandInPlace(RegionOp region, OpResult result) {
  Operation *yield = region.getBody().front().getTerminator();
  auto scatter = yield->getOperand(result.getResultNumber()).getDefiningOp<ScatterOp>();
  if (!scatter || !scatter.getInPlace())
    return std::nullopt;
  return cast<BlockArgument>(scatter.getX()).getArgNumber();
}

SymExpr bytesWritten(RegionOp region, OpResult result) {
  Operation *yield = region.getBody().front().getTerminator();
  auto scatter = yield->getOperand(result.getResultNumber()).getDefiningOp<ScatterOp>();
  return byteSize(scatter && scatter.getInPlace() ? scatter.getUpdates().getType()
                                                  : result.getType());
}

} // namespace dynac
