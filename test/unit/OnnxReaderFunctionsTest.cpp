//===- OnnxReaderFunctionsTest.cpp - model-local functions ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModelBuilder.h"

using namespace dynac::onnx;
using namespace dynac::onnx::testing;

namespace {

pb::FunctionProto &addFunction(pb::ModelProto &model, const char *name, Names inputs,
                               Names outputs) {
  pb::FunctionProto &function = *model.add_functions();
  function.set_name(name);
  function.set_domain("local");
  for (const char *input : inputs)
    function.add_input(input);
  for (const char *output : outputs)
    function.add_output(output);
  function.add_opset_import()->set_version(13);
  return function;
}

pb::NodeProto &addCall(pb::GraphProto &graph, const char *name, Names inputs, Names outputs,
                       const char *nodeName = "") {
  pb::NodeProto &node = addNode(graph, name, inputs, outputs, nodeName);
  node.set_domain("local");
  return node;
}

void addRef(pb::NodeProto &node, const char *name, const char *to) {
  pb::AttributeProto &attribute = addAttribute(node, name);
  attribute.set_type(pb::AttributeProto::FLOAT);
  attribute.set_ref_attr_name(to);
}

/// One line for each node, subgraphs in braces: "Op@version(inputs)->(outputs)".
std::string show(const std::vector<Node> &nodes) {
  std::string text;
  auto join = [](const std::vector<std::string> &names) {
    std::string out;
    for (const std::string &name : names)
      out += (out.empty() ? "" : ",") + (name.empty() ? std::string("-") : name);
    return out;
  };
  for (const Node &node : nodes) {
    text += node.opType + "@" + std::to_string(node.opsetVersion) + "(" + join(node.inputs) +
            ")->(" + join(node.outputs) + ")";
    for (const Attribute &attribute : node.attributes) {
      if (attribute.kind == Attribute::Kind::Float)
        text += " " + attribute.name + "=" + std::to_string(attribute.f).substr(0, 3);
      for (const Graph &graph : attribute.graphs)
        text += " {" + show(graph.nodes) + "}";
    }
    text += "\n";
  }
  return text;
}

std::string showAfterInlining(const pb::ModelProto &model, const ReadOptions &options = {}) {
  auto loaded = parse(model, options);
  return loaded->error.empty() ? show(loaded->model->graph.nodes) : loaded->error;
}

} // namespace

TEST(OnnxFunctions, InlinesWithItsOwnOpsetAndUniqueNames) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addOutput(graph, "z");
  addCall(graph, "F", {"x"}, {"y"}, "a");
  addCall(graph, "F", {"y"}, {"z"}, "a"); // The same node name again.
  pb::FunctionProto &function = addFunction(model, "F", {"p"}, {"r"});
  addNode(function, "Neg", {"p"}, {"q"});
  addNode(function, "Abs", {"q"}, {"r"});
  EXPECT_EQ(showAfterInlining(model), "Neg@13(x)->(a/q)\nAbs@13(a/q)->(y)\n"
                                      "Neg@13(y)->(a/q_1)\nAbs@13(a/q_1)->(z)\n");
  ReadOptions options;
  options.inlineFunctions = false;
  auto loaded = parse(model, options);
  ASSERT_EQ(loaded->error, "");
  EXPECT_EQ(loaded->model->functions.size(), 1u);
}

TEST(OnnxFunctions, SubstitutesAttributes) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addAttribute(addCall(graph, "F", {"x"}, {"y"}), "given").set_f(0.5f);
  pb::FunctionProto &function = addFunction(model, "F", {"p"}, {"r"});
  function.add_attribute("given");
  function.add_attribute("absent");
  addAttribute(function, "usual").set_f(0.25f);
  pb::NodeProto &node = addNode(function, "Op", {"p"}, {"r"});
  addRef(node, "a", "given");
  addRef(node, "b", "absent");
  addRef(node, "c", "usual");
  EXPECT_EQ(showAfterInlining(model), "Op@13(x)->(y) a=0.5 c=0.2\n");
}

TEST(OnnxFunctions, HandlesOmittedAndPassedThroughValues) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addCall(graph, "F", {"x"}, {"", "same", "twice"});
  pb::FunctionProto &function = addFunction(model, "F", {"p", "optional"}, {"r", "p", "r"});
  addNode(function, "Clip", {"p", "optional"}, {"r"});
  EXPECT_EQ(showAfterInlining(model), "Clip@13(x,-)->(twice)\nIdentity@18(x)->(same)\n");
}

TEST(OnnxFunctions, ReachesSubgraphsAndNestedCalls) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  pb::GraphProto &branch = addGraph(addNode(graph, "If", {"x"}, {"y"}), "then_branch");
  addCall(branch, "Outer", {"x"}, {"t"}, "call");
  addOutput(branch, "t");
  pb::FunctionProto &outer = addFunction(model, "Outer", {"p"}, {"r"});
  pb::GraphProto &body = addGraph(addNode(outer, "Loop", {"p"}, {"r"}), "body");
  addInput(body, "i");
  addNode(body, "Add", {"i", "p"}, {"inner"}).set_name("n");
  addCall(body, "Inner", {"inner"}, {"o"});
  addOutput(body, "o");
  addNode(addFunction(model, "Inner", {"v"}, {"w"}), "Exp", {"v"}, {"w"});
  EXPECT_EQ(showAfterInlining(model),
            "If@18(x)->(y) {Loop@13(x)->(t) {Add@13(call/i,x)->(call/inner)\n"
            "Exp@13(call/inner)->(call/o)\n}\n}\n");
}

