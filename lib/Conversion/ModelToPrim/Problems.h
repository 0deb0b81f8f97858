//===- Problems.h - everything wrong with a model, at once ------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_PROBLEMS_H
#define DYNAC_CONVERSION_PROBLEMS_H

#include "dynac/Dialect/Model/Model.h"
#include "dynac/Support/Diagnostic.h"

#include <map>

namespace dynac {

/// Collects what an import could not do: one entry for each operator, opset and reason, with its
/// first node.
class Problems {
public:
  explicit Problems(std::string file) : file(std::move(file)) {}

  void add(ExitCode code, model::NodeOp node, llvm::StringRef reason);
  /// A problem of the model as a whole.
  void add(ExitCode code, llvm::StringRef reason);
  bool empty() const { return entries.empty(); }
  /// Invalid ones first, each in the order of the file.
  llvm::Error take();

private:
  struct Entry {
    ExitCode code;
    std::string message;
    int64_t moreNodes = 0;
  };
  std::string file;
  std::vector<Entry> entries;
  std::map<std::string, size_t> byKey;
};

} // namespace dynac

#endif // DYNAC_CONVERSION_PROBLEMS_H
