//===- Table.h - the operator table of a front end --------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per operator and range of versions. The same rows drive the import, the list of
// unsupported operators and `dynac ops`.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_TABLE_H
#define DYNAC_FRONTEND_TABLE_H

#include "dynac/Frontend/Node.h"

#include <map>
#include <vector>

namespace dynac {

struct OpRow {
  std::string domain; ///< "" is ai.onnx
  std::string opType;
  int64_t since = 1;         ///< first opset of this row
  int64_t until = INT64_MAX; ///< last opset of this row
  bool inF32 = false;        ///< half-precision operands are computed in f32 and rounded once
  /// Attribute values, types or forms of the operator that the row refuses ("" none), for `dynac
  /// ops`.
  std::string limits;
  RowFunction build = nullptr;
};

class OpTable {
public:
  /// Adds a row. Chain: table.add("Gelu", 20, gelu).inF32().until(27).limits("...").
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
    Adder &limits(llvm::StringRef text) {
      row.limits = text.str();
      return *this;
    }

  private:
    OpRow &row;
  };
  Adder add(llvm::StringRef opType, int64_t since, RowFunction build, llvm::StringRef domain = "");

  /// The row for an operator at an opset, or null.
  const OpRow *find(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const;
  /// Why `find` gave null: "unknown operator", "needs opset >= 20".
  std::string whyNot(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const;
  /// All rows sorted by domain, operator, version.
  std::vector<const OpRow *> rows() const;

private:
  std::vector<std::unique_ptr<OpRow>> storage;
  std::map<std::string, std::vector<OpRow *>> byName; ///< "domain:op"
};

/// The ONNX operators: one registration function per file of Frontend/Onnx/Ops, called from
/// `makeOnnxOpTable` alone.
OpTable makeOnnxOpTable();

} // namespace dynac

#endif // DYNAC_FRONTEND_TABLE_H