TEST(OnnxFunctions, TellsOverloadsApart) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addCall(graph, "F", {"x"}, {"y"}).set_overload("two");
  addNode(addFunction(model, "F", {"p"}, {"r"}), "One", {"p"}, {"r"});
  pb::FunctionProto &two = addFunction(model, "F", {"p"}, {"r"});
  two.set_overload("two");
  addNode(two, "Two", {"p"}, {"r"});
  EXPECT_EQ(showAfterInlining(model), "Two@13(x)->(y)\n");
  two.set_overload("");
  EXPECT_EQ(showAfterInlining(model), "3: m.onnx: the model: has two functions 'local.F'");
}

TEST(OnnxFunctions, RefusesRecursion) {
  pb::ModelProto model = emptyModel();
  addInput(*model.mutable_graph(), "x");
  addCall(*model.mutable_graph(), "F", {"x"}, {"y"});
  addNode(addFunction(model, "F", {"p"}, {"r"}), "G", {"p"}, {"r"}, "g").set_domain("local");
  addNode(addFunction(model, "G", {"p"}, {"r"}), "F", {"p"}, {"r"}, "f").set_domain("local");
  EXPECT_EQ(showAfterInlining(model),
            "3: m.onnx: node 'f' (local.F, #0): function 'F' calls itself");
}

TEST(OnnxFunctions, CapsTheExpansion) {
  // 40 functions, each of which calls the next one twice.
  pb::ModelProto model = emptyModel();
  ReadOptions capped;
  capped.maxInlinedNodes = 20000;
  addInput(*model.mutable_graph(), "x");
  addCall(*model.mutable_graph(), "F0", {"x"}, {"y"});
  for (int i = 0; i < 40; ++i) {
    pb::FunctionProto &function =
        addFunction(model, ("F" + std::to_string(i)).c_str(), {"p"}, {"r"});
    std::string next = "F" + std::to_string(i + 1);
    addNode(function, next.c_str(), {"p"}, {"q"}).set_domain("local");
    addNode(function, next.c_str(), {"q"}, {"r"}).set_domain("local");
  }
  pb::FunctionProto &last = addFunction(model, "F40", {"p"}, {});
  last.add_output("p");
  EXPECT_EQ(showAfterInlining(model, capped),
            "3: m.onnx: the model has more than 20000 nodes when its functions are inlined");
}

TEST(OnnxFunctions, CapsGraphsThatAreAttributes) {
  // Each function hands on a graph that holds its own graph attribute twice.
  pb::ModelProto model = emptyModel();
  ReadOptions capped;
  capped.maxInlinedNodes = 20000;
  addInput(*model.mutable_graph(), "x");
  pb::GraphProto &first = addGraph(addCall(*model.mutable_graph(), "F0", {"x"}, {"y"}), "g");
  addNode(first, "Neg", {"x"}, {"n"});
  for (int i = 0; i < 60; ++i) {
    pb::FunctionProto &function =
        addFunction(model, ("F" + std::to_string(i)).c_str(), {"p"}, {"r"});
    std::string next = "F" + std::to_string(i + 1);
    pb::NodeProto &call = addNode(function, next.c_str(), {"p"}, {"r"});
    call.set_domain("local");
    pb::NodeProto &branch = addNode(addGraph(call, "g"), "If", {"p"}, {});
    for (const char *name : {"then_branch", "else_branch"}) {
      addRef(branch, name, "g");
      branch.mutable_attribute()->rbegin()->set_type(pb::AttributeProto::GRAPH);
    }
  }
  addNode(addFunction(model, "F60", {"p"}, {"r"}), "Neg", {"p"}, {"r"});
  std::string result = showAfterInlining(model, capped);
  EXPECT_EQ(result, "3: m.onnx: the model has more than 20000 nodes when its functions are "
                    "inlined");
}

TEST(OnnxFunctions, SaysWhatIsWrong) {
  pb::ModelProto model = emptyModel();
  pb::GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x");
  addCall(graph, "F", {"x", "x"}, {"y"}, "call");
  pb::FunctionProto &function = addFunction(model, "F", {"p"}, {"r"});
  addNode(function, "Neg", {"p"}, {"r"}, "neg");
  EXPECT_EQ(showAfterInlining(model),
            "3: m.onnx: node 'call' (local.F, #0): has 2 inputs and 1 outputs, but function 'F' "
            "takes 1 and gives 1");
  function.mutable_node(0)->set_input(0, "x"); // A function sees no names of the graph.
  EXPECT_EQ(showAfterInlining(model),
            "3: m.onnx: function 'F': node 'neg' (Neg, #0): input 'x' is not defined");
  function.mutable_node(0)->set_domain("other");
  EXPECT_EQ(showAfterInlining(model), "3: m.onnx: function 'F': node 'neg' (other.Neg, #0): the "
                                      "function imports no opset of domain 'other'");
  // A function that nobody calls is not looked at.
  graph.clear_node();
  EXPECT_EQ(showAfterInlining(model), "");
}
