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
  for (const OpRow *row : table.rows()) {
    SupportedOperator &op = result.emplace_back();
    op.frontend = "onnx";
    op.domain = row->domain.empty() ? "ai.onnx" : row->domain;
    op.name = row->opType;
    op.since = row->since;
    op.until = table.lastOpset(*row);
    for (const TypeVariable &variable : row->variables)
      op.types.push_back({variable.name, variable.set, variable.types});
    for (size_t index : row->operands)
      op.operands.push_back(index == OpRow::notListed ? "_" : row->variables[index].name);
    for (const auto &[attribute, index] : row->typeAttributes)
      op.attributes.emplace_back(attribute, row->variables[index].name);
    for (const Limit *limit : row->limits)
      op.limits.push_back(limit->text);
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> elementTypeSets() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const TypeGroup &group : typeGroups())
    result.emplace_back(group.name.str(), group.types.str());
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
