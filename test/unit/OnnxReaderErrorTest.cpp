//===- OnnxReaderErrorTest.cpp - what the ONNX reader refuses -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModelBuilder.h"

#include <functional>
#include <random>

using namespace dynac::onnx;
using namespace dynac::onnx::testing;

namespace {
/// The error for `x + w -> y` after `change`.
std::string errorAfter(const std::function<void(pb::ModelProto &, pb::GraphProto &)> &change) {
  pb::ModelProto model = addModel();
  change(model, *model.mutable_graph());
  return parse(model)->error;
}
using M = pb::ModelProto;
using G = pb::GraphProto;
} // namespace

TEST(OnnxReaderErrors, MissingPieces) {
  EXPECT_EQ(errorAfter([](M &m, G &) { m.clear_ir_version(); }),
            "3: m.onnx: the model: has no ir_version, expected 1 to 14");
  EXPECT_EQ(errorAfter([](M &m, G &) { m.set_ir_version(-5); }),
            "3: m.onnx: the model: has ir_version -5, expected 1 to 14");
  EXPECT_EQ(errorAfter([](M &m, G &) { m.clear_graph(); }), "3: m.onnx: the model: has no graph");
  EXPECT_EQ(errorAfter([](M &m, G &) { m.clear_opset_import(); }),
            "3: m.onnx: the model: imports no opset");
  EXPECT_EQ(errorAfter([](M &m, G &) {
              m.add_opset_import()->set_domain("ai.onnx");
              m.mutable_opset_import(1)->set_version(17);
            }),
            "3: m.onnx: the model: imports domain 'ai.onnx' at versions 18 and 17");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_node(0)->set_domain("com.example"); }),
            "3: m.onnx: node 'add' (com.example.Add, #0): the model imports no opset of domain "
            "'com.example'");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_node(0)->clear_op_type(); }),
            "3: m.onnx: node 'add' (, #0): has no operator");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_input(0)->clear_type(); }),
            "3: m.onnx: input 'x' has no type");
  EXPECT_EQ(errorAfter([](M &, G &g) {
              g.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(99);
            }),
            "3: m.onnx: input 'x': unknown element type 99");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_input(0)->clear_name(); }),
            "3: m.onnx: an input has no name");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_initializer(0)->clear_name(); }),
            "3: m.onnx: an initializer has no name");
}

TEST(OnnxReaderErrors, Names) {
  EXPECT_EQ(errorAfter([](M &, G &g) { addInput(g, "x"); }),
            "3: m.onnx: input 'x' is listed twice");
  EXPECT_EQ(errorAfter([](M &, G &g) { addWeight(g, "w", 1); }),
            "3: m.onnx: initializer 'w' is given twice");
  EXPECT_EQ(errorAfter([](M &, G &g) { addNode(g, "Neg", {"x"}, {"y"}); }),
            "3: m.onnx: node #1 (Neg): output 'y' is already defined by node 'add' (Add, #0)");
  EXPECT_EQ(errorAfter([](M &, G &g) { addNode(g, "Neg", {"x"}, {"w"}); }),
            "3: m.onnx: node #1 (Neg): output 'w' is already defined by an input or initializer");
  EXPECT_EQ(errorAfter([](M &, G &g) { addNode(g, "Split", {"x"}, {"a", "a"}); }),
            "3: m.onnx: node #1 (Split): output 'a' is already defined by node #1 (Split)");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_node(0)->set_input(1, "gone\n"); }),
            "3: m.onnx: node 'add' (Add, #0): input 'gone\\n' is not defined");
  EXPECT_EQ(errorAfter([](M &, G &g) { addOutput(g, "z"); }),
            "3: m.onnx: output 'z' is not defined");
  EXPECT_EQ(errorAfter([](M &, G &g) { addOutput(g, ""); }), "3: m.onnx: output '' is not defined");
  EXPECT_EQ(errorAfter([](M &, G &g) {
              addNode(g, "Neg", {"b"}, {"a"});
              addNode(g, "Neg", {"a"}, {"b"});
            }),
            "3: m.onnx: node #1 (Neg): depends on its own output");
  EXPECT_EQ(errorAfter([](M &, G &g) { g.mutable_initializer(0)->set_data_type(77); }),
            "3: m.onnx: initializer 'w': unknown element type 77");
}

