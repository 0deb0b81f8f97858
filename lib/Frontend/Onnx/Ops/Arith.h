//===- Arith.h - rows of two operands -------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_ARITH_H
#define DYNAC_FRONTEND_ONNX_OPS_ARITH_H

#include "Families.h"

namespace dynac::onnx {

/// Both operands; before opset 7, b has the axes that `broadcast` and `axis` give it.
std::pair<Tensor, Tensor> binaryOperands(Node &n);

/// A row that applies one function to two operands, which broadcast.
template <Tensor (*F)(Tensor, Tensor)> RowStatus binary(Node &n) {
  auto [a, b] = binaryOperands(n);
  n.out(0, F(a, b));
  return RowStatus::Done;
}

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_ARITH_H
