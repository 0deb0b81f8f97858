//===- Model.cpp - an ONNX file as plain data -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Onnx/Model.h"
#include "dynac/Support/Diagnostic.h"

namespace dynac::onnx {

namespace {
struct TypeRow {
  const char *name;
  unsigned bits;
};
} // namespace

/// Indexed by the number of the type.
static constexpr TypeRow typeRows[] = {
    {"UNDEFINED", 0},      {"FLOAT", 32},       {"UINT8", 8},          {"INT8", 8},
    {"UINT16", 16},        {"INT16", 16},       {"INT32", 32},         {"INT64", 64},
    {"STRING", 0},         {"BOOL", 8},         {"FLOAT16", 16},       {"DOUBLE", 64},
    {"UINT32", 32},        {"UINT64", 64},      {"COMPLEX64", 64},     {"COMPLEX128", 128},
    {"BFLOAT16", 16},      {"FLOAT8E4M3FN", 8}, {"FLOAT8E4M3FNUZ", 8}, {"FLOAT8E5M2", 8},
    {"FLOAT8E5M2FNUZ", 8}, {"UINT4", 4},        {"INT4", 4},           {"FLOAT4E2M1", 4},
    {"FLOAT8E8M0", 8},     {"UINT2", 2},        {"INT2", 2},           {"FLOAT6E2M3", 6},
    {"FLOAT6E3M2", 6},
};

static const TypeRow *rowOf(ElementType type) {
  auto number = static_cast<uint32_t>(type);
  return number < std::size(typeRows) ? &typeRows[number] : nullptr;
}

bool isKnown(ElementType type) { return type != ElementType::Undefined && rowOf(type); }

std::string elementTypeName(ElementType type) {
  if (const TypeRow *row = rowOf(type))
    return row->name;
  return "data type " + std::to_string(static_cast<int32_t>(type));
}

unsigned elementBits(ElementType type) {
  const TypeRow *row = rowOf(type);
  return row ? row->bits : 0;
}

std::optional<uint64_t> packedSize(ElementType type, uint64_t count) {
  unsigned bits = elementBits(type);
  if (bits == 0 || count >> 63)
    return std::nullopt;
  // In 128 bits nothing wraps: count is below 2^63, bits at most 128.
  auto total = static_cast<unsigned __int128>(count) * bits;
  unsigned __int128 bytes = (total + 7) / 8;
  if (bytes >> 63)
    return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

uint64_t TensorData::numElements() const {
  uint64_t count = 1;
  for (int64_t dim : dims)
    count *= static_cast<uint64_t>(dim);
  return count;
}

const Attribute *Node::attribute(llvm::StringRef attributeName) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == attributeName)
      return &attribute;
  return nullptr;
}

std::string Node::describe() const {
  std::string full = domain.empty() ? opType : domain + "." + opType;
  if (name.empty())
    return llvm::formatv("node #{0} ({1})", index, printable(full)).str();
  return llvm::formatv("node '{0}' ({1}, #{2})", printable(name), printable(full), index).str();
}

const TensorData *Graph::initializer(llvm::StringRef valueName) const {
  for (const TensorData &tensor : initializers)
    if (tensor.name == valueName)
      return &tensor;
  return nullptr;
}

} // namespace dynac::onnx
