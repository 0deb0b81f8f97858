//===- Work.cpp - how much a model computes -------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/Work.h"

#include "dynac/Conversion/ModelToPrim.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Frontend/Onnx/Import.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dynac {

static SymExpr product(llvm::ArrayRef<SymExpr> dims) {
  SymExpr result(1);
  for (const SymExpr &dim : dims)
    result = result * dim;
  return result;
}

/// Multiplications of one contraction or convolution, once for each element of the result.
static SymExpr multiplicationsOf(Operation *op) {
  if (auto dot = dyn_cast<prim::DotOp>(op)) {
    prim::Shape a = prim::shapeOf(dot.getA());
    SymExpr depth(1);
    for (int64_t axis : dot.getContractA())
      depth = depth * a[static_cast<size_t>(axis)];
    return product(prim::shapeOf(dot.getY())) * depth;
  }
  if (auto conv = dyn_cast<prim::ConvOp>(op)) {
    // w is [K, C/groups, window...]: all but K are summed over.
    prim::Shape w = prim::shapeOf(conv.getW());
    return product(prim::shapeOf(conv.getY())) * product(llvm::ArrayRef(w).drop_front());
  }
  return SymExpr(0);
}

llvm::Expected<SymExpr> countFlops(const onnx::OnnxModel &model) {
  MLIRContext context;
  context.disableMultithreading();
  context.loadDialect<model::ModelDialect, prim::PrimDialect, func::FuncDialect>();
  WeightStore weights;
  context.getLoadedDialect<prim::PrimDialect>()->weights = &weights;
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  auto imported = onnx::importOnnx(model, context, weights);
  if (!imported)
    return imported.takeError();
  auto lowered = lowerModelToPrim(**imported, makeOnnxOpTable());
  if (!lowered)
    return lowered.takeError();
  PassManager pm(&context);
  pm.nest<func::FuncOp>().addPass(createInlineComposites());
  if (failed(pm.run(**lowered)))
    return unsupported("{0}: a composite has no body", printable(model.path));
  SymExpr total(0);
  (*lowered)->walk([&](Operation *op) { total = total + multiplicationsOf(op); });
  return total * SymExpr(2);
}

} // namespace dynac
