//===- OnnxModelBuilder.h - small ONNX models for tests -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_ONNXMODELBUILDER_H
#define DYNAC_TEST_UNIT_ONNXMODELBUILDER_H

#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"

#include "onnx-ml.pb.h"
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace dynac::onnx::testing {

namespace pb = ::dynac::onnxpb;
using Names = std::initializer_list<const char *>;

/// A model without nodes: IR 10, opset 18.
inline pb::ModelProto emptyModel() {
  pb::ModelProto model;
  model.set_ir_version(10);
  model.add_opset_import()->set_version(18);
  model.mutable_graph()->set_name("g");
  return model;
}

inline void setType(pb::ValueInfoProto &value, std::initializer_list<int64_t> dims,
                    int type = pb::TensorProto::FLOAT) {
  auto &tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (int64_t dim : dims)
    tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

inline void addInput(pb::GraphProto &graph, const char *name,
                     std::initializer_list<int64_t> dims = {2}, int type = pb::TensorProto::FLOAT) {
  graph.add_input()->set_name(name);
  setType(*graph.mutable_input()->rbegin(), dims, type);
}

inline void addOutput(pb::GraphProto &graph, const char *name) {
  graph.add_output()->set_name(name);
  setType(*graph.mutable_output()->rbegin(), {2});
}

template <typename GraphOrFunction>
pb::NodeProto &addNode(GraphOrFunction &graph, const char *op, Names inputs, Names outputs,
                       const char *name = "") {
  pb::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  for (const char *input : inputs)
    node.add_input(input);
  for (const char *output : outputs)
    node.add_output(output);
  if (*name)
    node.set_name(name);
  return node;
}

template <typename NodeOrFunction>
pb::AttributeProto &addAttribute(NodeOrFunction &node, const char *name);
template <> inline pb::AttributeProto &addAttribute(pb::NodeProto &node, const char *name) {
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  return attribute;
}
template <> inline pb::AttributeProto &addAttribute(pb::FunctionProto &function, const char *name) {
  pb::AttributeProto &attribute = *function.add_attribute_proto();
  attribute.set_name(name);
  return attribute;
}

inline pb::GraphProto &addGraph(pb::NodeProto &node, const char *name) {
  pb::AttributeProto &attribute = addAttribute(node, name);
  attribute.set_type(pb::AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

/// A float tensor of zeros as raw_data.
inline pb::TensorProto &addWeight(pb::GraphProto &graph, const char *name, int64_t size) {
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(size);
  tensor.set_raw_data(std::string(4 * size, '\0'));
  return tensor;
}

/// x + w -> y, with weight w of two elements.
inline pb::ModelProto addModel() {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addOutput(graph, "y");
  addWeight(graph, "w", 2);
  addNode(graph, "Add", {"x", "w"}, {"y"}, "add");
  return model;
}

/// A model together with the bytes that it refers to.
struct Loaded {
  std::string bytes;
  std::unique_ptr<OnnxModel> model;
  std::string error; ///< "EXITCODE: MESSAGE", or "".
};

inline std::string describe(llvm::Error error) {
  std::string text;
  for (const Diagnostic &d : takeDiagnostics(std::move(error)))
    text += std::to_string(static_cast<int>(d.code)) + ": " + d.message;
  return text;
}

inline std::unique_ptr<Loaded> parse(std::string bytes, const ReadOptions &options = {},
                                     llvm::StringRef baseDir = "") {
  auto loaded = std::make_unique<Loaded>();
  loaded->bytes = std::move(bytes);
  auto model = parseOnnx(llvm::ArrayRef<char>(loaded->bytes.data(), loaded->bytes.size()), baseDir,
                         options, "m.onnx");
  if (model)
    loaded->model = std::move(*model);
  else
    loaded->error = describe(model.takeError());
  return loaded;
}

inline std::unique_ptr<Loaded> parse(const pb::ModelProto &model, const ReadOptions &options = {},
                                     llvm::StringRef baseDir = "") {
  return parse(model.SerializeAsString(), options, baseDir);
}

} // namespace dynac::onnx::testing

#endif // DYNAC_TEST_UNIT_ONNXMODELBUILDER_H
