//===- Emitter.h - pulls elements of a region's values ----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_CONVERSION_PRIMTOLOOPS_EMITTER_H
#define DYNAC_LIB_CONVERSION_PRIMTOLOOPS_EMITTER_H

#include "Access.h"
#include "Plan.h"
#include "Rows.h"
#include "dynac/Conversion/PrimToLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

namespace dynac::loops {

using mlir::Location;
using mlir::OpBuilder;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using Values = llvm::SmallVector<Value, 2>;

/// The results of one op at one place.
struct Element {
  Indices indices;
  unsigned level;
  Values values;
};

class Emitter {
public:
  Emitter(prim::RegionOp region, KernelFrame &frame);

  /// Emits the kernel's body.
  void run();

  //===--- Elements --------------------------------------------------------===//

  /// The element of `value` at `indices`, as a scalar. Where it was computed before, that value.
  Value emit(Value value, IndicesRef indices);
  /// Stores a scalar into the buffer of result `result`.
  void store(unsigned result, IndicesRef indices, Value scalar);

  //===--- Index arithmetic ------------------------------------------------===//

  /// A dimension, computed once at the kernel's begin.
  Value dim(const SymExpr &expr);
  Value constantIndex(int64_t value) { return dim(SymExpr(value)); }
  Value index(const Index &index);
  /// Whether all guards hold (i1).
  Value condition(llvm::ArrayRef<Guard> guards);
  /// A loaded coordinate, brought to index type by the signedness of its prim element type.
  Value toIndex(Value scalar, Type primType);

  //===--- Control flow ----------------------------------------------------===//
  //
  // Each loop body and each arm is a scope with a number, its level. A value is emitted at the
  // innermost scope or, if it's expensive, at the outermost that knows its indices.

  using LoopBody = llvm::function_ref<Values(Value iv, ValueRange carried)>;
  /// for iv in [lb, ub) by step. Returns the carried values.
  Values loop(Value lb, Value ub, Value step, ValueRange init, LoopBody body);
  Values loop(const SymExpr &extent, ValueRange init, LoopBody body);
  void loop(Value lb, Value ub, Value step, llvm::function_ref<void(Value iv)> body);
  void loop(const SymExpr &extent, llvm::function_ref<void(Value iv)> body);
  using Arm = llvm::function_ref<Values()>;
  Values branch(Value condition, mlir::TypeRange types, Arm thenArm, Arm elseArm);
  void branch(Value condition, llvm::function_ref<void()> thenArm);
  /// while (condition(state)) state = body(state).
  Values whileLoop(ValueRange init, llvm::function_ref<Value(ValueRange)> condition,
                   llvm::function_ref<Values(ValueRange)> body);

  /// Whether a loop of so many steps is worth vectors.
  bool fillsVectors(const SymExpr &extent) const;
  /// Whether `value` along `var` is a vector, or one scalar for all lanes; `known` are.
  bool isVector(Value value, IndicesRef indices, unsigned var, llvm::ArrayRef<Value> known = {});
  /// For vectors of elements in [0, extent): `copies` of the body side by side, each with its share
  /// of the carried values, then what is left over. The body gets a vector variable.
  using VectorBody = llvm::function_ref<Values(unsigned var, ValueRange carried)>;
  Values vectorLoop(const SymExpr &extent, size_t copies, ValueRange init, VectorBody body);
  Value splat(Value value);

  unsigned level() const { return scopes.size() - 1; }
  /// The outermost level at which something that depends on `indices` may be emitted.
  unsigned hoistLevel(IndicesRef indices, bool lanesToo = true) const;
  void atLevel(unsigned level, llvm::function_ref<void()> emit);
  /// A variable for a value of the current scope.
  Index variable(Value value, const SymExpr &extent);

  //===--- Scalars ---------------------------------------------------------===//

