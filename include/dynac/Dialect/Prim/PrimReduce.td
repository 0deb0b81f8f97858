//===- PrimReduce.td - reductions, windows, contractions, sorting ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIMREDUCE_TD
#define DYNAC_DIALECT_PRIM_PRIMREDUCE_TD

include "dynac/Dialect/Prim/PrimBase.td"

def Prim_ReduceOp : Prim_Op<"reduce", "Reduction", [Pure]> {
  let summary = "Combines over `axes`, which vanish; the accumulator has the result's element type";
  let description = "An empty axis gives the combiner's neutral element (max: -inf or the lowest integer).";
  let arguments = (ins Prim_Tensor:$x, Prim_CombinerAttr:$combiner, DenseI64ArrayAttr:$axes);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$combiner $x `axes` `=` $axes attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_ArgReduceOp : Prim_Op<"arg_reduce", "Reduction", [Pure]> {
  let summary = "i64 index of the maximum or minimum along `axis`, which vanishes; NaN counts as the extreme";
  let arguments = (ins Prim_Tensor:$x, Prim_CombinerAttr:$combiner, I64Attr:$axis, UnitAttr:$last);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$combiner (`last` $last^)? $x `axis` `=` $axis attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_CumulativeOp : Prim_Op<"cumulative", "Reduction", [Pure, SameOperandsAndResultType]> {
  let summary = "Running combination along `axis`";
  let arguments = (ins Prim_Tensor:$x, Prim_CombinerAttr:$combiner, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$combiner (`exclusive` $exclusive^)? (`reverse` $reverse^)? $x `axis` `=` $axis attr-dict `:` type($x)";
  let hasVerifier = 1;
}
def Prim_ReduceWindowOp : Prim_Op<"reduce_window", "Reduction", [Pure]> {
  let summary = "Combines over sliding windows of all axes; padding is neutral";
  let description = [{
    window, strides, dilations: one entry per axis (1 where nothing slides); lo, hi: padding, may be
    negative. The optional second result (max and min only) is the i64 row-major linear index in x of each window's
    winner, first of equals.
  }];
  let arguments = (ins Prim_Tensor:$x, Prim_CombinerAttr:$combiner, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations, Prim_DimsAttr:$lo, Prim_DimsAttr:$hi);
  let results = (outs Prim_Tensor:$y, Optional<Prim_Tensor>:$indices);
  let assemblyFormat = "$combiner $x `window` $window `strides` $strides `dilations` $dilations `lo` $lo `hi` $hi "
                       "attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Prim_SortOp : Prim_Op<"sort", "Heavy", [Pure]> {
  let summary = "Stable sort along `axis` by the first operand, all operands permuted alike; NaN is the greatest";
  let arguments = (ins Variadic<Prim_Tensor>:$xs, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs Variadic<Prim_Tensor>:$ys);
  let assemblyFormat = "(`descending` $descending^)? $xs `axis` `=` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Prim_TopKOp : Prim_Op<"top_k", "Heavy", [Pure]> {
  let summary = "The k first of a stable sort along `axis` (largest or smallest first; NaN is the greatest) and their i64 indices";
  let description = "k is the result's size along the axis; equal values keep the order of their indices.";
  let arguments = (ins Prim_Tensor:$x, I64Attr:$axis, UnitAttr:$smallest);
  let results = (outs Prim_Tensor:$values, Prim_Tensor:$indices);
  let assemblyFormat = "(`smallest` $smallest^)? $x `axis` `=` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Prim_DotOp : Prim_Op<"dot", "Heavy", [Pure]> {
  let summary = "Batched contraction: result [batch…, free of a…, free of b…]";
  let description = "Axes of the result's element type accumulate there; products of integers are formed there too.";
  let arguments = (ins Prim_Tensor:$a, Prim_Tensor:$b, DenseI64ArrayAttr:$batchA, DenseI64ArrayAttr:$batchB,
                   DenseI64ArrayAttr:$contractA, DenseI64ArrayAttr:$contractB);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$a `,` $b `batch` $batchA `x` $batchB `contract` $contractA `x` $contractB attr-dict `:` "
                       "functional-type(operands, results)";
  let hasVerifier = 1;
}
def Prim_ConvOp : Prim_Op<"conv", "Heavy", [Pure]> {
  let summary = "Cross-correlation of x [N, C, spatial…] with w [K, C/groups, window…]";
  let description = [{
    lo, hi: padding of x after `lhsDilation` (zeros between its elements); may be negative. Result
    [N, K, spatial…]; output channel k belongs to group k / (K/groups).
  }];
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$w, DenseI64ArrayAttr:$strides, Prim_DimsAttr:$lo, Prim_DimsAttr:$hi,
                   DenseI64ArrayAttr:$lhsDilation, DenseI64ArrayAttr:$rhsDilation, I64Attr:$groups);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `,` $w `strides` $strides `lo` $lo `hi` $hi `dilation` $lhsDilation `x` $rhsDilation "
                       "`groups` $groups attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Prim_FftOp : Prim_Op<"fft", "Heavy", [Pure]> {
  let summary = "Discrete Fourier transform along the axis before last of [.., n, 2] pairs (re, im)";
  let arguments = (ins Prim_Tensor:$x, UnitAttr:$inverse);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "(`inverse` $inverse^)? $x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_RngBitsOp : Prim_Op<"rng_bits", "Heavy", [Pure]> {
  let summary = "u32 bits of Philox4x32-10: key = seed (1-D, two u32), counter = (element / 4, site, 0, 0)";
  let arguments = (ins Prim_Tensor:$seed, I64Attr:$site);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$seed `site` $site attr-dict `:` type($seed) `->` type($y)";
  let hasVerifier = 1;
}
def Prim_NonzeroOp : Prim_Op<"nonzero", "Heavy", [Pure]> {
  let summary = "Coordinates of the true elements in row-major order, [rank, elements of x], and their number";
  let description = "Entries of the first result at and beyond the count are unspecified.";
  let arguments = (ins Prim_Tensor:$x);
  let results = (outs Prim_Tensor:$indices, Prim_Tensor:$count);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // DYNAC_DIALECT_PRIM_PRIMREDUCE_TD
