//===- StoreLiterals.cpp - small vectors of numbers become weights --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A literal is part of the kernel that uses it, so layers that differ by a short bias alone would
// each need a kernel of their own. As a weight it is an operand of one kernel for all of them.
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Transforms/Passes.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_STORELITERALS
#include "dynac/Transforms/Passes.h.inc"

namespace {

/// A few numbers are cheaper in the code.
constexpr int64_t literalElements = 4;

struct StoreLiterals : impl::StoreLiteralsBase<StoreLiterals> {
  void runOnOperation() override {
    WeightStore *store = getContext().getLoadedDialect<PrimDialect>()->weights;
    if (!store)
      return;
    getOperation().walk([&](ConstantOp op) {
      auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
      auto type = cast<RankedTensorType>(op.getType());
      if (!elements || elements.isSplat() || elements.getNumElements() <= literalElements ||
          bitWidth(type.getElementType()) % 8)
        return;
      ArrayRef<char> raw = elements.getRawData();
      int64_t id = store->addOwned("literal", type, std::vector<char>(raw.begin(), raw.end()));
      OpBuilder b(op);
      op.replaceAllUsesWith(b.create<WeightOp>(op.getLoc(), type, id).getResult());
      op.erase();
    });
  }
};

} // namespace
} // namespace dynac
