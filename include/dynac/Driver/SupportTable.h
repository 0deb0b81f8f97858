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

/// One row of the front ends' own tables.
struct SupportedOperator {
  std::string frontend; ///< "onnx"
  std::string domain;   ///< "ai.onnx", ...
  std::string name;
  int64_t since = 1, until = INT64_MAX; ///< opsets
  std::string limits;                   ///< what of it is refused; "" nothing
};

/// All rows, sorted by front end, domain, name, version.
std::vector<SupportedOperator> supportedOperators();

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
