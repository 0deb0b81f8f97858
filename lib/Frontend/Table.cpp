//===- Table.cpp - the operator table of a front end ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace dynac;

static std::string keyOf(llvm::StringRef domain, llvm::StringRef opType) {
  return (domain + ":" + opType).str();
}

llvm::ArrayRef<TypeGroup> dynac::typeGroups() {
  static constexpr TypeGroup groups[] = {
      {"float", "f16|bf16|f32|f64"},
      {"int", "i8|i16|i32|i64"},
      {"uint", "u8|u16|u32|u64"},
      {"number", "float|int|uint"},
      {"index", "i32|i64"},
      {"byte", "i8|u8"},
      {"f8", "f8e4m3fn|f8e4m3fnuz|f8e5m2|f8e5m2fnuz"},
      {"packed", "i4|u4|i2|u2|f4e2m1"},
      {"any", "number|bool|f8|f8e8m0|packed"},
  };
  return groups;
}

/// Appends the element types that the union `set` names.
static void expand(llvm::StringRef set, std::vector<std::string> &types) {
  llvm::SmallVector<llvm::StringRef> names;
  set.split(names, '|');
  for (llvm::StringRef name : names) {
    auto group = llvm::find_if(typeGroups(), [&](const TypeGroup &g) { return g.name == name; });
    if (group != typeGroups().end())
      expand(group->types, types);
    else if (!llvm::is_contained(types, name))
      types.push_back(name.str());
  }
}

/// Reads "T=any Tind=index attribute:T2=float T".
static void setTypes(OpRow &row, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (word == "_") {
      row.operands.push_back(OpRow::notListed);
      continue;
    }
    auto [variable, set] = word.split('=');
    llvm::StringRef attribute;
    if (size_t colon = variable.find(':'); colon != llvm::StringRef::npos) {
      attribute = variable.take_front(colon);
      variable = variable.drop_front(colon + 1);
    }
    size_t index = 0;
    while (index < row.variables.size() && row.variables[index].name != variable)
      ++index;
    if (index == row.variables.size()) {
      row.variables.push_back({variable.str(), set.str(), {}});
      expand(set, row.variables.back().types);
    }
    if (attribute.empty())
      row.operands.push_back(index);
    else
      row.typeAttributes.emplace_back(attribute.str(), index);
  }
}

std::string dynac::elementTypeName(mlir::Type type) {
  if (type.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << type; // "ui8", "f8E4M3FN", "!prim.f4E2M1"
  llvm::StringRef name = text;
  name.consume_front("!prim.");
  return (name.consume_front("ui") ? "u" : "") + name.lower();
}

OpTable::Adder OpTable::add(llvm::StringRef opType, int64_t since, RowFunction build,
                            llvm::StringRef types, llvm::StringRef domain) {
  storage.push_back(std::make_unique<OpRow>());
  OpRow &row = *storage.back();
  row.domain = domain.str();
  row.opType = opType.str();
  row.since = since;
  row.build = build;
  setTypes(row, types);
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

int64_t OpTable::lastOpset(const OpRow &row) const {
  return std::min(row.until, newestOf(row.domain).value_or(row.until));
}

std::vector<const OpRow *> OpTable::rows() const {
  std::vector<const OpRow *> result;
  for (const auto &row : storage)
    result.push_back(row.get());
  llvm::sort(result, [](const OpRow *a, const OpRow *b) {
    return std::tie(a->domain, a->opType, a->since) < std::tie(b->domain, b->opType, b->since);
  });
  return result;
}
