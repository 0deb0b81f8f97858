//===- WeightStore.cpp - constants by reference ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/WeightStore.h"

#include "dynac/Dialect/Prim/Prim.h"

#include "llvm/ADT/SetVector.h"

#include <map>

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

namespace {

llvm::SmallSetVector<int64_t, 4> distinct(llvm::ArrayRef<int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// A derived entry on the way to another one.
struct Intermediate {
  int64_t readers = 0; ///< entries that have not been computed yet
  std::vector<char> bytes;
};

} // namespace

llvm::Error WeightStore::materialize(int64_t id, llvm::MutableArrayRef<char> out) const {
  if (auto bytes = view(id)) {
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return llvm::Error::success();
  }
  // An entry is derived from older ones, so the order of numbers is an order of computation. What
  // several entries read is computed once: by way of x * x + x, ten steps from x are a thousand.
  std::map<int64_t, Intermediate> needed;
  needed[id];
  for (auto it = needed.end(); it != needed.begin();) {
    --it;
    for (int64_t input : distinct(entries[it->first].inputs))
      if (!view(input))
        ++needed[input].readers;
  }
  for (auto &[number, result] : needed) {
    const Entry &entry = entries[number];
    std::vector<WeightBytes> inputs;
    for (int64_t input : entry.inputs) {
      auto bytes = view(input);
      inputs.push_back(bytes ? *bytes : WeightBytes(needed.at(input).bytes));
    }
    if (number != id)
      result.bytes.resize(byteSize(number));
    if (llvm::Error error =
            entry.derive(inputs, number == id ? out : llvm::MutableArrayRef<char>(result.bytes)))
      return error;
    for (int64_t input : distinct(entry.inputs))
      if (auto it = needed.find(input); it != needed.end() && --it->second.readers == 0)
        it->second.bytes = {};
  }
  return llvm::Error::success();
}
