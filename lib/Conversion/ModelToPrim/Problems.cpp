//===- Problems.cpp - everything wrong with a model, at once --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

using namespace dynac;

void Problems::add(ExitCode code, model::NodeOp node, llvm::StringRef reason) {
  std::string key = node.getOp().str() + "\n" + std::to_string(node.getOpset()) + "\n" +
                    std::to_string(int(code)) + reason.str();
  auto [found, isNew] = byKey.emplace(key, entries.size());
  if (isNew)
    entries.push_back({code, node.describe() + ": " + reason.str()});
  else
    ++entries[found->second].moreNodes;
}

void Problems::add(ExitCode code, llvm::StringRef reason) {
  entries.push_back({code, reason.str()});
}

llvm::Error Problems::take() {
  llvm::Error all = llvm::Error::success();
  llvm::stable_sort(entries, [](const Entry &a, const Entry &b) {
    return (a.code == ExitCode::InvalidModel) > (b.code == ExitCode::InvalidModel);
  });
  for (const Entry &entry : entries) {
    std::string more = entry.moreNodes == 0 ? ""
                       : entry.moreNodes == 1
                           ? " (and 1 more node)"
                           : " (and " + std::to_string(entry.moreNodes) + " more nodes)";
    all = llvm::joinErrors(std::move(all),
                           makeDiagnostic(entry.code, file + ": " + entry.message + more));
  }
  entries.clear();
  byKey.clear();
  return all;
}
