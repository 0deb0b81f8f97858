//===- Compare.cpp - comparisons, logic and choice ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arith.h"

using namespace dynac;
using namespace dynac::onnx;

// Any comparison with NaN is false.
static Tensor less(Tensor a, Tensor b) { return a < b; }
static Tensor lessOrEqual(Tensor a, Tensor b) { return a <= b; }
static Tensor greater(Tensor a, Tensor b) { return a > b; }
static Tensor greaterOrEqual(Tensor a, Tensor b) { return a >= b; }

// The same primitives serve bool and integers bit by bit.
static Tensor both(Tensor a, Tensor b) { return a & b; }
static Tensor either(Tensor a, Tensor b) { return a | b; }
static Tensor exactlyOne(Tensor a, Tensor b) { return a ^ b; }
static Tensor negation(Tensor x) { return ~x; }

// x == +inf or x == -inf, as the attributes say
static RowStatus isInf(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  bool positive = n.i("detect_positive", 1) != 0, negative = n.i("detect_negative", 1) != 0;
  Tensor top = highest(n.ctx(), x.dtype()), bottom = lowest(n.ctx(), x.dtype());
  if (positive && negative)
    n.out(0, equal(abs(x), top));
  else if (positive || negative)
    n.out(0, equal(x, positive ? top : bottom));
  else
    n.out(0, full(n.ctx(), x.shape(), 0, n.ctx().builder.getI1Type()));
  return RowStatus::Done;
}

// condition ? x : y, all three broadcasting
static RowStatus where(Node &n) {
  n.out(0, select(n.in(0), n.in(1), n.in(2)));
  return RowStatus::Done;
}

void onnx::addCompareRows(OpTable &t) {
  t.add("Equal", 1, binary<equal>, "T=number|bool");
  t.add("Less", 1, binary<less>, "T=number");
  t.add("LessOrEqual", 12, binary<lessOrEqual>, "T=number");
  t.add("Greater", 1, binary<greater>, "T=number");
  t.add("GreaterOrEqual", 12, binary<greaterOrEqual>, "T=number");
  t.add("And", 1, binary<both>, "T=bool");
  t.add("Or", 1, binary<either>, "T=bool");
  t.add("Xor", 1, binary<exactlyOne>, "T=bool");
  t.add("Not", 1, unary<negation>, "T=bool");
  t.add("BitwiseAnd", 18, binary<both>, "T=int|uint");
  t.add("BitwiseOr", 18, binary<either>, "T=int|uint");
  t.add("BitwiseXor", 18, binary<exactlyOne>, "T=int|uint");
  t.add("BitwiseNot", 18, unary<negation>, "T=int|uint");
  t.add("IsNaN", 9, unary<isNan>, "T1=float|f8");
  t.add("IsInf", 10, isInf, "T1=float|f8").inF32();
  t.add("Where", 9, where, "B=bool T=number|bool|f8");
}
