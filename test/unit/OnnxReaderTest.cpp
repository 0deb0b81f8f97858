//===- OnnxReaderTest.cpp - what the ONNX reader accepts ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModelBuilder.h"

using namespace dynac::onnx;
using namespace dynac::onnx::testing;

TEST(OnnxReader, ReadsNamesTypesAndWeightsByReference) {
  auto loaded = parse(addModel());
  ASSERT_EQ(loaded->error, "");
  const OnnxModel &model = *loaded->model;
  EXPECT_EQ(model.irVersion, 10);
  EXPECT_EQ(model.opsets, (OpsetImports{{"", 18}}));
  ASSERT_EQ(model.graph.nodes.size(), 1u);
  const Node &node = model.graph.nodes[0];
  EXPECT_EQ(node.describe(), "node 'add' (Add, #0)");
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(node.opsetVersion, 18);
  EXPECT_EQ(model.graph.inputs[0].type.dims[0].value, 2);
  const TensorData *weight = model.graph.initializer("w");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->location, DataLocation::ModelFile);
  EXPECT_EQ(weight->bytes.data(), loaded->bytes.data() + weight->offset);
  EXPECT_EQ(weight->bytes.size(), 8u);
  EXPECT_TRUE(model.owned.empty());
  EXPECT_TRUE(model.warnings.empty());
}

TEST(OnnxReader, ReadsShapesAndNestedTypes) {
  pb::ModelProto proto = emptyModel();
  pb::ValueInfoProto &input = *proto.mutable_graph()->add_input();
  input.set_name("s");
  auto &tensor = *input.mutable_type()
                      ->mutable_sequence_type()
                      ->mutable_elem_type()
                      ->mutable_optional_type()
                      ->mutable_elem_type()
                      ->mutable_tensor_type();
  tensor.set_elem_type(pb::TensorProto::INT4);
  tensor.mutable_shape()->add_dim()->set_dim_param("N");
  tensor.mutable_shape()->add_dim()->set_dim_value(-1);
  tensor.mutable_shape()->add_dim()->set_dim_value(0);
  tensor.mutable_shape()->add_dim();
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  const TypeInfo &type = loaded->model->graph.inputs[0].type;
  ASSERT_EQ(type.kind, TypeInfo::Kind::Sequence);
  ASSERT_EQ(type.element[0].kind, TypeInfo::Kind::Optional);
  const TypeInfo &inner = type.element[0].element[0];
  EXPECT_EQ(inner.elementType, ElementType::Int4);
  ASSERT_EQ(inner.dims.size(), 4u);
  EXPECT_EQ(inner.dims[0].symbol, "N");
  EXPECT_EQ(inner.dims[1].kind, Dim::Kind::Unknown);
  EXPECT_EQ(inner.dims[2].kind, Dim::Kind::Value);
  EXPECT_EQ(inner.dims[3].kind, Dim::Kind::Unknown);
}

TEST(OnnxReader, ReadsEveryKindOfAttribute) {
  pb::ModelProto proto = addModel();
  pb::NodeProto &node = *proto.mutable_graph()->mutable_node(0);
  addAttribute(node, "f").set_f(1.5f);
  addAttribute(node, "i").set_i(-3);
  addAttribute(node, "s").set_s(std::string("a\0b", 3));
  addAttribute(node, "fs").add_floats(2);
  addAttribute(node, "is").add_ints(7);
  addAttribute(node, "ss").add_strings("q");
  addAttribute(node, "ts").add_tensors()->set_data_type(pb::TensorProto::FLOAT);
  node.mutable_attribute()->rbegin()->mutable_tensors(0)->add_float_data(4);
  addAttribute(node, "tp").mutable_tp()->mutable_tensor_type()->set_elem_type(1);
  addAttribute(node, "gs").add_graphs()->set_name("sub");
  pb::AttributeProto &empty = addAttribute(node, "empty");
  empty.set_type(pb::AttributeProto::INTS);
  auto loaded = parse(proto); // Without `type`, as IR 1 files are.
  ASSERT_EQ(loaded->error, "");
  const Node &read = loaded->model->graph.nodes[0];
  EXPECT_EQ(read.attribute("f")->f, 1.5f);
  EXPECT_EQ(read.attribute("i")->i, -3);
  EXPECT_EQ(read.attribute("s")->s.size(), 3u);
  EXPECT_EQ(read.attribute("fs")->floats, std::vector<float>{2});
  EXPECT_EQ(read.attribute("is")->ints, std::vector<int64_t>{7});
  EXPECT_EQ(read.attribute("ss")->strings, std::vector<std::string>{"q"});
  EXPECT_EQ(read.attribute("ts")->kind, Attribute::Kind::Tensors);
  EXPECT_EQ(read.attribute("ts")->tensors[0].bytes.size(), 4u);
  EXPECT_EQ(read.attribute("tp")->types[0].elementType, ElementType::Float);
  EXPECT_EQ(read.attribute("gs")->graphs[0].name, "sub");
  EXPECT_EQ(read.attribute("empty")->kind, Attribute::Kind::Ints);
  EXPECT_EQ(read.attribute("none"), nullptr);
}

TEST(OnnxReader, KeepsOmittedInputsAndUnusedOutputs) {
  pb::ModelProto proto = addModel();
  addNode(*proto.mutable_graph(), "Clip", {"y", "", "w"}, {"", ""});
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->graph.nodes[1].inputs[1], "");
  EXPECT_EQ(loaded->model->graph.nodes[1].outputs.size(), 2u);
}

