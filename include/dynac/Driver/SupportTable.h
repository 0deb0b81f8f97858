//===- SupportTable.h - which operators are supported -----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_SUPPORTTABLE_H
#define DYNAC_DRIVER_SUPPORTTABLE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynac {

/// A type variable, and the element types that it may stand for.
struct SupportedTypes {
  std::string name;
  std::string set;                ///< in short: "float|i32"
  std::vector<std::string> types; ///< "f16", "bf16", ...
};

/// One row of the front ends' own tables.
struct SupportedOperator {
  std::string frontend; ///< "onnx"
  std::string domain;   ///< "ai.onnx", ...
  std::string name;
  int64_t since = 1, until = 1; ///< opsets
  std::vector<SupportedTypes> types;
  /// The type variable of each operand; further ones are as the last. "_": not listed.
  std::vector<std::string> operands;
  /// Attributes that are element types or tensors, and their type variables.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::string> limits; ///< what of it is refused
};

/// All rows, sorted by front end, domain, name, version.
std::vector<SupportedOperator> supportedOperators();

/// The names of sets of element types that rows use: "index" and "i32|i64".
std::vector<std::pair<std::string, std::string>> elementTypeSets();

/// An ONNX operator as a model uses it.
struct OperatorUse {
  std::string domain; ///< "" is ai.onnx
  std::string opType;
  int64_t opset = 0;
};

/// For each use why it is not supported ("unknown operator"); "" if it is.
std::vector<std::string> whyUnsupported(llvm::ArrayRef<OperatorUse> uses);

} // namespace dynac

#endif // DYNAC_DRIVER_SUPPORTTABLE_H
