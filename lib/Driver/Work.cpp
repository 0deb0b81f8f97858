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
#include "dynac/Target/Common/Work.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dynac {

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
