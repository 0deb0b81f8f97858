//===- Walk.h - the import walk and its nodes -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_WALK_H
#define DYNAC_CONVERSION_WALK_H

#include "Guesses.h"
#include "Problems.h"
#include "ShapeValues.h"

#include "dynac/Frontend/Table.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dynac {

/// Builds primitives for nodes in topological order. An operator that fails leaves its results
/// without a value, and nodes that use them are only looked up, so that one walk finds every
/// unsupported operator.
class Walk {
public:
  Walk(mlir::OpBuilder &builder, const OpTable &table, const WeightStore *weights,
       Problems &problems, Assumptions &assumptions, Guesses &guesses, int64_t firstFresh)
      : context(builder, builder.getUnknownLoc()), values(weights, assumptions), weights(weights),
        table(table), problems(problems), assumptions(assumptions), guesses(guesses) {
    context.nextSymbol = firstFresh;
  }

  /// The prim value of a model value; null if it has none.
  mlir::Value value(mlir::Value modelValue) const { return imported.lookup(modelValue); }
  void setValue(mlir::Value modelValue, mlir::Value value) { imported[modelValue] = value; }
  /// Imports the operators of `block` up to its terminator, which it returns.
  model::OutputOp runBlock(mlir::Block &block);
  /// Whether the walk ended early, to start again with one more assumption.
  bool mustRestart() const { return restart; }

  SymExpr clampDim(const SymExpr &wanted, const SymExpr &limit);
  void assumeLe(const SymExpr &small, const SymExpr &large);
  /// A literal of at most 1 KB, else a reference.
  mlir::Value constant(const model::WeightAttr &weight, mlir::Location loc);

  /// A place for operations whose types alone are of interest. They live until `dropScratch`, as
  /// what is known of values is kept by their address.
  mlir::Block *scratchBlock();
  void dropScratch() { scratch = {}; }

  TensorContext context;
  ShapeValues values;

private:
  void runNode(model::NodeOp node);
  /// A clamped bound in the sizes that a failed node needs equal, or else in any of its operands'
  /// sizes: that it fits.
  std::optional<Guesses::Pair> openBoundOf(model::NodeOp node);
  /// The dimensions for which the last node failed.
  std::optional<Guesses::Pair> unequalSizes() const;
  /// Small integer results whose elements are known, in their shortest form.
  mlir::Value shortest(mlir::Value value);

  const WeightStore *weights;
  const OpTable &table;
  Problems &problems;
  Assumptions &assumptions;
  Guesses &guesses;
  llvm::DenseMap<mlir::Value, mlir::Value> imported;
  struct Clamp {
    SymExpr wanted, limit;
    std::string text;
  };
  std::vector<Clamp> clamps;
  mlir::OwningOpRef<mlir::ModuleOp> scratch;
  bool restart = false;
};

/// Runs `row` on `node`; results go to `outputs` (null: not set).
struct RowOutcome {
  RowStatus status = RowStatus::Done;
  std::string reason;
  llvm::SmallVector<mlir::Value> outputs;
};
RowOutcome runRow(Walk &walk, model::NodeOp node, const OpRow &row);

} // namespace dynac

#endif // DYNAC_CONVERSION_WALK_H
