//===- Elements.cpp - tensor elements in the canonical layout -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>
#include <cstring>

namespace dynac::onnx {

std::shared_ptr<OwnedBytes> OwnedBytes::create(uint64_t size) {
  auto result = std::make_shared<OwnedBytes>();
  auto *memory = static_cast<char *>(std::calloc(size ? size : 1, 1));
  if (!memory)
    llvm::report_bad_alloc_error("out of memory for tensor elements");
  result->content = llvm::ArrayRef<char>(memory, size);
  return result;
}

OwnedBytes::~OwnedBytes() { std::free(data()); }

std::string shapeString(llvm::ArrayRef<int64_t> dims) {
  return llvm::formatv("[{0:$[, ]}]", llvm::make_range(dims.begin(), dims.end())).str();
}

namespace {

/// How the file stores elements of a type when it does not use raw_data.
struct TypedField {
  TensorField field;
  const char *name;
  uint64_t entries; ///< How many values the field must have.
};

TypedField typedField(ElementType type, uint64_t count) {
  switch (type) {
  case ElementType::Float:
    return {FloatData, "float_data", count};
  case ElementType::Complex64:
    return {FloatData, "float_data", 2 * count};
  case ElementType::Double:
    return {DoubleData, "double_data", count};
  case ElementType::Complex128:
    return {DoubleData, "double_data", 2 * count};
  case ElementType::Int64:
    return {Int64Data, "int64_data", count};
  case ElementType::UInt32:
  case ElementType::UInt64:
    return {UInt64Data, "uint64_data", count};
  case ElementType::String:
    return {StringData, "string_data", count};
  default:
    break;
  }
  // Types of 4 and 2 bits come packed, one byte for each value; those of 6 bits do not.
  unsigned bits = elementBits(type);
  uint64_t perEntry = bits == 4 ? 2 : bits == 2 ? 4 : 1;
  return {Int32Data, "int32_data", count / perEntry + (count % perEntry != 0)};
}

/// Calls `use` with each value of `span`, a packed field or a run of fields; fixed-size values as
/// their bits. Returns false if the content is malformed.
bool forEachNumber(llvm::ArrayRef<char> file, const Span &span,
                   llvm::function_ref<void(uint64_t)> use) {
  unsigned fixedSize = span.field == FloatData ? 4 : span.field == DoubleData ? 8 : 0;
  llvm::ArrayRef<char> bytes = file.slice(span.offset, span.length);
  for (uint64_t position = 0; position < bytes.size();) {
    if (span.isRun)
      readVarint(bytes, position); // The tag; the scanner has checked it.
    if (fixedSize) {
      if (bytes.size() - position < fixedSize)
        return false;
      const char *from = bytes.data() + position;
      use(fixedSize == 4 ? llvm::support::endian::read32le(from)
                         : llvm::support::endian::read64le(from));
      position += fixedSize;
      continue;
    }
    std::optional<uint64_t> value = readVarint(bytes, position);
    if (!value)
      return false;
    use(*value);
  }
  return true;
}

/// Puts the low `bits` of value number `index` into zeroed `to`, least significant bits first.
void storeBits(char *to, uint64_t index, unsigned bits, uint64_t value) {
  if (bits >= 8) {
    for (unsigned i = 0; i < bits / 8; ++i)
      to[index * (bits / 8) + i] = static_cast<char>(value >> (8 * i));
    return;
  }
  for (unsigned i = 0; i < bits; ++i) {
    uint64_t bit = index * bits + i;
    to[bit / 8] = static_cast<char>(to[bit / 8] | ((value >> i & 1) << (bit % 8)));
  }
}

std::string readStrings(TensorData &tensor, llvm::ArrayRef<char> file, llvm::ArrayRef<Span> spans) {
  for (const Span &span : spans) {
    if (span.field != StringData)
      continue;
    llvm::ArrayRef<char> bytes = file.slice(span.offset, span.length);
    for (uint64_t position = 0; position < bytes.size();) {
      readVarint(bytes, position); // The tag.
      uint64_t length = readVarint(bytes, position).value_or(0);
      tensor.strings.emplace_back(bytes.data() + position, length);
      position += length;
    }
  }
  uint64_t found = tensor.strings.size();
  if (found == tensor.numElements())
    return "";
  return llvm::formatv("string_data holds {0} values, expected {1} (STRING {2})", found,
                       tensor.numElements(), shapeString(tensor.dims))
      .str();
}

void refer(TensorData &tensor, llvm::ArrayRef<char> file, const Span &span) {
  tensor.bytes = file.slice(span.offset, span.length);
  tensor.location = DataLocation::ModelFile;
  tensor.file = 0;
  tensor.offset = span.offset;
}

std::string readTyped(TensorData &tensor, llvm::ArrayRef<char> file, llvm::ArrayRef<Span> spans,
                      uint64_t size, std::vector<std::shared_ptr<ByteStorage>> &owned) {
  TypedField typed = typedField(tensor.type, tensor.numElements());
  llvm::SmallVector<Span, 2> parts;
  llvm::copy_if(spans, std::back_inserter(parts),
                [&](const Span &span) { return span.field == typed.field; });
  if (spans.empty())
    return llvm::formatv("has no elements, expected {0} {1}", elementTypeName(tensor.type),
                         shapeString(tensor.dims))
        .str();
  bool isFixed = typed.field == FloatData || typed.field == DoubleData;
  if (isFixed && parts.size() == 1 && !parts[0].isRun && parts[0].length == size) {
    refer(tensor, file, parts[0]); // Packed floats are stored as raw_data is.
    return "";
  }
  // Count first: the allocation is then bounded by what the file holds.
  uint64_t found = 0;
  for (const Span &part : parts)
    if (!forEachNumber(file, part, [&](uint64_t) { ++found; }))
      return llvm::formatv("{0} is malformed", typed.name).str();
  if (found != typed.entries)
    return llvm::formatv("{0} holds {1} values, expected {2} ({3} {4})", typed.name, found,
                         typed.entries, elementTypeName(tensor.type), shapeString(tensor.dims))
        .str();
  std::shared_ptr<OwnedBytes> memory = OwnedBytes::create(size);
  unsigned bits = elementBits(tensor.type);
  if (tensor.type == ElementType::Complex64 || tensor.type == ElementType::Complex128)
    bits /= 2;
  else if (bits == 4 || bits == 2)
    bits = 8;
  uint64_t index = 0;
  for (const Span &part : parts)
    forEachNumber(file, part,
                  [&](uint64_t value) { storeBits(memory->data(), index++, bits, value); });
  tensor.bytes = memory->bytes();
  tensor.location = DataLocation::Owned;
  owned.push_back(std::move(memory));
  return "";
}

} // namespace

std::string readElements(TensorData &tensor, llvm::ArrayRef<char> file, llvm::ArrayRef<Span> spans,
                         std::vector<std::shared_ptr<ByteStorage>> &owned) {
  const Span *raw = nullptr;
  for (const Span &span : spans)
    if (span.field == RawData)
      raw = &span; // As for any singular field, the last one counts.
  if (tensor.type == ElementType::String) {
    if (raw)
      return "raw_data holds a STRING tensor, expected string_data";
    return readStrings(tensor, file, spans);
  }
  std::optional<uint64_t> size = packedSize(tensor.type, tensor.numElements());
  if (!size)
    return llvm::formatv("{0} {1} has more than 2^63 bytes", elementTypeName(tensor.type),
                         shapeString(tensor.dims))
        .str();
  // Some writers add an empty raw_data to tensors with typed elements.
  if (raw && (raw->length != 0 || spans.size() == 1)) {
    if (raw->length != *size)
      return llvm::formatv("raw_data holds {0} bytes, expected {1} ({2} {3})", raw->length, *size,
                           elementTypeName(tensor.type), shapeString(tensor.dims))
          .str();
    if (*size != 0)
      refer(tensor, file, *raw);
  } else if (*size != 0 || !spans.empty()) {
    if (std::string problem = readTyped(tensor, file, spans, *size, owned); !problem.empty())
      return problem;
  }
  normalizeBools(tensor, owned);
  return "";
}

void normalizeBools(TensorData &tensor, std::vector<std::shared_ptr<ByteStorage>> &owned) {
  if (tensor.type != ElementType::Bool ||
      llvm::all_of(tensor.bytes, [](char c) { return c == 0 || c == 1; }))
    return;
  std::shared_ptr<OwnedBytes> memory = OwnedBytes::create(tensor.bytes.size());
  for (size_t i = 0, e = tensor.bytes.size(); i < e; ++i)
    memory->data()[i] = tensor.bytes[i] != 0;
  tensor.bytes = memory->bytes();
  tensor.location = DataLocation::Owned;
  tensor.file = 0;
  tensor.offset = 0;
  owned.push_back(std::move(memory));
}

/// The linear position that entry `entry` of `indices` means, or nothing if it is outside.
static std::optional<uint64_t> linearIndex(const TensorData &dense, const TensorData &indices,
                                           uint64_t entry) {
  auto read = [&](uint64_t at) {
    return static_cast<int64_t>(llvm::support::endian::read64le(indices.bytes.data() + 8 * at));
  };
  if (indices.dims.size() == 1) {
    int64_t index = read(entry);
    if (index < 0 || static_cast<uint64_t>(index) >= dense.numElements())
      return std::nullopt;
    return static_cast<uint64_t>(index);
  }
  uint64_t linear = 0;
  for (size_t axis = 0, rank = dense.dims.size(); axis < rank; ++axis) {
    int64_t index = read(entry * rank + axis);
    if (index < 0 || index >= dense.dims[axis])
      return std::nullopt;
    linear = linear * static_cast<uint64_t>(dense.dims[axis]) + static_cast<uint64_t>(index);
  }
  return linear;
}

std::string densify(TensorData &dense, const TensorData &values, const TensorData &indices,
                    uint64_t maxBytes, std::vector<std::shared_ptr<ByteStorage>> &owned) {
  unsigned bits = elementBits(dense.type);
  if (bits < 8)
    return llvm::formatv("sparse tensors of {0} are not supported", elementTypeName(dense.type))
        .str();
  std::optional<uint64_t> size = packedSize(dense.type, dense.numElements());
  if (!size || *size > maxBytes)
    return llvm::formatv("the sparse tensor {0} {1} is above the limit of {2} bytes when dense",
                         elementTypeName(dense.type), shapeString(dense.dims), maxBytes)
        .str();
  if (values.dims.size() != 1)
    return llvm::formatv("the values of a sparse tensor have shape {0}, expected one dimension",
                         shapeString(values.dims))
        .str();
  uint64_t count = values.numElements();
  std::vector<int64_t> pairs = {values.dims[0], static_cast<int64_t>(dense.dims.size())};
  if (indices.type != ElementType::Int64 || (indices.dims != values.dims && indices.dims != pairs))
    return llvm::formatv("the indices of a sparse tensor are {0} {1}, expected INT64 {2} or {3}",
                         elementTypeName(indices.type), shapeString(indices.dims),
                         shapeString(values.dims), shapeString(pairs))
        .str();
  std::shared_ptr<OwnedBytes> memory = OwnedBytes::create(*size);
  std::optional<uint64_t> last;
  for (uint64_t entry = 0; entry < count; ++entry) {
    std::optional<uint64_t> at = linearIndex(dense, indices, entry);
    if (!at)
      return llvm::formatv("index {0} of a sparse tensor lies outside shape {1}", entry,
                           shapeString(dense.dims))
          .str();
    if (last && *at <= *last)
      return llvm::formatv("index {0} of a sparse tensor is not above the one before it", entry)
          .str();
    last = at;
    std::memcpy(memory->data() + *at * (bits / 8), values.bytes.data() + entry * (bits / 8),
                bits / 8);
  }
  dense.bytes = memory->bytes();
  dense.location = DataLocation::Owned;
  owned.push_back(std::move(memory));
  return "";
}

} // namespace dynac::onnx