TEST(OnnxReaderErrors, Subgraphs) {
  EXPECT_EQ(errorAfter([](M &, G &g) {
              addNode(addGraph(addNode(g, "If", {"y"}, {"z"}), "then_branch"), "Neg", {"no"},
                      {"t"});
            }),
            "3: m.onnx: node #0 (Neg): input 'no' is not defined");
  EXPECT_EQ(errorAfter([](M &, G &g) {
              addOutput(addGraph(addNode(g, "If", {"y"}, {"z"}, "if"), "then_branch"), "no");
            }),
            "3: m.onnx: node 'if' (If, #1): input 'no' is not defined");
  EXPECT_EQ(errorAfter([](M &, G &g) {
              pb::GraphProto &b = addGraph(addNode(g, "If", {"y"}, {"z"}, "if"), "then_branch");
              addNode(b, "Neg", {"y"}, {"t"});
              addNode(b, "Neg", {"x"}, {"t"});
            }),
            "3: m.onnx: node 'if' (If, #1): attribute 'then_branch': node #1 (Neg): output 't' is "
            "already defined by node #0 (Neg)");
  EXPECT_EQ(errorAfter([](M &, G &g) {
              pb::GraphProto &b = addGraph(addNode(g, "If", {"y"}, {"z"}, "if"), "then_branch");
              addNode(b, "Neg", {"x"}, {"t"});
              addNode(b, "Neg", {"y"}, {"x"});
            }),
            "3: m.onnx: node 'if' (If, #1): attribute 'then_branch': node #0 (Neg): input 'x' is "
            "defined by node #1 (Neg) after it, and in an outer graph");
  // The subgraph needs what its own node defines.
  EXPECT_EQ(errorAfter([](M &, G &g) {
              addNode(addGraph(addNode(g, "If", {"y"}, {"z"}), "then_branch"), "Neg", {"z"}, {"t"});
            }),
            "3: m.onnx: node #1 (If): depends on its own output");
}

TEST(OnnxReaderErrors, Attributes) {
  auto errorWith = [](const std::function<void(pb::NodeProto &)> &change) {
    return errorAfter([&](M &, G &g) { change(*g.mutable_node(0)); });
  };
  EXPECT_EQ(errorWith([](pb::NodeProto &n) { addAttribute(n, ""); }),
            "3: m.onnx: node 'add' (Add, #0): an attribute has no name");
  EXPECT_EQ(
      errorWith([](pb::NodeProto &n) { addAttribute(n, "a"); }),
      "3: m.onnx: node 'add' (Add, #0): attribute 'a': has no type that this version of dynac "
      "knows");
  EXPECT_EQ(errorWith([](pb::NodeProto &n) {
              addAttribute(n, "a").set_i(1);
              addAttribute(n, "a").set_i(1);
            }),
            "3: m.onnx: node 'add' (Add, #0): attribute 'a' is given twice");
  EXPECT_EQ(errorWith([](pb::NodeProto &n) {
              addAttribute(n, "a").set_type(pb::AttributeProto::TENSOR);
            }),
            "3: m.onnx: node 'add' (Add, #0): attribute 'a': has no tensor");
  EXPECT_EQ(
      errorWith([](pb::NodeProto &n) { addAttribute(n, "a").set_type(pb::AttributeProto::GRAPH); }),
      "3: m.onnx: node 'add' (Add, #0): attribute 'a': has no graph");
  EXPECT_EQ(
      errorWith([](pb::NodeProto &n) { addAttribute(n, "a").mutable_t()->set_data_type(99); }),
      "3: m.onnx: node 'add' (Add, #0): attribute 'a': unknown element type 99");
  EXPECT_EQ(errorWith([](pb::NodeProto &n) { addAttribute(n, "a").set_ref_attr_name("b"); }),
            "3: m.onnx: node 'add' (Add, #0): attribute 'a': refers to an attribute of a function "
            "('b'), but is not in one");
}

TEST(OnnxReaderErrors, OtherFiles) {
  EXPECT_EQ(parse("")->error, "3: m.onnx: the file is empty, expected an ONNX model");
  EXPECT_EQ(parse("version https://git-lfs.github.com/spec/v1\n")->error,
            "3: m.onnx: is a Git LFS pointer, not the model; fetch it with `git lfs pull`");
  EXPECT_EQ(parse("PK\x03\x04rest")->error, "3: m.onnx: is a zip archive, expected an ONNX model");
  EXPECT_EQ(parse("hello\n")->error,
            "3: m.onnx: not a valid ONNX file: at byte 2, in a ModelProto: "
            "field 13 has wire type 4");
  auto missing = loadOnnx("/nonexistent/m.onnx");
  ASSERT_FALSE(static_cast<bool>(missing));
  EXPECT_EQ(describe(missing.takeError()), "7: /nonexistent/m.onnx: No such file or directory");
  auto folder = loadOnnx("/");
  ASSERT_FALSE(static_cast<bool>(folder));
  EXPECT_EQ(describe(folder.takeError()), "7: /: is a directory, expected a regular file");
}