TEST(OnnxReader, AcceptsEmptyGraphsAndPassThrough) {
  EXPECT_EQ(parse(emptyModel())->error, "");
  pb::ModelProto proto = emptyModel();
  addInput(*proto.mutable_graph(), "x");
  addOutput(*proto.mutable_graph(), "x");
  EXPECT_EQ(parse(proto)->error, "");
}

TEST(OnnxReader, TreatsInitializersOfOldFilesAsConstants) {
  pb::ModelProto proto = addModel();
  addInput(*proto.mutable_graph(), "w");
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  ASSERT_EQ(loaded->model->graph.inputs.size(), 2u);
  EXPECT_FALSE(loaded->model->graph.inputs[0].hasDefault);
  EXPECT_TRUE(loaded->model->graph.inputs[1].hasDefault);
  proto.set_ir_version(3);
  loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  ASSERT_EQ(loaded->model->graph.inputs.size(), 1u);
  EXPECT_EQ(loaded->model->graph.valueInfos.back().name, "w");
}

TEST(OnnxReader, SortsNodes) {
  pb::ModelProto proto = emptyModel();
  pb::GraphProto &graph = *proto.mutable_graph();
  addInput(graph, "x");
  addOutput(graph, "c");
  addNode(graph, "If", {"x"}, {"c"}); // Its subgraph uses b.
  pb::GraphProto &branch = addGraph(graph.mutable_node()->rbegin()[0], "then_branch");
  addNode(branch, "Neg", {"b"}, {"t"});
  addOutput(branch, "t");
  addNode(graph, "Exp", {"a"}, {"b"});
  addNode(graph, "Abs", {"x"}, {"a"});
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  const std::vector<Node> &nodes = loaded->model->graph.nodes;
  EXPECT_EQ(nodes[0].opType, "Abs");
  EXPECT_EQ(nodes[1].opType, "Exp");
  EXPECT_EQ(nodes[2].opType, "If");
  EXPECT_EQ(loaded->model->warnings,
            std::vector<std::string>{"m.onnx: nodes are not in topological order; sorted"});
}

TEST(OnnxReader, WarnsOfShadowedNames) {
  pb::ModelProto proto = addModel();
  pb::GraphProto &graph = *proto.mutable_graph();
  addNode(graph, "If", {"y"}, {"z"});
  pb::GraphProto &branch = addGraph(graph.mutable_node()->rbegin()[0], "then_branch");
  addNode(branch, "Neg", {"x"}, {"y"});
  addOutput(branch, "y");
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->warnings,
            std::vector<std::string>{"m.onnx: 1 names of subgraphs are also defined in an outer "
                                     "graph (first 'y'); the inner ones are used"});
}

TEST(OnnxReader, WarnsOfNewerFiles) {
  pb::ModelProto proto = addModel();
  proto.set_ir_version(99);
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->warnings,
            std::vector<std::string>{"m.onnx: IR version 99 is newer than 14, the newest that is "
                                     "known; it is read by the rules of 14"});
}

TEST(OnnxReader, IgnoresUnusedTensorsOfUnknownType) {
  pb::ModelProto proto = addModel();
  addWeight(*proto.mutable_graph(), "odd", 1).set_data_type(99);
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->graph.initializers.size(), 1u);
}

TEST(OnnxReader, DropsDocumentationAndKeepsTheScope) {
  pb::ModelProto proto = addModel();
  pb::NodeProto &node = *proto.mutable_graph()->mutable_node(0);
  node.set_doc_string("long");
  auto addEntry = [&](const char *key, const char *value) {
    pb::StringStringEntryProto &entry = *node.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  };
  addEntry("pkg.torch.onnx.stack_trace", "longer");
  addEntry("pkg.torch.onnx.name_scopes", "['', 'layers.0', 'layers.0.mlp']");
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->graph.nodes[0].scope, "layers.0.mlp");
}

TEST(OnnxReader, IgnoresUnknownFieldsAndImports) {
  pb::ModelProto proto = addModel();
  pb::OperatorSetIdProto &import = *proto.add_opset_import();
  import.set_domain("org.pytorch.aten");
  import.set_version(1);
  // Field 1000, a string; and field 60000 of a tensor, which is private to the reader.
  std::string bytes = proto.SerializeAsString() + std::string("\xc2\x3e\x02hi", 5);
  EXPECT_EQ(parse(bytes)->error, "");
  proto.mutable_graph()->mutable_initializer(0)->add_dynac_spans(1u << 20);
  EXPECT_EQ(parse(proto)->error, "");
}

TEST(OnnxReader, ReadsTrainingInfo) {
  pb::ModelProto proto = addModel();
  pb::TrainingInfoProto &info = *proto.add_training_info();
  addNode(*info.mutable_algorithm(), "Sub", {"w", "w"}, {"w2"});
  info.add_update_binding()->set_key("w");
  info.mutable_update_binding(0)->set_value("w2");
  auto loaded = parse(proto);
  ASSERT_EQ(loaded->error, "");
  ASSERT_EQ(loaded->model->training.size(), 1u);
  EXPECT_EQ(loaded->model->training[0].algorithm.nodes[0].opType, "Sub");
  EXPECT_EQ(loaded->model->training[0].updateBindings[0].second, "w2");
}
