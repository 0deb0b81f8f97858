//===- PrimElementwise.td - one value in, one value out per element -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIMELEMENTWISE_TD
#define DYNAC_DIALECT_PRIM_PRIMELEMENTWISE_TD

include "dynac/Dialect/Prim/PrimBase.td"

// Marks ops whose result element depends on the operands' elements at the same place only.
def Prim_ElementwiseTrait : NativeOpTrait<"IsElementwise"> { let cppNamespace = "::dynac::prim"; }

// The scalar op that an elementwise primitive means on floats, signed and unsigned integers (bool counts as
// unsigned). `void`: not defined there by a single op, see emitScalar.
class Prim_Elementwise<string mnemonic, string f, string s, string u, list<Trait> traits = []>
    : Prim_Op<mnemonic, "Fusible", [Pure, Prim_ElementwiseTrait] # traits,
              "using Float = " # f # ";\nusing Int = " # s # ";\nusing UInt = " # u # ";\n">;

class Prim_Unary<string mnemonic, string f, string s = "void", string u = "void", Type tensor = Prim_Tensor>
    : Prim_Elementwise<mnemonic, f, s, u, [SameOperandsAndResultType]> {
  let arguments = (ins tensor:$x);
  let results = (outs tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
class Prim_FloatUnary<string mnemonic, string f> : Prim_Unary<mnemonic, f, "void", "void", Prim_FloatTensor>;

def Prim_AbsOp : Prim_Unary<"abs", "::mlir::math::AbsFOp", "::mlir::math::AbsIOp">; // INT_MIN stays
def Prim_NegOp : Prim_Unary<"neg", "::mlir::arith::NegFOp">;                        // integers wrap
def Prim_SignOp : Prim_Unary<"sign", "void">;                                       // NaN stays NaN
def Prim_FloorOp : Prim_FloatUnary<"floor", "::mlir::math::FloorOp">;
def Prim_CeilOp : Prim_FloatUnary<"ceil", "::mlir::math::CeilOp">;
def Prim_RoundEvenOp : Prim_FloatUnary<"round_even", "::mlir::math::RoundEvenOp">;
def Prim_TruncOp : Prim_FloatUnary<"trunc", "::mlir::math::TruncOp">;
def Prim_NotOp : Prim_Unary<"not", "void", "void", "void", Prim_IntTensor>;                                         // bool and bitwise
def Prim_SqrtOp : Prim_FloatUnary<"sqrt", "::mlir::math::SqrtOp">;
def Prim_RsqrtOp : Prim_FloatUnary<"rsqrt", "void">;                                     // 1 / sqrt(x)
def Prim_ExpOp : Prim_FloatUnary<"exp", "::mlir::math::ExpOp">;
def Prim_Expm1Op : Prim_FloatUnary<"expm1", "::mlir::math::ExpM1Op">;
def Prim_LogOp : Prim_FloatUnary<"log", "::mlir::math::LogOp">;
def Prim_Log1pOp : Prim_FloatUnary<"log1p", "::mlir::math::Log1pOp">;
def Prim_ErfOp : Prim_FloatUnary<"erf", "::mlir::math::ErfOp">;
def Prim_LogisticOp : Prim_FloatUnary<"logistic", "void">;                               // 1 / (1 + exp(-x))
def Prim_SinOp : Prim_FloatUnary<"sin", "::mlir::math::SinOp">;
def Prim_CosOp : Prim_FloatUnary<"cos", "::mlir::math::CosOp">;
def Prim_TanOp : Prim_FloatUnary<"tan", "::mlir::math::TanOp">;
def Prim_TanhOp : Prim_FloatUnary<"tanh", "::mlir::math::TanhOp">;

def Prim_IsFiniteOp : Prim_Elementwise<"is_finite", "void", "void", "void"> {
  let summary = "i1: neither NaN nor infinite";
  let arguments = (ins Prim_FloatTensor:$x);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

class Prim_Binary<string mnemonic, string f, string s, string u, list<Trait> traits = [], Type tensor = Prim_Tensor>
    : Prim_Elementwise<mnemonic, f, s, u, [SameOperandsAndResultType] # traits> {
  let arguments = (ins tensor:$a, tensor:$b);
  let results = (outs tensor:$y);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a)";
}

def Prim_AddOp : Prim_Binary<"add", "::mlir::arith::AddFOp", "::mlir::arith::AddIOp", "::mlir::arith::AddIOp", [Commutative]>;
def Prim_SubOp : Prim_Binary<"sub", "::mlir::arith::SubFOp", "::mlir::arith::SubIOp", "::mlir::arith::SubIOp">;
def Prim_MulOp : Prim_Binary<"mul", "::mlir::arith::MulFOp", "::mlir::arith::MulIOp", "::mlir::arith::MulIOp", [Commutative]>;
// Integers truncate; x / 0 = 0 and INT_MIN / -1 = INT_MIN, without a trap.
def Prim_DivOp : Prim_Binary<"div", "::mlir::arith::DivFOp", "void", "void">;
// Sign of the dividend (C's fmod, %); integers: x rem 0 = 0, INT_MIN rem -1 = 0.
def Prim_RemOp : Prim_Binary<"rem", "::mlir::arith::RemFOp", "void", "void">;
def Prim_PowOp : Prim_Binary<"pow", "::mlir::math::PowFOp", "void", "void">;
// NaN wins over everything, wherever it stands.
def Prim_MaxOp : Prim_Binary<"max", "::mlir::arith::MaximumFOp", "::mlir::arith::MaxSIOp", "::mlir::arith::MaxUIOp", [Commutative]>;
def Prim_MinOp : Prim_Binary<"min", "::mlir::arith::MinimumFOp", "::mlir::arith::MinSIOp", "::mlir::arith::MinUIOp", [Commutative]>;
def Prim_Atan2Op : Prim_Binary<"atan2", "::mlir::math::Atan2Op", "void", "void", [], Prim_FloatTensor>;
def Prim_AndOp : Prim_Binary<"and", "void", "::mlir::arith::AndIOp", "::mlir::arith::AndIOp", [Commutative], Prim_IntTensor>;
def Prim_OrOp : Prim_Binary<"or", "void", "::mlir::arith::OrIOp", "::mlir::arith::OrIOp", [Commutative], Prim_IntTensor>;
def Prim_XorOp : Prim_Binary<"xor", "void", "::mlir::arith::XOrIOp", "::mlir::arith::XOrIOp", [Commutative], Prim_IntTensor>;
// A shift by the width or more gives 0 (shr_arith: the sign).
def Prim_ShlOp : Prim_Binary<"shl", "void", "void", "void", [], Prim_IntTensor>;
def Prim_ShrLogicalOp : Prim_Binary<"shr_logical", "void", "void", "void", [], Prim_IntTensor>;
def Prim_ShrArithOp : Prim_Binary<"shr_arith", "void", "void", "void", [], Prim_IntTensor>;

def Prim_CompareOp : Prim_Elementwise<"compare", "::mlir::arith::CmpFOp", "::mlir::arith::CmpIOp", "::mlir::arith::CmpIOp",
    [SameTypeOperands]> {
  let summary = "i1: a dir b; any comparison with NaN is false but `ne`";
  let arguments = (ins Prim_Tensor:$a, Prim_Tensor:$b, Prim_CompareDirectionAttr:$direction);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$direction $a `,` $b attr-dict `:` type($a) `->` type($y)";
  let hasVerifier = 1;
}

def Prim_SelectOp : Prim_Elementwise<"select", "::mlir::arith::SelectOp", "::mlir::arith::SelectOp", "::mlir::arith::SelectOp",
    [AllTypesMatch<["a", "b", "y"]>]> {
  let summary = "condition ? a : b, per element";
  let arguments = (ins Prim_Tensor:$condition, Prim_Tensor:$a, Prim_Tensor:$b);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$condition `,` $a `,` $b attr-dict `:` type($condition) `,` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_ClampOp : Prim_Elementwise<"clamp", "void", "void", "void", [SameOperandsAndResultType]> {
  let summary = "min(max(x, lo), hi): NaN stays NaN, and lo > hi gives hi";
  let arguments = (ins Prim_Tensor:$x, Prim_Tensor:$lo, Prim_Tensor:$hi);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x `,` $lo `,` $hi attr-dict `:` type($x)";
}

def Prim_ConvertOp : Prim_Elementwise<"convert", "void", "void", "void"> {
  let summary = "Change of element type by value";
  let description = [{
    float to float rounds to nearest even (with `saturate`, out of range values and infinities become the
    largest finite number of an fp8 type); float to integer truncates, out-of-range values are wrapped from
    the 64-bit conversion, and values outside of 64 bits and NaN give 0; integer to integer
    wraps; anything to i1 is `x != 0`.
  }];
  let arguments = (ins Prim_Tensor:$x, UnitAttr:$saturate);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "(`saturate` $saturate^)? $x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Prim_BitcastOp : Prim_Elementwise<"bitcast", "::mlir::arith::BitcastOp", "::mlir::arith::BitcastOp", "::mlir::arith::BitcastOp"> {
  let summary = "The same bits as another element type of the same width";
  let arguments = (ins Prim_Tensor:$x);
  let results = (outs Prim_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

#endif // DYNAC_DIALECT_PRIM_PRIMELEMENTWISE_TD
