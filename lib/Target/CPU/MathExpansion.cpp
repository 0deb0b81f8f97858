//===- MathExpansion.cpp - elementary functions as arithmetic -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

struct MathExpansionPass : PassWrapper<MathExpansionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathExpansionPass)
  StringRef getArgument() const final { return "dynac-cpu-expand-math"; }
  StringRef getDescription() const final { return "elementary functions of f32 as arithmetic"; }
  void runOnOperation() override {}
};

} // namespace

std::unique_ptr<Pass> dynac::cpu::createMathExpansionPass() {
  return std::make_unique<MathExpansionPass>();
}
