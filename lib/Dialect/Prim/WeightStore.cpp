//===- WeightStore.cpp - constants by reference ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/WeightStore.h"

#include "dynac/Dialect/Prim/Prim.h"

using namespace dynac;

int64_t dynac::elementBytes(mlir::Type elementType, int64_t count) {
  int64_t bits = prim::bitWidth(elementType);
  if (bits == 1)
    return count; // bool: one byte
  return (bits * count + 7) / 8;
}

int64_t WeightStore::add(std::string name, mlir::RankedTensorType type, WeightBytes bytes) {
  entries.push_back({std::move(name), type, bytes, {}, {}, nullptr});
  return entries.size() - 1;
}

int64_t WeightStore::addOwned(std::string name, mlir::RankedTensorType type,
                              std::vector<char> bytes) {
  entries.push_back({std::move(name), type, {}, std::move(bytes), {}, nullptr});
  return entries.size() - 1;
}

int64_t WeightStore::derive(std::string name, mlir::RankedTensorType type,
                            llvm::ArrayRef<int64_t> inputs, Derive derive) {
  entries.push_back({std::move(name), type, {}, {}, inputs.vec(), std::move(derive)});
  return entries.size() - 1;
}

int64_t WeightStore::byteSize(int64_t id) const {
  mlir::RankedTensorType tensor = entries[id].type;
  return elementBytes(tensor.getElementType(), tensor.getNumElements());
}

std::optional<WeightBytes> WeightStore::view(int64_t id) const {
  const Entry &entry = entries[id];
  if (entry.derive)
    return std::nullopt;
  return entry.owned.empty() ? entry.bytes : WeightBytes(entry.owned);
}

llvm::Error WeightStore::materialize(int64_t id, llvm::MutableArrayRef<char> out) const {
  if (auto bytes = view(id)) {
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return llvm::Error::success();
  }
  const Entry &entry = entries[id];
  // Inputs that are themselves derived live only while this entry is computed.
  std::vector<std::vector<char>> buffers(entry.inputs.size());
  std::vector<WeightBytes> inputs;
  for (auto [i, input] : llvm::enumerate(entry.inputs)) {
    if (auto bytes = view(input)) {
      inputs.push_back(*bytes);
      continue;
    }
    auto same = llvm::find(entry.inputs, input) - entry.inputs.begin();
    if (same < static_cast<int64_t>(i)) {
      inputs.push_back(inputs[same]);
      continue;
    }
    buffers[i].resize(byteSize(input));
    if (llvm::Error error = materialize(input, buffers[i]))
      return error;
    inputs.push_back(buffers[i]);
  }
  return entry.derive(inputs, out);
}
