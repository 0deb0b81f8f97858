//===- PrimShape.td - constants and data movement -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIMSHAPE_TD
#define DYNAC_DIALECT_PRIM_PRIMSHAPE_TD

include "dynac/Dialect/Prim/PrimBase.td"

def Prim_ConstantOp : Prim_Op<"constant", "View", [Pure, ConstantLike, AllTypesMatch<["value", "y"]>]> {
  let summary = "A literal of at most 1 KB; splats of any size";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def Prim_WeightOp : Prim_Op<"weight", "View", [Pure]> {
  let summary = "A constant held by reference: entry `id` of the context's WeightStore";
  let arguments = (ins I64Attr:$id);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$id attr-dict `:` type($y)";
}
def Prim_IotaOp : Prim_Op<"iota", "Fusible", [Pure]> {
  let summary = "The index along `axis`";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$axis attr-dict `:` type($y)";
  let hasVerifier = 1;
}
def Prim_DimsToTensorOp : Prim_Op<"dims_to_tensor", "Fusible", [Pure]> {
  let summary = "The values of dimension expressions as a 1-D (one value: also 0-D) integer tensor";
  let arguments = (ins Prim_DimsAttr:$dims);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$dims attr-dict `:` type($y)";
  let hasVerifier = 1;
}
def Prim_BindDimOp : Prim_Op<"bind_dim", "Structural"> {
  let summary = "Defines symbol `symbol` as an element of an integer tensor, in [0, upper]";
  let description = [{
    The only source of data-dependent sizes. Types and attributes of later ops may name the symbol; a
    negative value, or one above `upper` where it is given, ends the run with an error.
  }];
  let arguments = (ins Prim_Tensor:$x, StrAttr:$symbol, I64Attr:$element, OptionalAttr<Prim_DimsAttr>:$upper);
  let assemblyFormat = "$symbol `=` $x `[` $element `]` (`upper` $upper^)? attr-dict `:` type($x)";
  let hasVerifier = 1;
}
def Prim_BroadcastOp : Prim_Op<"broadcast", "View", [Pure]> {
  let summary = "Operand axis i becomes result axis axes[i]; a size of 1 is stretched, other axes are new";
  let arguments = (ins Prim_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `axes` `=` $axes attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_ReshapeOp : Prim_Op<"reshape", "View", [Pure]> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Prim_Tensor:$x);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_TransposeOp : Prim_Op<"transpose", "View", [Pure]> {
  let summary = "Result axis i is operand axis permutation[i]";
  let arguments = (ins Prim_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
// Turns the order of elements round along `axes`.
def Prim_ReverseOp : Prim_Op<"reverse", "View", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Prim_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `axes` `=` $axes attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_SliceOp : Prim_Op<"slice", "View", [Pure]> {
  let summary = "y[i] = x[starts + i * strides]; the result type gives the sizes; strides are positive";
  let arguments = (ins Prim_Tensor:$x, Prim_DimsAttr:$starts, DenseI64ArrayAttr:$strides);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `from` $starts `by` $strides attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_DynamicSliceOp : Prim_Op<"dynamic_slice", "Fusible", [Pure]> {
  let summary = "A block of the result's shape at position `starts` (1-D integers, one per axis; clamped so that it fits)";
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$starts);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `at` $starts attr-dict `:` type($x) `,` type($starts) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_DynamicUpdateSliceOp : Prim_Op<"dynamic_update_slice", "Fusible", [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "x with the block at `starts` (clamped so that it fits) replaced by `update`";
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$update, Prim_Tensor:$starts);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `,` $update `at` $starts attr-dict `:` type($x) `,` type($update) `,` type($starts)";
  let hasVerifier = 1;
}
// The operands one after another along `axis`.
def Prim_ConcatOp : Prim_Op<"concat", "Fusible", [Pure]> {
  let arguments = (ins Variadic<Prim_Tensor>:$xs, I64Attr:$axis);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$xs `axis` `=` $axis attr-dict `:` type($xs) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_PadOp : Prim_Op<"pad", "Fusible", [Pure]> {
  let summary = "x with `lo`/`hi` elements of `value` (0-D) at each axis' ends (negative: cropped) and `interior` between";
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$value, Prim_DimsAttr:$lo, Prim_DimsAttr:$hi, DenseI64ArrayAttr:$interior);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `,` $value `lo` $lo `hi` $hi `interior` $interior attr-dict `:` type($x) `,` type($value) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_GatherOp : Prim_Op<"gather", "Fusible", [Pure]> {
  let summary = "Picks elements or slabs of x by index vectors";
  let description = [{
    x: [B…, X…], the first `batch` axes are batch axes; indices: [B…, I…, k], the last axis holds the
    coordinates along `axes` (k of them, each >= batch, ascending order not required). Result:
    [B…, I…, R…], R the axes of x that are neither batch nor indexed, in order. An index outside of its
    axis ends the run with an error.
  }];
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$indices, DenseI64ArrayAttr:$axes, I64Attr:$batch);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `,` $indices `axes` `=` $axes `batch` `=` $batch attr-dict `:` type($x) `,` type($indices) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_ScatterOp : Prim_Op<"scatter", "Heavy", [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "x with `updates` combined into it at the places gather would read";
  let description = [{
    Shapes as of gather, `updates` having the shape of its result. Updates are applied in row-major order of
    `updates`; with combiner `none` the last one wins. `in_place` (set after fusion): y is x's memory, which then
    nothing reads after this op, so that only the updates are written.
  }];
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$indices, Prim_Tensor:$updates, DenseI64ArrayAttr:$axes, I64Attr:$batch,
                   Prim_CombinerAttr:$combiner, UnitAttr:$in_place);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$combiner $x `,` $indices `,` $updates `axes` `=` $axes `batch` `=` $batch attr-dict `:` "
                       "type($x) `,` type($indices) `,` type($updates)";
  let hasVerifier = 1;
}

#endif // DYNAC_DIALECT_PRIM_PRIMSHAPE_TD
