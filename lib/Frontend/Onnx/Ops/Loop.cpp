//===- Loop.cpp - loops and choices as primitives -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop.h"

using namespace dynac;

llvm::SmallVector<mlir::Value> onnx::isolateRegions(mlir::Operation *op) {
  auto isInside = [&](mlir::Value value) {
    mlir::Operation *parent = value.getParentBlock()->getParentOp();
    return parent && op->isAncestor(parent);
  };
  llvm::SetVector<mlir::Value> outer;
  op->walk([&](mlir::Operation *inner) {
    if (inner == op)
      return;
    for (mlir::Value operand : inner->getOperands())
      if (!isInside(operand))
        outer.insert(operand);
  });
  auto isUsedIn = [](mlir::Region &region) {
    return [&region](mlir::OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    };
  };
  llvm::SmallVector<mlir::Value> captured;
  for (mlir::Value value : outer) {
    mlir::Operation *source = value.getDefiningOp();
    bool isConstant = source && source->getNumOperands() == 0 && source->getNumResults() == 1 &&
                      mlir::isPure(source);
    if (!isConstant)
      captured.push_back(value);
    for (mlir::Region &region : op->getRegions()) {
      mlir::Value local;
      if (isConstant) {
        mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&region.front());
        local = builder.clone(*source)->getResult(0);
      } else {
        local = region.front().addArgument(value.getType(), value.getLoc());
      }
      value.replaceUsesWithIf(local, isUsedIn(region));
    }
  }
  return captured;
}

std::optional<Tensors> onnx::buildLoop(TensorContext &ctx, Tensor count, Tensor condition,
                                       llvm::ArrayRef<Tensor> initial, const TripBody &body) {
  mlir::OpBuilder &builder = ctx.builder;
  mlir::Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  Tensor zero = fullInt(ctx, {}, 0, i64);
  Tensor first = count ? zero < count : Tensor();
  if (condition)
    first = first ? first & condition : condition;
  if (!first)
    first = full(ctx, {}, 1, i1);
  llvm::SmallVector<mlir::Value> start = {zero.value()};
  for (Tensor value : initial)
    start.push_back(value.value());
  if (ctx.failed())
    return std::nullopt;
  mlir::TypeRange types = mlir::ValueRange(start).getTypes();
  auto loop =
      builder.create<prim::WhileOp>(ctx.loc, types, first.value(), start, mlir::ValueRange());
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = builder.createBlock(&loop.getBody());
    Tensors state;
    for (mlir::Value value : start)
      state.push_back(Tensor(ctx, block->addArgument(value.getType(), ctx.loc)));
    auto trip = body(state.front(), llvm::ArrayRef(state).drop_front());
    if (!trip || ctx.failed())
      return std::nullopt;
    Tensor next = state.front() + 1;
    Tensor goesOn = count ? next < count : Tensor();
    if (trip->goesOn)
      goesOn = goesOn ? goesOn & trip->goesOn : trip->goesOn;
    if (!goesOn)
      goesOn = full(ctx, {}, 1, i1);
    llvm::SmallVector<mlir::Value> yielded = {goesOn.value(), next.value()};
    for (auto [i, value] : llvm::enumerate(trip->state)) {
      if (value && value.value().getType() != start[i + 1].getType()) {
        ctx.fail("carried value " + llvm::Twine(i) + " changes its shape from " +
                 prim::shapeText(initial[i].shape()) + " to " + prim::shapeText(value.shape()));
      }
      yielded.push_back(value.value());
    }
    if (ctx.failed())
      return std::nullopt;
    builder.create<prim::YieldOp>(ctx.loc, yielded);
  }
  loop.getCapturedMutable().append(isolateRegions(loop));
  Tensors results;
  for (mlir::Value value : loop.getResults())
    results.push_back(Tensor(ctx, value));
  return results;
}
