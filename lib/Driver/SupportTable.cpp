//===- SupportTable.cpp - which operators are supported -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/SupportTable.h"

#include "dynac/Frontend/Table.h"

namespace dynac {

std::vector<SupportedOperator> supportedOperators() {
  OpTable table = makeOnnxOpTable();
  std::vector<SupportedOperator> result;
  for (const OpRow *row : table.rows())
    result.push_back({"onnx", row->domain.empty() ? "ai.onnx" : row->domain, row->opType,
                      row->since, row->until, row->limits});
  return result;
}

std::vector<std::string> whyUnsupported(llvm::ArrayRef<OperatorUse> uses) {
  OpTable table = makeOnnxOpTable();
  std::vector<std::string> result;
  for (const OperatorUse &use : uses)
    result.push_back(table.find(use.domain, use.opType, use.opset)
                         ? ""
                         : table.whyNot(use.domain, use.opType, use.opset));
  return result;
}

} // namespace dynac