TEST(OnnxReaderErrors, WireFormat) {
  // graph (field 7) of 2^40 bytes.
  EXPECT_EQ(
      parse("\x3a\x80\x80\x80\x80\x80\x20zz")->error,
      "3: m.onnx: not a valid ONNX file: at byte 0, in a ModelProto: field 7 is 1099511627776 "
      "bytes long, but only 2 are left");
  EXPECT_EQ(
      parse(std::string("\x3a\x02\x0a\x05", 4))->error,
      "3: m.onnx: not a valid ONNX file: at byte 2, in a GraphProto: field 1 is 5 bytes long, "
      "but only 0 are left");
  EXPECT_EQ(parse("\x0b")->error, "3: m.onnx: not a valid ONNX file: at byte 0, in a ModelProto: "
                                  "field 1 has wire type 3");
  EXPECT_EQ(parse(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12))->error,
            "3: m.onnx: not a valid ONNX file: at byte 0, in a ModelProto: field 1 is cut off");
  EXPECT_EQ(parse(std::string("\x00\x01", 2))->error,
            "3: m.onnx: not a valid ONNX file: at byte 0, in a ModelProto: expected a field");
}

static pb::ModelProto nested(unsigned depth) {
  pb::ModelProto model = addModel();
  pb::GraphProto *graph = model.mutable_graph();
  for (unsigned i = 0; i < depth; ++i)
    graph = &addGraph(addNode(*graph, "If", {"y"}, {}), "then_branch");
  return model;
}

TEST(OnnxReaderErrors, DeepNesting) {
  EXPECT_EQ(parse(nested(30))->error, "");
  std::string error = parse(nested(40))->error;
  EXPECT_NE(error.find("messages are nested too deeply"), std::string::npos) << error;
  error = parse(nested(3000))->error;
  EXPECT_NE(error.find("messages are nested too deeply"), std::string::npos) << error;
  // Types are not walked by the scanner: protobuf has its own limit.
  pb::ModelProto model = addModel();
  pb::TypeProto *type = model.mutable_graph()->mutable_input(0)->mutable_type();
  for (unsigned i = 0; i < 3000; ++i)
    type = type->mutable_sequence_type()->mutable_elem_type();
  EXPECT_EQ(parse(model)->error, "3: m.onnx: not a valid ONNX file: protobuf cannot parse it");
}

namespace {
/// A small model that uses most of the format.
std::string richModel() {
  pb::ModelProto model = addModel();
  pb::GraphProto &graph = *model.mutable_graph();
  pb::NodeProto &node = addNode(graph, "If", {"y"}, {"z"}, "if");
  pb::GraphProto &branch = addGraph(node, "then_branch");
  addNode(branch, "Neg", {"y"}, {"t"});
  addOutput(branch, "t");
  addAttribute(graph.mutable_node()->rbegin()[0], "ints").add_ints(3);
  pb::TensorProto &typed = *graph.add_initializer();
  typed.set_name("typed");
  typed.set_data_type(pb::TensorProto::INT4);
  typed.add_dims(3);
  typed.add_int32_data(0x21);
  typed.add_int32_data(0x3);
  pb::FunctionProto &function = *model.add_functions();
  function.set_name("F");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  function.add_opset_import()->set_version(18);
  addNode(function, "LeakyRelu", {"a"}, {"b"});
  pb::AttributeProto &ref = addAttribute(*function.mutable_node(0), "alpha");
  ref.set_type(pb::AttributeProto::FLOAT);
  ref.set_ref_attr_name("alpha");
  addNode(graph, "F", {"z"}, {"q"}, "call").set_domain("local");
  pb::SparseTensorProto &sparse = *graph.add_sparse_initializer();
  sparse.mutable_values()->set_name("sparse");
  sparse.mutable_values()->set_data_type(pb::TensorProto::UINT8);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->set_raw_data("x");
  sparse.mutable_indices()->set_data_type(pb::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(2);
  sparse.add_dims(4);
  return model.SerializeAsString();
}
} // namespace

// Each of these must end with a model or with one line; ASan watches the rest.
TEST(OnnxReaderErrors, TruncationAtEveryByte) {
  std::string bytes = richModel();
  ASSERT_EQ(parse(bytes)->error, "");
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string error = parse(bytes.substr(0, size))->error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
    if (!error.empty())
      EXPECT_EQ(error.substr(0, 10), "3: m.onnx:") << error;
  }
}

TEST(OnnxReaderErrors, EveryByteChanged) {
  std::string bytes = richModel();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      std::string error = parse(changed)->error;
      EXPECT_EQ(error.find('\n'), std::string::npos);
    }
}

TEST(OnnxReaderErrors, RandomBitFlips) {
  std::string bytes = richModel();
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    for (unsigned flips = 1 + random() % 4; flips != 0; --flips)
      changed[random() % changed.size()] ^= static_cast<char>(1u << (random() % 8));
    parse(changed);
  }
}
