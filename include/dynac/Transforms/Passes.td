//===- Passes.td - transformations of prim --------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TRANSFORMS_PASSES_TD
#define DYNAC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineComposites : Pass<"prim-inline-composites", "::mlir::func::FuncOp"> {
  let summary = "Replaces composites that no target claimed (`dynac.claim`) by their bodies";
}

def Raise : Pass<"prim-raise", "::mlir::func::FuncOp"> {
  let summary = "Idioms that files hold decomposed take the form that dynac's own formulas have";
}

def Simplify : Pass<"prim-simplify", "::mlir::func::FuncOp"> {
  let summary = "Folding, common subexpressions and algebra on primitives";
}

def FoldWeights : Pass<"prim-fold-weights", "::mlir::func::FuncOp"> {
  let summary = "Primitives of constants become derived weights, computed when the artifact is written";
}

def FoldScales : Pass<"prim-fold-scales", "::mlir::func::FuncOp"> {
  let summary = "Constant scales and offsets per channel after a convolution or product join its weight and bias";
  let description = [{
    (conv(x, w) + b) * s = conv(x, w * s) + b * s, and (conv(x, w) + b) + c = conv(x, w) + (b + c), s, b and c
    being constants of the channels: what a batch norm with constant statistics is. f32 only: the new weights
    are rounded once more.
  }];
}

def StoreLiterals : Pass<"prim-store-literals", "::mlir::func::FuncOp"> {
  let summary = "Literals of more than a few different numbers become weights, which kernels share";
}

def Fuse : Pass<"prim-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups primitives into kernel regions";
  let description = [{
    Every primitive that computes ends up in one `prim.region`: pointwise chains join their consumers,
    reductions take their producers, and a claimed contraction takes the elementwise chain after it as its
    epilogue. Weights, reshapes and control flow stay outside.
  }];
}

def UpdateInPlace : Pass<"prim-update-in-place", "::mlir::func::FuncOp"> {
  let summary = "Scatters write into the memory of what they update where nothing needs its old elements";
  let description = [{
    After prim-fuse. Sets `in_place` on a scatter whose operand has memory of its own, or that of an argument
    which the result updates (`dynac.alias` on the result), if every reader of the old elements stands before
    the scatter or can be moved there.
  }];
}

#endif // DYNAC_TRANSFORMS_PASSES_TD
