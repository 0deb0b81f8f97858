//===- Families.h - the registration function of each file of rows --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file of this folder holds the rows of one family. A row's formula stands above it in ASCII;
// x, y, … are its operands in order. Rows start at the version whose meaning they have: 1 where
// every version means the same. The opset-7 rule of broadcasting replaced attributes in older
// versions, see Arith.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_FAMILIES_H
#define DYNAC_FRONTEND_ONNX_OPS_FAMILIES_H

#include "dynac/Frontend/Table.h"

#include <cmath>

namespace dynac::onnx {

void addActivationRows(OpTable &table);
void addArithRows(OpTable &table);
void addAttentionRows(OpTable &table);
void addClassicRows(OpTable &table);
void addCompareRows(OpTable &table);
void addConstantRows(OpTable &table);
void addContribAttentionRows(OpTable &table);
void addContribQuantRows(OpTable &table);
void addContribRows(OpTable &table);
void addControlRows(OpTable &table);
void addConvRows(OpTable &table);
void addEinsumRows(OpTable &table);
void addFlexAttentionRows(OpTable &table);
void addGatherRows(OpTable &table);
void addHostRows(OpTable &table);
void addLinearAlgebraRows(OpTable &table);
void addLossRows(OpTable &table);
void addMatMulRows(OpTable &table);
void addMovementRows(OpTable &table);
void addNormRows(OpTable &table);
void addPoolRows(OpTable &table);
void addQuantRows(OpTable &table);
void addRandomRows(OpTable &table);
void addRearrangeRows(OpTable &table);
void addRecurrentRows(OpTable &table);
void addReduceRows(OpTable &table);
void addResizeRows(OpTable &table);
void addSampleRows(OpTable &table);
void addShapeRows(OpTable &table);
void addSignalRows(OpTable &table);
void addSliceRows(OpTable &table);
void addStateSpaceRows(OpTable &table);
void addTrainingRows(OpTable &table);
void addTreeRows(OpTable &table);
void addUnfoldRows(OpTable &table);

/// A size that a file holds as a floating-point number, cut towards 0. NaN and what is beyond exact
/// integers are an overflow, which is no tensor's size.
inline SymExpr sizeOf(double number) {
  return std::abs(number) < 0x1p53 ? SymExpr(int64_t(number)) : SymExpr(INT64_MAX) + SymExpr(1);
}

/// A row that applies one function to its operands.
template <Tensor (*F)(Tensor)> RowStatus unary(Node &n) {
  n.out(0, F(n.in(0)));
  return RowStatus::Done;
}

/// Limits of more than one family.
inline constexpr Limit openList{"a list of sizes whose length only the run knows"};
inline constexpr Limit openAxes{"axes whose number only the run knows"};
inline constexpr Limit noStrings{"strings"};

/// Axes of an attribute or, since `inputSince`, of operand 1; normalised. Empty where none are
/// given. Nothing if they are not known while importing or out of range: `status` is the row's end
/// then.
std::optional<llvm::SmallVector<int64_t>> axesOf(Node &n, int64_t rank, int64_t inputSince,
                                                 RowStatus &status);

/// size / parts. Where the import cannot prove that `parts` divides `size`, the run checks it; a
/// number that it does not divide is an error of the formula.
SymExpr dividedBy(Node &n, const SymExpr &size, int64_t parts);

/// Ends the run with `message` unless all elements of the bool tensor are true.
void require(Node &n, Tensor condition, const llvm::Twine &message);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_FAMILIES_H
