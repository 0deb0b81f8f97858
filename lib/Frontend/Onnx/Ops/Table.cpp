//===- Table.cpp - the list of all families of ONNX operators -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;

OpTable dynac::makeOnnxOpTable() {
  OpTable table;
  // Those of onnx 1.23.2 and onnxruntime 1.32.
  table.setNewest("", 28);
  table.setNewest("ai.onnx.ml", 5);
  table.setNewest("ai.onnx.preview", 1);
  table.setNewest("ai.onnx.preview.training", 1);
  table.setNewest("com.microsoft", 1);
  onnx::addActivationRows(table);
  onnx::addArithRows(table);
  onnx::addAttentionRows(table);
  onnx::addClassicRows(table);
  onnx::addCompareRows(table);
  onnx::addConstantRows(table);
  onnx::addContribAttentionRows(table);
  onnx::addContribQuantRows(table);
  onnx::addContribRows(table);
  onnx::addControlRows(table);
  onnx::addConvRows(table);
  onnx::addEinsumRows(table);
  onnx::addFlexAttentionRows(table);
  onnx::addGatherRows(table);
  onnx::addHostRows(table);
  onnx::addLinearAlgebraRows(table);
  onnx::addLossRows(table);
  onnx::addMatMulRows(table);
  onnx::addMovementRows(table);
  onnx::addNormRows(table);
  onnx::addPoolRows(table);
  onnx::addQuantRows(table);
  onnx::addRandomRows(table);
  onnx::addRearrangeRows(table);
  onnx::addRecurrentRows(table);
  onnx::addReduceRows(table);
  onnx::addResizeRows(table);
  onnx::addSampleRows(table);
  onnx::addShapeRows(table);
  onnx::addSignalRows(table);
  onnx::addSliceRows(table);
  onnx::addStateSpaceRows(table);
  onnx::addTrainingRows(table);
  onnx::addTreeRows(table);
  onnx::addUnfoldRows(table);
  return table;
}

std::optional<llvm::SmallVector<int64_t>> onnx::axesOf(Node &n, int64_t rank, int64_t inputSince,
                                                       RowStatus &status) {
  llvm::SmallVector<int64_t> axes = n.ints("axes");
  if (n.opset() >= inputSince && n.hasInput(1)) {
    auto given = n.intsOf(1);
    if (!given) {
      status = n.unsupported(openAxes);
      return std::nullopt;
    }
    axes = *given;
  }
  for (int64_t &axis : axes) {
    if (axis < -rank || axis >= rank) {
      status = n.invalid("axis " + llvm::Twine(axis) + " of rank " + llvm::Twine(rank));
      return std::nullopt;
    }
    axis += axis < 0 ? rank : 0;
  }
  return axes;
}

SymExpr onnx::dividedBy(Node &n, const SymExpr &size, int64_t parts) {
  if (auto quotient = size.exactDiv(SymExpr(parts)))
    return *quotient;
  std::string message = std::to_string(parts) + " does not divide " + size.str();
  if (size.constant()) {
    n.ctx().fail(message);
    return SymExpr(0);
  }
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor rest = dimScalar(n.ctx(), size.mod(SymExpr(parts)), i64);
  require(n, equal(rest, fullLike(rest, 0)), message);
  return size.floorDiv(SymExpr(parts));
}

void onnx::require(Node &n, Tensor condition, const llvm::Twine &message) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; condition && axis < condition.rank(); ++axis)
    axes.push_back(axis);
  if (!axes.empty())
    condition = reduce(Combiner::and_, condition, axes);
  if (condition)
    n.ctx().builder.create<prim::AssertOp>(n.ctx().loc, condition.value(),
                                           n.ctx().builder.getStringAttr(message));
}
