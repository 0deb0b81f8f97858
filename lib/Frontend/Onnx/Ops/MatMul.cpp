//===- MatMul.cpp - matrix products ---------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;

// numpy's matmul. Half-precision operands accumulate in f32.
static RowStatus matMul(Node &n) {
  Tensor a = n.in(0), b = n.in(1);
  if (!a || !b)
    return RowStatus::Done;
  if (a.rank() == 0 || b.rank() == 0)
    return n.invalid("a scalar operand");
  n.out(0, matmul(a, b));
  return RowStatus::Done;
}

// alpha * a' b' + beta * c, a' = transA ? aT : a; c broadcasts to the product
static RowStatus gemm(Node &n) {
  Tensor a = n.in(0), b = n.in(1), c = n.in(2, /*optional=*/true);
  if (!a || !b)
    return RowStatus::Done;
  if (a.rank() != 2 || b.rank() != 2)
    return n.invalid("operands " + prim::shapeText(a.shape()) + " and " +
                     prim::shapeText(b.shape()) + " are no matrices");
  double alpha = n.f("alpha", 1), beta = n.f("beta", 1);
  int64_t contractA = n.i("transA", 0) ? 0 : 1, contractB = n.i("transB", 0) ? 1 : 0;
  Tensor y = dot(a, b, {}, {}, contractA, contractB);
  if (alpha != 1)
    y = y * alpha;
  if (c && y && beta != 0) {
    c = beta == 1 ? c : c * beta;
    y = y + broadcastTo(c, y.shape());
  }
  n.out(0, y);
  return RowStatus::Done;
}

/// x - zero point in i32, the zero point being absent, a scalar, one per row (`perRow`) or one per
/// column.
static Tensor shifted(Node &n, int64_t operand, int64_t zeroPoint, bool perRow) {
  mlir::Type i32 = n.ctx().builder.getI32Type();
  Tensor x = convert(n.in(operand), i32);
  if (!n.hasInput(zeroPoint) || !x)
    return x;
  Tensor zero = convert(n.in(zeroPoint), i32);
  if (zero && zero.rank() == 1 && perRow)
    zero = unsqueeze(zero, 1);
  return x - zero;
}

// (a - a_zero_point) (b - b_zero_point) in i32
static RowStatus matMulInteger(Node &n) {
  Tensor a = shifted(n, 0, 2, /*perRow=*/true), b = shifted(n, 1, 3, /*perRow=*/false);
  if (a && b)
    n.out(0, matmul(a, b));
  return RowStatus::Done;
}

void onnx::addMatMulRows(OpTable &t) {
  t.add("MatMul", 1, matMul, "T=number").inF32();
  t.add("Gemm", 1, gemm, "T=number").inF32();
  t.add("MatMulInteger", 10, matMulInteger, "T1=byte T2=byte T1 T2");
}
