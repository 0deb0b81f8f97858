//===- Table.h - the operator table of a front end --------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per operator and range of versions. The same rows drive the import, the list of
// unsupported operators and `dynac ops`: element types that a row does not list are refused before
// it runs, and what else it refuses it names by a `Limit` that it lists.
//
// Element types are listed as the words of one text, one for each operand:
//
//   "T=number"                   one type variable for all operands
//   "T=any Tind=index T"         Gather's data and indices; further operands are as the last one
//   "T=byte _ T"                 the second operand's types are not listed
//   "T1=number to:T2=number"     the attribute `to` is a data type, or a tensor, of T2
//
// A set is a union of names: element types as dynac writes them (f32, u8, bool) and the groups of
// `typeGroups`.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_TABLE_H
#define DYNAC_FRONTEND_TABLE_H

#include "dynac/Frontend/Node.h"

#include <map>
#include <vector>

namespace dynac {

/// A name of a set of element types.
struct TypeGroup {
  llvm::StringLiteral name, types; ///< "index", "i32|i64"
};
llvm::ArrayRef<TypeGroup> typeGroups();

/// A type variable of an operator, and the element types that it may stand for.
struct TypeVariable {
  std::string name;
  std::string set;                ///< as the row has it: "float|i32"
  std::vector<std::string> types; ///< its element types: "f16", "f32", ...
};

struct OpRow {
  std::string domain; ///< "" is ai.onnx
  std::string opType;
  int64_t since = 1;         ///< first opset of this row
  int64_t until = INT64_MAX; ///< last opset of this row
  bool inF32 = false;        ///< half-precision operands are computed in f32 and rounded once
  std::vector<TypeVariable> variables;
  std::vector<size_t> operands;                               ///< indices into `variables`
  std::vector<std::pair<std::string, size_t>> typeAttributes; ///< the same for attributes
  std::vector<const Limit *> limits;
  RowFunction build = nullptr;

  static constexpr size_t notListed = SIZE_MAX;
  /// The variable of operand i; null if it has none.
  const TypeVariable *operandTypes(size_t i) const {
    size_t index = operands.empty() ? notListed : operands[std::min(i, operands.size() - 1)];
    return index == notListed ? nullptr : &variables[index];
  }
};

/// "f32", "u8", "bool": how `dynac` writes an element type.
std::string elementTypeName(mlir::Type type);

class OpTable {
public:
  /// Adds a row. Chain: table.add("Gelu", 20, gelu, "T=float").inF32().until(27).limits({&x}).
  class Adder {
  public:
    explicit Adder(OpRow &row) : row(row) {}
    Adder &inF32() {
      row.inF32 = true;
      return *this;
    }
    Adder &until(int64_t opset) {
      row.until = opset;
      return *this;
    }
    Adder &limits(std::initializer_list<const Limit *> all) {
      row.limits = all;
      return *this;
    }

  private:
    OpRow &row;
  };
  Adder add(llvm::StringRef opType, int64_t since, RowFunction build, llvm::StringRef types,
            llvm::StringRef domain = "");

  /// The newest version of a domain whose operators the rows follow.
  void setNewest(llvm::StringRef domain, int64_t opset) { newest[domain.str()] = opset; }
  /// That version, if the domain has one.
  std::optional<int64_t> newestOf(llvm::StringRef domain) const {
    auto found = newest.find(domain.str());
    return found == newest.end() ? std::nullopt : std::optional(found->second);
  }
  /// The last opset that `row` is known to follow.
  int64_t lastOpset(const OpRow &row) const;

  /// The row for an operator at an opset, or null.
  const OpRow *find(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const;
  /// Why `find` gave null: "unknown operator", "needs opset >= 20".
  std::string whyNot(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const;
  /// All rows sorted by domain, operator, version.
  std::vector<const OpRow *> rows() const;

private:
  std::vector<std::unique_ptr<OpRow>> storage;
  std::map<std::string, std::vector<OpRow *>> byName; ///< "domain:op"
  std::map<std::string, int64_t> newest;
};

/// The ONNX operators: one registration function per file of Frontend/Onnx/Ops, called from
/// `makeOnnxOpTable` alone.
OpTable makeOnnxOpTable();

} // namespace dynac

#endif // DYNAC_FRONTEND_TABLE_H
