//===- Node.h - one operator of a file, as a row sees it --------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of the operator table is a function of a `Node`: it reads operands, attributes and shape
// values, and sets outputs. Rows include this header only.
//
// Half precision: where a row says `inF32`, operands of f16 and bf16 arrive as f32 and the outputs
// are rounded once, to the type that the operator's rule gives them.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_NODE_H
#define DYNAC_FRONTEND_NODE_H

#include "dynac/Composites/Composites.h"
#include "dynac/Composites/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace dynac {

/// How a row ended: done, not supported (exit code 4) or invalid (exit code 3).
enum class RowStatus { Done, Unsupported, Invalid };

/// Something of its operator that a row refuses, such as an attribute's value. It is named once:
/// the row lists it (`OpTable::Adder::limits`), for `dynac ops`, and ends with it
/// (`Node::unsupported`).
struct Limit {
  const char *text;
};

class Node {
public:
  virtual ~Node() = default;

  //===-- What the node is --===//
  virtual TensorContext &ctx() = 0;
  virtual int64_t opset() const = 0; ///< of the node's domain in its model or function
  virtual llvm::StringRef opType() const = 0;
  virtual llvm::StringRef domain() const = 0;

  //===-- Operands --===//
  virtual int64_t inputCount() const = 0; ///< trailing absent ones not counted
  virtual int64_t outputCount() const = 0;
  virtual bool hasInput(int64_t i) const = 0;  ///< present and named
  virtual bool hasOutput(int64_t i) const = 0; ///< used by name
  /// The rank that the file declares for output i, if it does.
  virtual std::optional<int64_t> declaredRank(int64_t i) const = 0;
  /// Operand i; an absent one gives an invalid tensor and, unless `optional`, fails the row.
  virtual Tensor in(int64_t i, bool optional = false) = 0;
  /// Element type of operand i as the file has it (before inF32).
  virtual mlir::Type inputType(int64_t i) = 0;
  /// The values of an integer operand of at most 64 elements, when they are known while importing
  /// (numbers or dimension expressions).
  virtual std::optional<llvm::SmallVector<SymExpr>> dimsOf(int64_t i) = 0;
  /// The same when all are numbers.
  virtual std::optional<llvm::SmallVector<int64_t>> intsOf(int64_t i) = 0;
  /// Values of a constant operand (any numeric type, at most 4096 elements) as doubles.
  virtual std::optional<llvm::SmallVector<double>> floatsOf(int64_t i) = 0;
  /// Like dimsOf but turns data-dependent values into dimensions (bind_dim): always succeeds on 1-D
  /// or 0-D integer operands of known length; `upper` bounds each value.
  virtual std::optional<llvm::SmallVector<SymExpr>> bindDims(int64_t i) = 0;

  //===-- Attributes --===//
  virtual bool has(llvm::StringRef name) const = 0;
  virtual int64_t i(llvm::StringRef name, int64_t defaultValue) = 0;
  virtual double f(llvm::StringRef name, double defaultValue) = 0;
  virtual std::string s(llvm::StringRef name, llvm::StringRef defaultValue) = 0;
  virtual llvm::SmallVector<int64_t> ints(llvm::StringRef name,
                                          llvm::ArrayRef<int64_t> defaultValue = {}) = 0;
  virtual llvm::SmallVector<double> floats(llvm::StringRef name) = 0;
  virtual llvm::SmallVector<std::string> strings(llvm::StringRef name) = 0;
  /// A tensor attribute as a constant or weight.
  virtual Tensor tensor(llvm::StringRef name) = 0;
  /// The element type that a data-type number (TensorProto.DataType) means; fails the row if
  /// unknown.
  virtual mlir::Type dtypeOf(int64_t number) = 0;

  //===-- Results --===//
  /// Sets output i, rounding to the operands' half type if the row computes in f32. Ignored if not
  /// used.
  virtual void out(int64_t i, Tensor value) = 0;
  /// Sets output i to a tensor of exactly `dtype`, converting if need be.
  virtual void outAs(int64_t i, Tensor value, mlir::Type dtype) = 0;
  /// Sets output i and records its values for `dimsOf` of later nodes.
  virtual void outDims(int64_t i, llvm::ArrayRef<SymExpr> values, int64_t rank,
                       mlir::Type dtype) = 0;

  //===-- Dimensions --===//
  /// The smaller of `wanted` and `limit`, for bounds that clamp: where neither is provably smaller,
  /// the import may later assume that `wanted` fits, if the model is wrong otherwise (positions [0,
  /// S) of a table of 512 rows added to S rows). The assumption becomes part of the entry contract.
  virtual SymExpr clampDim(const SymExpr &wanted, const SymExpr &limit) = 0;

  /// Takes small <= large for granted, as part of the entry contract.
  virtual void assumeLe(const SymExpr &small, const SymExpr &large) = 0;

  //===-- Sub-graphs (control flow) --===//
  virtual bool hasGraph(llvm::StringRef name) const = 0;
  /// Number of inputs of the graph attribute `name`.
  virtual int64_t graphInputCount(llvm::StringRef name) const = 0;
  /// Whether output `output` of the graph is true whatever happens: a constant, or the condition
  /// that it was given.
  virtual bool graphGivesTrue(llvm::StringRef name, int64_t output) const = 0;
  /// Imports the graph attribute `name` at the builder's insertion point with `arguments` for its
  /// inputs, and returns its outputs. Outer values are used directly. Nothing if it failed: the row
  /// then returns Done.
  virtual std::optional<Tensors> importGraph(llvm::StringRef name,
                                             llvm::ArrayRef<Tensor> arguments) = 0;
  /// The same at a scratch place: only the outputs' types are of use.
  virtual std::optional<Tensors> probeGraph(llvm::StringRef name,
                                            llvm::ArrayRef<Tensor> arguments) = 0;

  //===-- Endings --===//
  /// "attribute 'mode': got 'cubic', expected ..."; the caller adds node, operator and opset.
  virtual RowStatus invalid(const llvm::Twine &reason) = 0;
  /// The limit's text, and what is met: "branches of different shapes: [2] and [3]".
  virtual RowStatus unsupported(const Limit &limit, const llvm::Twine &met = "") = 0;
};

using RowFunction = RowStatus (*)(Node &);

} // namespace dynac

#endif // DYNAC_FRONTEND_NODE_H
