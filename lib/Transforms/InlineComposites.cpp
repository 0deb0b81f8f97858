//===- InlineComposites.cpp - bodies of unclaimed composites --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Composites/Composites.h"
#include "dynac/Transforms/Passes.h"

using namespace mlir;

namespace dynac {
#define GEN_PASS_DEF_INLINECOMPOSITES
#include "dynac/Transforms/Passes.h.inc"

namespace {
struct InlineComposites : impl::InlineCompositesBase<InlineComposites> {
  void runOnOperation() override {
    // A body may hold composites itself, so repeat until none is left.
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<prim::CompositeOp> composites;
      getOperation().walk([&](prim::CompositeOp op) {
        if (!op->hasAttr(kClaimAttr))
          composites.push_back(op);
      });
      for (prim::CompositeOp op : composites) {
        if (failed(inlineComposite(op)))
          return signalPassFailure();
        changed = true;
      }
    }
  }
};
} // namespace
} // namespace dynac
