//===- OnnxWriter.h - just enough of ONNX's file format to write a graph --===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ONNX file is a protobuf message, and writing one takes no protobuf library: a message is a
// sequence of fields, a field is a key (number and kind) and either an integer of seven bits a byte
// or a length and that many bytes. The field numbers below are those of onnx.proto.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_EXAMPLES_RESNET50_ONNXWRITER_H
#define DYNAC_EXAMPLES_RESNET50_ONNXWRITER_H

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace onnx_writer {

/// A protobuf message under construction.
class Message {
public:
  Message &number(int field, int64_t value) {
    varint(uint64_t(field) << 3);
    varint(uint64_t(value));
    return *this;
  }
  Message &bytes(int field, const std::string &value) {
    header(field, value.size());
    data += value;
    return *this;
  }
  Message &message(int field, const Message &value) { return bytes(field, value.data); }

  /// Several integers as one field.
  Message &numbers(int field, const std::vector<int64_t> &values) {
    Message list;
    for (int64_t value : values)
      list.varint(uint64_t(value));
    return message(field, list);
  }
  /// The start of a field whose `size` bytes follow elsewhere.
  Message &header(int field, size_t size) {
    varint(uint64_t(field) << 3 | 2);
    varint(size);
    return *this;
  }
  const std::string &str() const { return data; }

private:
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7)
      data += char(value | 128);
    data += char(value);
  }

  std::string data;
};

/// Attributes of a node. INT is kind 2 and INTS kind 7 of AttributeProto.AttributeType.
class Attributes {
public:
  Attributes &add(const std::string &name, int64_t value) {
    list.push_back(Message().bytes(1, name).number(3, value).number(20, 2));
    return *this;
  }
  Attributes &add(const std::string &name, const std::vector<int64_t> &values) {
    list.push_back(Message().bytes(1, name).numbers(8, values).number(20, 7));
    return *this;
  }
  const std::vector<Message> &messages() const { return list; }

private:
  std::vector<Message> list;
};

/// A model with one graph of float tensors.
class Model {
public:
  explicit Model(const std::string &name) { graph.bytes(2, name); }

  void node(const std::string &op, const std::vector<std::string> &inputs,
            const std::string &output, const Attributes &attributes = {}) {
    Message node;
    for (const std::string &input : inputs)
      node.bytes(1, input);
    node.bytes(2, output).bytes(3, output + "/" + op).bytes(4, op);
    for (const Message &attribute : attributes.messages())
      node.message(5, attribute);
    graph.message(1, node);
  }

  /// `values` are the elements' bytes, little endian.
  void initializer(const std::string &name, const std::vector<int64_t> &dims,
                   const std::string &values) {
    graph.message(5,
                  Message().numbers(1, dims).number(2, floatType).bytes(8, name).bytes(9, values));
  }

  void input(const std::string &name, const std::vector<int64_t> &dims) { value(11, name, dims); }
  void output(const std::string &name, const std::vector<int64_t> &dims) { value(12, name, dims); }

  /// False if the file could not be written.
  bool write(std::ostream &out, int64_t opset) const {
    Message head;
    head.number(1, 8).bytes(2, "dynac example").message(8, Message().bytes(1, "").number(2, opset));
    head.header(7, graph.str().size()); // the graph is large: it is not copied into the model
    out << head.str() << graph.str();
    return bool(out.flush());
  }

private:
  static constexpr int64_t floatType = 1; // TensorProto.FLOAT

  /// A graph's input or output: the batch, whose size is left open, then `dims`.
  void value(int field, const std::string &name, const std::vector<int64_t> &dims) {
    Message shape;
    shape.message(1, Message().bytes(2, "batch"));
    for (int64_t dim : dims)
      shape.message(1, Message().number(1, dim));
    Message tensor = Message().number(1, floatType).message(2, shape);
    graph.message(field, Message().bytes(1, name).message(2, Message().message(1, tensor)));
  }

  Message graph;
};

} // namespace onnx_writer

#endif // DYNAC_EXAMPLES_RESNET50_ONNXWRITER_H
