//===- WireScan.cpp - takes the tensor elements out of an ONNX file -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireScan.h"
#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/SmallVector.h"

namespace dynac::onnx {

std::optional<uint64_t> readVarint(llvm::ArrayRef<char> bytes, uint64_t &position) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (position >= bytes.size())
      return std::nullopt;
    auto byte = static_cast<unsigned char>(bytes[position++]);
    if (shift < 64)
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

namespace {

enum class Message { Model, Training, Graph, Node, Attribute, Tensor, Sparse, Function };
enum WireType : unsigned { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

struct Action {
  enum Kind { Copy, Drop, Descend, Elements, NodeMetadata } kind;
  Message child = Message::Model;
};

// Must be above every field of TensorProto; the same number as in CMakeLists.txt.
constexpr unsigned spansField = 60000;
// A graph within a graph takes three levels.
constexpr unsigned maxDepth = 96;

/// What to do with a field: the paths to TensorProto, and what is left out.
Action actionFor(Message message, unsigned field) {
  auto descend = [](Message child) { return Action{Action::Descend, child}; };
  switch (message) {
  case Message::Model:
    if (field == 7)
      return descend(Message::Graph);
    if (field == 20)
      return descend(Message::Training);
    if (field == 25)
      return descend(Message::Function);
    if (field == 6 || field == 26) // doc_string, configuration
      return {Action::Drop};
    break;
  case Message::Training:
    if (field == 1 || field == 2)
      return descend(Message::Graph);
    break;
  case Message::Graph:
    if (field == 1)
      return descend(Message::Node);
    if (field == 5)
      return descend(Message::Tensor);
    if (field == 15)
      return descend(Message::Sparse);
    if (field == 10 || field == 14) // doc_string, quantization_annotation
      return {Action::Drop};
    break;
  case Message::Node:
    if (field == 5)
      return descend(Message::Attribute);
    if (field == 9)
      return {Action::NodeMetadata};
    if (field == 6 || field == 10) // doc_string, device_configurations
      return {Action::Drop};
    break;
  case Message::Attribute:
    if (field == 5 || field == 10)
      return descend(Message::Tensor);
    if (field == 6 || field == 11)
      return descend(Message::Graph);
    if (field == 22 || field == 23)
      return descend(Message::Sparse);
    if (field == 13) // doc_string
      return {Action::Drop};
    break;
  case Message::Tensor:
    if ((field >= 4 && field <= 7) || (field >= 9 && field <= 11))
      return {Action::Elements};
    if (field == 12 || field == 16 || field == spansField) // doc_string, metadata_props
      return {Action::Drop};
    break;
  case Message::Sparse:
    if (field == 1 || field == 2)
      return descend(Message::Tensor);
    break;
  case Message::Function:
    if (field == 7)
      return descend(Message::Node);
    if (field == 11)
      return descend(Message::Attribute);
    if (field == 8 || field == 12 || field == 14) // doc_string, value_info, metadata_props
      return {Action::Drop};
    break;
  }
  return {Action::Copy};
}

const char *messageName(Message message) {
  switch (message) {
  case Message::Model:
    return "ModelProto";
  case Message::Training:
    return "TrainingInfoProto";
  case Message::Graph:
    return "GraphProto";
  case Message::Node:
    return "NodeProto";
  case Message::Attribute:
    return "AttributeProto";
  case Message::Tensor:
    return "TensorProto";
  case Message::Sparse:
    return "SparseTensorProto";
  case Message::Function:
    return "FunctionProto";
  }
  return "";
}

class Scanner {
public:
  Scanner(llvm::ArrayRef<char> bytes, llvm::StringRef name) : bytes(bytes), name(name) {}

  llvm::Error scan(Message message, uint64_t position, uint64_t end, unsigned depth);

  std::string out;

private:
  llvm::Error invalid(uint64_t offset, Message message, llvm::StringRef what) {
    return invalidModel("{0}: not a valid ONNX file: at byte {1}, in a {2}: {3}", name, offset,
                        messageName(message), what);
  }

  void writeVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }

  void writeSpans(llvm::ArrayRef<Span> spans);
  void noteElements(llvm::SmallVectorImpl<Span> &spans, unsigned field, unsigned wireType,
                    uint64_t start, uint64_t content, uint64_t end);
  llvm::Error descend(Message child, unsigned field, uint64_t content, uint64_t end,
                      unsigned depth);
  bool isWantedMetadata(uint64_t content, uint64_t end);