  Value constant(Type scalarType, double value);
  Value select(Value condition, Value a, Value b);
  Value cmp(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  /// The prim element type of a value of the region.
  static Type elementType(Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  }

  KernelFrame &frame;
  OpBuilder &b;
  const Location loc;
  prim::RegionOp region;
  IndexSpace space;

  /// Lane loops: how many of the variable's lanes exist in this tile.
  llvm::DenseMap<unsigned, Value> laneCounts;
  static constexpr int64_t rowLanes = 64;

  /// Buffer `number` (operands, results, workspace) as a one-dimensional array.
  Value flatBuffer(unsigned number) { return flat[number]; }

private:
  struct Scope {
    mlir::Operation *op = nullptr; ///< in the parent scope
    bool isArm = false;            ///< nothing is moved out of the arm of an if
  };

  // Roots (Nest.cpp).
  void emitRoot(const RootPlan &plan, Value begin, Value end);
  void emitInner(const RootPlan &plan, IndicesRef outer, Value lb, Value ub, const SymExpr &extent);
  void emitSplits(const RootPlan &plan, IndicesRef outer, Value lb, Value ub,
                  const SymExpr &extent);
  void emitSplit(const Split &split, std::optional<unsigned> var, Value lb, Value ub,
                 llvm::function_ref<void(Value lb, Value ub)> inside);
  std::optional<size_t> chosenSegment(mlir::Operation *op, size_t axis) const;
  void emitBlock(const RootPlan &plan, const Index &unit);
  void emitTile(const RootPlan &plan, IndicesRef outer, Value start, Value count,
                const SymExpr &extent);
  void emitElements(const RootPlan &plan, IndicesRef outer, const Index &inner);

  bool emitVectors(const RootPlan &plan, IndicesRef outer, const SymExpr &extent);

  Values emitOp(mlir::Operation *op, IndicesRef indices);
  Value load(Value flatMemref, Type primType, const Index &linear);

  // Movement.cpp
  Value emitConstant(prim::ConstantOp op, IndicesRef indices);
  Value emitIota(prim::IotaOp op, IndicesRef indices);
  Value emitDims(prim::DimsToTensorOp op, IndicesRef indices);
  Value emitPad(prim::PadOp op, IndicesRef indices);
  Value emitConcat(prim::ConcatOp op, IndicesRef indices);
  Value emitGather(prim::GatherOp op, IndicesRef indices);
  Value emitDynamicSlice(prim::DynamicSliceOp op, IndicesRef indices);
  Value emitDynamicUpdateSlice(prim::DynamicUpdateSliceOp op, IndicesRef indices);
  Indices blockStarts(Value starts, Dims outer, Dims block);
  Index coordinate(Value indices, IndicesRef position, const SymExpr &extent);

  // Reduce.cpp
  Values emitReduction(mlir::Operation *op, IndicesRef indices);
  Values reduceInner(mlir::Operation *op, IndicesRef indices);
  Values reduceVectors(mlir::Operation *op, const Access &access, unsigned var,
                       std::optional<size_t> pass);
  Values reduceRow(mlir::Operation *op, IndicesRef indices, unsigned lane);
  Values emitRow(mlir::Operation *op, IndicesRef indices, unsigned lane);

  // Vectors.cpp
  Value loadVector(Value flatMemref, const Index &linear, const Var &var);
  void storeVector(Value flatMemref, const Index &linear, Value vector);
  void readKept(size_t pass, IndicesRef place);
  void writeKept(size_t pass, IndicesRef place);
  std::pair<Value, Index> keptAt(const KeptValue &kept, IndicesRef place);

  // Random.cpp
  Value emitRngBits(prim::RngBitsOp op, IndicesRef indices);

  // One file per family: whole-tensor ops over units [begin, end).
  void emitSort(prim::SortOp op, Value begin, Value end);
  void emitTopK(prim::TopKOp op, Value begin, Value end);
  void emitCumulative(prim::CumulativeOp op, Value begin, Value end);
  void emitScatter(prim::ScatterOp op, Value begin, Value end);
  void emitNonzero(prim::NonzeroOp op, Value begin, Value end);
  void emitFft(prim::FftOp op, Value begin, Value end);
  /// One line of `shape` along `axis`: the indices without it, for unit `unit`.
  Indices lineIndices(Value unit, Dims shape, int64_t axis);
  /// The number of the region's result that `value` is.
  llvm::SmallVector<unsigned> resultsOf(Value value);
  void storeAll(Value result, IndicesRef indices, Value scalar);

  llvm::SmallVector<Scope> scopes;
  struct Coordinate {
    Indices position;
    SymExpr extent;
    unsigned level;
    Index index;
  };
  /// What was emitted, with the level of its scope: valid up to the end of that scope.
  struct Known {
    llvm::DenseMap<void *, std::vector<Element>> memo; ///< by op, or by block argument
    llvm::DenseMap<Value, std::vector<Coordinate>> coordinates;
    /// Rows of lanes: their `values` are arrays on the stack, their indices have the lane variable
    /// `anyLane`.
    llvm::DenseMap<mlir::Operation *, std::vector<Element>> rows;
    llvm::DenseMap<unsigned, std::pair<Value, unsigned>> digits;
  };
  Known known;
  void pushScope(mlir::Operation *op, bool isArm);
  void popScope();
  /// Removes what is of deeper scopes than the current one.
  Known takeInner();
  void putBack(Known taken);

  llvm::StringMap<Value> dims;
  llvm::DenseMap<mlir::Operation *, Value> tables;
  struct Choice {
    mlir::Operation *op;
    size_t axis, segment;
  };
  llvm::SmallVector<Choice> choices; ///< the segments that the current loops are in
  llvm::SmallVector<Value> flat;
  RowSchedule *row = nullptr; ///< the passes over the current row
  mlir::Operation *prologueEnd = nullptr;
  unsigned anyLane = 0;
  unsigned workspaceNumber = 0; ///< of the next root that needs some
};

/// The start value of a reduction.
Value neutralElement(OpBuilder &b, Location loc, prim::Combiner combiner, Type primType);
/// One step. `reassociate`: additions and products of floats may be regrouped.
Value combine(OpBuilder &b, Location loc, prim::Combiner combiner, Type primType, Value a, Value x,
              bool reassociate);
/// The type in which a reduction to `primType` accumulates: f32 for the types below it.
Type accumulatorType(Type primType);

} // namespace dynac::loops

#endif // DYNAC_LIB_CONVERSION_PRIMTOLOOPS_EMITTER_H
