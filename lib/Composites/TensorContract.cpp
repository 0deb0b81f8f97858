//===- TensorContract.cpp - contractions and convolutions -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

/// Floats contract with their own type, integers with any integers; the result is of the same kind.
static bool checkFactors(StringRef name, Tensor a, Tensor b, Type result) {
  bool fits = a.isFloat() || b.isFloat() ? a.dtype() == b.dtype() : true;
  fits &= a.isFloat() == isa<FloatType>(result);
  if (!fits)
    a.ctx().fail(name + ": element types " + typeText(a.dtype()) + " and " + typeText(b.dtype()) +
                 " do not give " + typeText(result));
  return fits;
}

Tensor dynac::dot(Tensor a, Tensor b, Axes batchA, Axes batchB, Axes contractA, Axes contractB,
                  Type dtype) {
  if (!a || !b)
    return invalidTensor({a, b});
  if (!dtype && accumulatorType(a.dtype()) != a.dtype()) {
    // Sums of halves are formed in f32 and rounded once.
    Tensor wide = dot(a, b, batchA, batchB, contractA, contractB, accumulatorType(a.dtype()));
    return convert(wide, a.dtype());
  }
  Type result = dtype ? dtype : a.dtype();
  if (!checkFactors("dot", a, b, result))
    return invalidTensor(a.ctx());
  prim::Misfit why;
  auto shape = prim::inferDot(a.shape(), b.shape(), batchA, batchB, contractA, contractB, why);
  if (!shape)
    return failTensor(a.ctx(), "dot", why);
  return build<prim::DotOp>(a.ctx(), prim::tensorType(*shape, result), a.value(), b.value(), batchA,
                            batchB, contractA, contractB);
}

/// Both stacks of matrices with equal stack axes.
static bool meetStacks(Tensor &a, Tensor &b) {
  prim::Misfit why;
  Shape stackA = a.shape(), stackB = b.shape();
  Shape matrixA(ArrayRef<SymExpr>(stackA).take_back(2));
  Shape matrixB(ArrayRef<SymExpr>(stackB).take_back(2));
  stackA.pop_back_n(2);
  stackB.pop_back_n(2);
  auto stack = prim::inferNumpyBroadcast(stackA, stackB, why);
  if (!stack) {
    a.ctx().fail("matmul", why);
    return false;
  }
  Shape shapeA = *stack, shapeB = *stack;
  llvm::append_range(shapeA, matrixA);
  llvm::append_range(shapeB, matrixB);
  a = broadcastTo(a, shapeA);
  b = broadcastTo(b, shapeB);
  return a && b;
}

Tensor dynac::matmul(Tensor a, Tensor b, Type dtype) {
  if (!a || !b)
    return invalidTensor({a, b});
  int64_t rankA = a.rank(), rankB = b.rank();
  if (rankA == 0 || rankB == 0)
    return failTensor(a.ctx(), "matmul: got a tensor without axes");
  int64_t rowsB = rankB == 1 ? 0 : rankB - 2; // the contracted axis of b
  if (rankB <= 2)
    return dot(a, b, {}, {}, rankA - 1, rowsB, dtype);
  if (rankA == 1) {
    // [K] x [.., K, N]: contract, the stack axes of b stay in front.
    return dot(a, b, {}, {}, int64_t(0), rowsB, dtype);
  }
  if (!meetStacks(a, b))
    return invalidTensor({a, b});
  int64_t rank = a.rank();
  SmallVector<int64_t> stack = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  return dot(a, b, stack, stack, rank - 1, rank - 2, dtype);
}

Tensor dynac::conv(Tensor x, Tensor w, Axes strides, Dims lo, Dims hi, Axes lhsDilation,
                   Axes rhsDilation, int64_t groups, Type dtype) {
  if (!x || !w)
    return invalidTensor({x, w});
  if (!dtype && accumulatorType(x.dtype()) != x.dtype()) {
    Tensor wide =
        conv(x, w, strides, lo, hi, lhsDilation, rhsDilation, groups, accumulatorType(x.dtype()));
    return convert(wide, x.dtype());
  }
  Type result = dtype ? dtype : x.dtype();
  if (!checkFactors("conv", x, w, result))
    return invalidTensor(x.ctx());
  prim::Misfit why;
  auto shape =
      prim::inferConv(x.shape(), w.shape(), strides, lo, hi, lhsDilation, rhsDilation, groups, why);
  if (!shape)
    return failTensor(x.ctx(), "conv", why);
  return build<prim::ConvOp>(x.ctx(), prim::tensorType(*shape, result), x.value(), w.value(),
                             strides, dimsAttr(x.ctx(), lo), dimsAttr(x.ctx(), hi), lhsDilation,
                             rhsDilation, static_cast<uint64_t>(groups));
}
