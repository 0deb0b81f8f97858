//===- Access.h - which elements of its operands an op reads ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index maps of movement ops and reductions, as data: the emitter follows them to emit code,
// the walker to find out which loops a region wants.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ACCESS_H
#define DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ACCESS_H

#include "Index.h"
#include "dynac/Dialect/Prim/Prim.h"

namespace dynac::loops {

/// 0 <= index < extent * divisor and index % divisor == 0.
struct Guard {
  Index index;
  SymExpr extent;
  int64_t divisor = 1;
  size_t axis = 0;
};

/// One element of `operand`, which exists where all guards hold.
struct Access {
  mlir::Value operand;
  Indices indices;
  llvm::SmallVector<Guard, 2> guards;
};

/// What a view (an op that only renames elements) reads; nothing for other ops.
std::optional<Access> viewAccess(IndexSpace &space, mlir::Operation *op, IndicesRef indices);

/// What a pad reads where it is not padding.
Access padAccess(IndexSpace &space, prim::PadOp op, IndicesRef indices);

/// Whether `op` combines many elements into one: reduce, arg_reduce, reduce_window, dot, conv.
bool isReduction(mlir::Operation *op);
/// The loops that a reduction runs over.
llvm::SmallVector<SymExpr> reducedDims(mlir::Operation *op);
/// What one step of a reduction reads: one access, or the two factors. All accesses have the same
/// guards.
llvm::SmallVector<Access, 2> reductionAccesses(IndexSpace &space, mlir::Operation *op,
                                               IndicesRef indices, IndicesRef reduced);

/// How the indices of a gather's or scatter's result are made up.
struct GatherAccess {
  Indices batch, slab;
  /// Of indices: [batch…, I…], to be followed by the coordinate's number.
  Indices position;
  /// Indices in x, given the coordinates.
  Indices inX(llvm::ArrayRef<int64_t> axes, IndicesRef coordinates, size_t rank) const;
};
GatherAccess gatherAccess(IndicesRef indices, size_t indicesRank, int64_t batch);

/// The indices of an element of `value` with 0 along axes of size 1, whatever they were: equal for
/// equal elements.
Indices placeOf(mlir::Value value, IndicesRef indices);

/// A place where the source of an element changes along an index: `segments` of [bounds[i-1],
/// bounds[i]) each read from one operand only. Concat: segment i is operand i. Pad: 0 and 2 are
/// padding along `axis`, 1 is x.
struct Split {
  mlir::Operation *op;
  size_t axis;
  Index index;
  llvm::SmallVector<SymExpr> bounds;
  bool isUnique = true; ///< reached by this index only
};

/// Walks a value's computation without emitting it.
class AccessWalker {
public:
  explicit AccessWalker(IndexSpace &space) : space(space) {}
  void walk(mlir::Value value, IndicesRef indices);

  /// Every index that has to be computed: linear addresses, guards, values of iota.
  std::vector<Index> forms;
  /// Rough number of scalar operations.
  double cost = 0;
  /// If set: whether some reduction should run over rows of lanes along this variable.
  std::optional<unsigned> lane;
  bool wantsRows = false;
  std::vector<Split> splits;
  /// Reductions of more than one element, and where they are asked for.
  struct Asked {
    mlir::Operation *op;
    Indices indices;
    bool isInner; ///< by what another reduction combines
    double cost;
  };
  std::vector<Asked> reductions;

private:
  void walkOp(mlir::Operation *op, IndicesRef indices);
  void walkReduction(mlir::Operation *op, IndicesRef indices);
  void addGuards(llvm::ArrayRef<Guard> guards);
  void addSplit(mlir::Operation *op, size_t axis, const Index &index,
                llvm::SmallVector<SymExpr> bounds);
  IndexSpace &space;
  llvm::DenseMap<mlir::Value, std::vector<Indices>> visited;
  double weight = 1;
  unsigned depth = 0; ///< of reductions
};

/// Whether two adjacent loops (`outer`, then `inner` of extent `innerExtent`) can be one in all
/// `forms`.
bool canMerge(const IndexSpace &space, llvm::ArrayRef<Index> forms, unsigned outer, unsigned inner);

/// Whether a reduction with these accesses is better done for a row of lanes at a time.
bool preferRows(IndexSpace &space, mlir::Operation *op, IndicesRef indices, unsigned lane);

/// A number for estimates: the constant, or a guess.
double estimate(const SymExpr &expr);
/// Scalar operations that an elementwise op is worth.
double scalarCost(mlir::Operation *op);

} // namespace dynac::loops

#endif // DYNAC_LIB_CONVERSION_PRIMTOLOOPS_ACCESS_H