  llvm::ArrayRef<char> bytes;
  llvm::StringRef name;
};

void Scanner::writeSpans(llvm::ArrayRef<Span> spans) {
  writeVarint(spansField << 3 | Delimited);
  writeVarint(spans.size() * 24);
  auto writeFixed64 = [this](uint64_t value) {
    for (unsigned i = 0; i < 8; ++i)
      out += static_cast<char>(value >> (8 * i));
  };
  for (const Span &span : spans) {
    writeFixed64(span.field | (span.isRun ? 256u : 0u));
    writeFixed64(span.offset);
    writeFixed64(span.length);
  }
}

/// `start` is the offset of the tag, `content` that of the value.
void Scanner::noteElements(llvm::SmallVectorImpl<Span> &spans, unsigned field, unsigned wireType,
                           uint64_t start, uint64_t content, uint64_t end) {
  bool isRun = field == StringData || wireType != Delimited;
  unsigned elementWireType = Varint;
  if (field == FloatData)
    elementWireType = Fixed32;
  else if (field == DoubleData)
    elementWireType = Fixed64;
  else if (field == StringData || field == RawData)
    elementWireType = Delimited;
  // Another wire type is an unknown field for protobuf, too.
  if (wireType != elementWireType && wireType != Delimited)
    return;
  if (!isRun) {
    spans.push_back({field, false, content, end - content});
    return;
  }
  if (!spans.empty() && spans.back().isRun && spans.back().field == field &&
      spans.back().offset + spans.back().length == start)
    spans.back().length = end - spans.back().offset;
  else
    spans.push_back({field, true, start, end - start});
}

llvm::Error Scanner::descend(Message child, unsigned field, uint64_t content, uint64_t end,
                             unsigned depth) {
  writeVarint(field << 3 | Delimited);
  // The length is not known yet: five bytes hold any that protobuf takes.
  size_t lengthAt = out.size();
  out.append(5, '\0');
  if (llvm::Error error = scan(child, content, end, depth + 1))
    return error;
  uint64_t length = out.size() - lengthAt - 5;
  for (unsigned i = 0; i < 5; ++i)
    out[lengthAt + i] = static_cast<char>((length >> (7 * i) & 0x7f) | (i < 4 ? 0x80 : 0));
  return llvm::Error::success();
}

/// Only the scopes of the exporter's modules are read.
bool Scanner::isWantedMetadata(uint64_t content, uint64_t end) {
  static constexpr llvm::StringLiteral key = "pkg.torch.onnx.name_scopes";
  llvm::StringRef entry(bytes.data() + content, end - content);
  // Field 1, length-delimited, and the key's length; writers put the key first.
  return entry.size() >= key.size() + 2 && entry[0] == 0x0a &&
         static_cast<unsigned char>(entry[1]) == key.size() && entry.substr(2).starts_with(key);
}

llvm::Error Scanner::scan(Message message, uint64_t position, uint64_t end, unsigned depth) {
  if (depth > maxDepth)
    return invalid(position, message, "messages are nested too deeply");
  llvm::SmallVector<Span, 2> spans;
  llvm::ArrayRef<char> limited = bytes.take_front(end);
  while (position < end) {
    uint64_t start = position;
    std::optional<uint64_t> tag = readVarint(limited, position);
    if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0)
      return invalid(start, message, "expected a field");
    auto field = static_cast<unsigned>(*tag >> 3);
    auto wireType = static_cast<unsigned>(*tag & 7);
    uint64_t content = position;
    if (wireType == Varint) {
      if (!readVarint(limited, position))
        return invalid(start, message, llvm::formatv("field {0} is cut off", field).str());
    } else if (wireType == Fixed32 || wireType == Fixed64) {
      uint64_t size = wireType == Fixed32 ? 4 : 8;
      if (size > end - position)
        return invalid(start, message, llvm::formatv("field {0} is cut off", field).str());
      position += size;
    } else if (wireType == Delimited) {
      std::optional<uint64_t> length = readVarint(limited, position);
      if (!length || *length > end - position)
        return invalid(start, message,
                       length ? llvm::formatv("field {0} is {1} bytes long, but only {2} are left",
                                              field, *length, end - position)
                                    .str()
                              : llvm::formatv("field {0} is cut off", field).str());
      content = position;
      position += *length;
    } else {
      return invalid(start, message,
                     llvm::formatv("field {0} has wire type {1}", field, wireType).str());
    }

    Action action = actionFor(message, field);
    if (action.kind == Action::Elements) {
      noteElements(spans, field, wireType, start, content, position);
    } else if (action.kind == Action::Descend && wireType == Delimited) {
      if (llvm::Error error = descend(action.child, field, content, position, depth))
        return error;
    } else if (action.kind != Action::Drop &&
               !(action.kind == Action::NodeMetadata && !isWantedMetadata(content, position))) {
      out.append(bytes.data() + start, position - start);
    }
  }
  if (!spans.empty())
    writeSpans(spans);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::string> stripElements(llvm::ArrayRef<char> bytes, RootMessage root,
                                          llvm::StringRef name) {
  Scanner scanner(bytes, name);
  Message message = root == RootMessage::Model ? Message::Model : Message::Tensor;
  if (llvm::Error error = scanner.scan(message, 0, bytes.size(), 0))
    return std::move(error);
  if (scanner.out.size() > 0x7fffffff)
    return unsupported("{0}: the graph takes {1} bytes without its weights, at most 2147483647 are "
                       "supported",
                       name, scanner.out.size());
  return std::move(scanner.out);
}

} // namespace dynac::onnx
