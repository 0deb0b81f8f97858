//===- Table.cpp - the operator table of a front end ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Table.h"

#include <tuple>

using namespace dynac;

static std::string keyOf(llvm::StringRef domain, llvm::StringRef opType) {
  return (domain + ":" + opType).str();
}

OpTable::Adder OpTable::add(llvm::StringRef opType, int64_t since, RowFunction build,
                            llvm::StringRef domain) {
  storage.push_back(std::make_unique<OpRow>());
  OpRow &row = *storage.back();
  row.domain = domain.str();
  row.opType = opType.str();
  row.since = since;
  row.build = build;
  byName[keyOf(domain, opType)].push_back(&row);
  return Adder(row);
}

const OpRow *OpTable::find(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const {
  auto found = byName.find(keyOf(domain, opType));
  if (found == byName.end())
    return nullptr;
  for (const OpRow *row : found->second)
    if (row->since <= opset && opset <= row->until)
      return row;
  return nullptr;
}

std::string OpTable::whyNot(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const {
  auto found = byName.find(keyOf(domain, opType));
  if (found == byName.end())
    return "unknown operator";
  int64_t first = INT64_MAX, last = 0;
  for (const OpRow *row : found->second) {
    first = std::min(first, row->since);
    last = std::max(last, row->until);
  }
  if (opset < first)
    return "needs opset >= " + std::to_string(first);
  return "needs opset <= " + std::to_string(last);
}

std::vector<const OpRow *> OpTable::rows() const {
  std::vector<const OpRow *> result;
  for (const auto &row : storage)
    result.push_back(row.get());
  llvm::stable_sort(result, [](const OpRow *a, const OpRow *b) {
    return std::tie(a->domain, a->opType, a->since) < std::tie(b->domain, b->opType, b->since);
  });
  return result;
}
