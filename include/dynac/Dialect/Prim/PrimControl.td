//===- PrimControl.td - control flow, calls, composites, regions ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIMCONTROL_TD
#define DYNAC_DIALECT_PRIM_PRIMCONTROL_TD

include "dynac/Dialect/Prim/PrimBase.td"

// Ends a body with its results.
def Prim_YieldOp : Prim_Op<"yield", "Structural", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<Prim_AnyValue>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}
def Prim_IfOp : Prim_Op<"if", "Structural", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "One of two bodies; both get the captured values as arguments and yield the results";
  let arguments = (ins Prim_Tensor:$condition, Variadic<Prim_AnyValue>:$captured);
  let results = (outs Variadic<Prim_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$thenBody, SizedRegion<1>:$elseBody);
  let hasVerifier = 1;
}
def Prim_WhileOp : Prim_Op<"while", "Structural", [IsolatedFromAbove, AttrSizedOperandSegments, RecursiveMemoryEffects]> {
  let summary = "body(state…, captured…) -> (continue, state…) while the condition holds; `condition` decides the first trip";
  let arguments = (ins Prim_Tensor:$condition, Variadic<Prim_AnyValue>:$initial, Variadic<Prim_AnyValue>:$captured);
  let results = (outs Variadic<Prim_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def Prim_CustomCallOp : Prim_Op<"custom_call", "Structural"> {
  let summary = "A host kernel of the runtime, named `name@version`";
  let arguments = (ins StrAttr:$target, Variadic<Prim_AnyValue>:$xs, OptionalAttr<DictionaryAttr>:$config);
  let results = (outs Variadic<Prim_AnyValue>:$ys);
  let assemblyFormat = "$target `(` $xs `)` (`config` $config^)? attr-dict `:` functional-type($xs, $ys)";
}
def Prim_AssertOp : Prim_Op<"assert", "Structural"> {
  let summary = "Ends the run with `message` unless all elements are true";
  let arguments = (ins Prim_Tensor:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}
// The operand; no gradient flows back through it.
def Prim_StopGradientOp : Prim_Op<"stop_gradient", "View", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Prim_Tensor:$x);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def Prim_BarrierOp : Prim_Op<"barrier", "View", [SameOperandsAndResultType]> {
  let summary = "The operand; keeps a recomputed clone apart from its original";
  let arguments = (ins Prim_Tensor:$x);
  // An "allocation" is what MLIR may drop when unused but must not merge with another.
  let results = (outs Res<Prim_Tensor, "", [MemAlloc]>:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Prim_CompositeOp : Prim_Op<"composite", "Heavy", [Pure]> {
  let summary = "A named operation that a target may claim whole; its body comes from the spec table on demand";
  let arguments = (ins StrAttr:$name, Variadic<Prim_Tensor>:$xs, DictionaryAttr:$config);
  let results = (outs Variadic<Prim_Tensor>:$ys);
  let assemblyFormat = "$name `(` $xs `)` $config attr-dict `:` functional-type($xs, $ys)";
}

def Prim_RegionOp : Prim_Op<"region", "Structural", [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">, Pure]> {
  let summary = "What one kernel computes: the fuse phase's unit";
  let description = [{
    `kind` names the region's kind (pointwise, reduce, contraction, window, gather, sort, copy, …); `claim`, where it
    is set, the target's kernel that takes it, else it is coded the generic way. `claimConfig` is the claiming target's own.
  }];
  let arguments = (ins StrAttr:$kind, Variadic<Prim_Tensor>:$xs, OptionalAttr<StrAttr>:$claim, OptionalAttr<DictionaryAttr>:$claimConfig);
  let results = (outs Variadic<Prim_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

#endif // DYNAC_DIALECT_PRIM_PRIMCONTROL_TD
