//===- Functions.cpp - inlines model-local functions ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace dynac::onnx {

namespace {

constexpr unsigned maxDepth = 100;

class Inliner {
public:
  Inliner(OnnxModel &model, uint64_t maxNodes) : model(model), maxNodes(maxNodes) {}

  llvm::Error run();

private:
  struct Entry {
    const Function *function;
    enum { New, Active, Done } state = New;
    uint64_t weight = 0; ///< Of the body, calls not inlined.
  };
  /// A scope of names that are renamed: one call, with the subgraphs of its body.
  struct Renaming {
    llvm::StringMap<std::string> names;
    const Renaming *outer = nullptr;
    std::string prefix;
  };

  using AttributeValues = llvm::StringMap<const Attribute *>;

  static std::string keyOf(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload) {
    return (domain + llvm::Twine('\0') + name + llvm::Twine('\0') + overload).str();
  }
  Entry *calleeOf(const Node &node) {
    auto found = functions.find(keyOf(node.domain, node.opType, node.overload));
    return found == functions.end() ? nullptr : &found->second;
  }

  llvm::Error checkCalls(const std::vector<Node> &nodes, unsigned depth);
  llvm::Error spend(uint64_t weight);
  void collectNames(const Graph &graph);
  std::string freshName(const std::string &wish);
  llvm::Error expandNodes(std::vector<Node> &nodes, unsigned depth);
  llvm::Error expandCall(Node call, std::vector<Node> &out, unsigned depth);
  std::string lookUp(const Renaming &renaming, const std::string &name);
  std::string define(Renaming &renaming, const std::string &name);
  void renameNodes(std::vector<Node> &nodes, Renaming &renaming);
  void renameGraph(Graph &graph, const Renaming &outer);
  llvm::Error substitute(std::vector<Node> &nodes, const AttributeValues &values);

  OnnxModel &model;
  uint64_t maxNodes;
  uint64_t left = maxNodes; ///< What may still be copied.
  llvm::StringMap<Entry> functions;
  llvm::StringSet<> taken;
  llvm::StringMap<uint64_t> suffixes; ///< The last one that freshName gave to a name.
};

/// Nodes count one each; long names and attributes by their bytes. Elements of tensors are shared.
uint64_t weightOf(const std::vector<Node> &nodes);

uint64_t weightOf(const Attribute &attribute) {
  uint64_t bytes = attribute.s.size() + 4 * attribute.floats.size() + 8 * attribute.ints.size() +
                   32 * attribute.strings.size() + 64 * attribute.types.size() +
                   256 * attribute.tensors.size();
  for (const std::string &text : attribute.strings)
    bytes += text.size();
  for (const TensorData &tensor : attribute.tensors)
    for (const std::string &text : tensor.strings)
      bytes += 32 + text.size();
  uint64_t weight = bytes / 1024;
  for (const Graph &graph : attribute.graphs)
    weight += 1 + graph.initializers.size() / 4 + weightOf(graph.nodes);
  return weight;
}

uint64_t weightOf(const std::vector<Node> &nodes) {
  uint64_t weight = nodes.size(), bytes = 0;
  for (const Node &node : nodes) {
    bytes += node.name.size() + node.scope.size() + node.opType.size() + node.domain.size();
    bytes += 32 * (node.inputs.size() + node.outputs.size());
    for (const std::string &input : node.inputs)
      bytes += input.size();
    for (const std::string &output : node.outputs)
      bytes += output.size();
    for (const Attribute &attribute : node.attributes)
      weight += weightOf(attribute);
  }
  return weight + bytes / 1024;
}

llvm::Error Inliner::spend(uint64_t weight) {
  if (weight > left)
    return invalidModel("{0}: the model has more than {1} nodes when its functions are inlined",
                        model.path, maxNodes);
  left -= weight;
  return llvm::Error::success();
}

/// A function that is met twice on one path, or a very long path, is refused before anything is
/// expanded.
llvm::Error Inliner::checkCalls(const std::vector<Node> &nodes, unsigned depth) {
  for (const Node &node : nodes) {
    if (Entry *callee = calleeOf(node); callee && callee->state != Entry::Done) {
      if (callee->state == Entry::Active)
        return invalidModel("{0}: {1}: function '{2}' calls itself", model.path, node.describe(),
                            printable(callee->function->name));
      if (depth == maxDepth)
        return invalidModel("{0}: {1}: functions call each other more than {2} levels deep",
                            model.path, node.describe(), maxDepth);
      callee->state = Entry::Active;
      if (llvm::Error error = checkCalls(callee->function->nodes, depth + 1))
        return error;
      callee->weight = 1 + weightOf(callee->function->nodes);
      callee->state = Entry::Done;
    }
    for (const Attribute &attribute : node.attributes)
      for (const Graph &graph : attribute.graphs)
        if (llvm::Error error = checkCalls(graph.nodes, depth))
          return error;
  }
  return llvm::Error::success();
}

void Inliner::collectNames(const Graph &graph) {
  for (const ValueInfo &input : graph.inputs)
    taken.insert(input.name);
  for (const TensorData &tensor : graph.initializers)
    taken.insert(tensor.name);
  for (const Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      taken.insert(output);
    for (const Attribute &attribute : node.attributes)
      for (const Graph &inner : attribute.graphs)
        collectNames(inner);
  }
}

std::string Inliner::freshName(const std::string &wish) {
  if (taken.insert(wish).second)
    return wish;
  // Counted for each name, or many calls of one function would take quadratic time.
  uint64_t &count = suffixes[wish];
  for (;;) {
    std::string name = wish + "_" + std::to_string(++count);
    if (taken.insert(name).second)
      return name;
  }
}

std::string Inliner::lookUp(const Renaming &renaming, const std::string &name) {
  if (name.empty())
    return name;
  for (const Renaming *scope = &renaming; scope; scope = scope->outer)
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
  return name; // Not reached for a checked function: its names are all its own.
}

std::string Inliner::define(Renaming &renaming, const std::string &name) {
  if (name.empty())
    return name;
  auto [entry, isNew] = renaming.names.try_emplace(name);
  if (isNew)
    entry->second = freshName(renaming.prefix + name);
  return entry->second;
}

/// In two steps, since a subgraph may use names of its graph wherever they are defined.
void Inliner::renameNodes(std::vector<Node> &nodes, Renaming &renaming) {
  for (Node &node : nodes)
    for (std::string &output : node.outputs)
      output = define(renaming, output);
  for (Node &node : nodes) {
    for (std::string &input : node.inputs)
      input = lookUp(renaming, input);
    if (!node.name.empty())
      node.name = renaming.prefix + node.name;
    for (Attribute &attribute : node.attributes)
      for (Graph &graph : attribute.graphs)
        renameGraph(graph, renaming);
  }
}

void Inliner::renameGraph(Graph &graph, const Renaming &outer) {
  Renaming renaming;
  renaming.outer = &outer;
  renaming.prefix = outer.prefix;
  for (ValueInfo &input : graph.inputs)
    input.name = define(renaming, input.name);
  for (TensorData &tensor : graph.initializers)
    tensor.name = define(renaming, tensor.name);
  renameNodes(graph.nodes, renaming);
  for (ValueInfo &output : graph.outputs)
    output.name = lookUp(renaming, output.name);
  for (ValueInfo &hint : graph.valueInfos)
    hint.name = lookUp(renaming, hint.name);
}

/// Replaces references to the function's attributes by what the call gives, or the default; an
/// attribute that neither gives is absent.
llvm::Error Inliner::substitute(std::vector<Node> &nodes, const AttributeValues &values) {
  for (Node &node : nodes) {
    std::vector<Attribute> kept;
    kept.reserve(node.attributes.size());
    for (Attribute &attribute : node.attributes) {
      if (attribute.refAttrName.empty()) {
        for (Graph &graph : attribute.graphs)
          if (llvm::Error error = substitute(graph.nodes, values))
            return error;
        kept.push_back(std::move(attribute));
        continue;
      }
      const Attribute *value = values.lookup(attribute.refAttrName);
      if (!value)
        continue;
      if (llvm::Error error = spend(weightOf(*value)))
        return error;
      Attribute copy = *value;
      copy.name = attribute.name;
      kept.push_back(std::move(copy));
    }
    node.attributes = std::move(kept);
  }
  return llvm::Error::success();
}

llvm::Error Inliner::expandCall(Node call, std::vector<Node> &out, unsigned depth) {
  const Entry &callee = *calleeOf(call);
  const Function &function = *callee.function;
  if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
    return invalidModel(
        "{0}: {1}: has {2} inputs and {3} outputs, but function '{4}' takes {5} and "
        "gives {6}",
        model.path, call.describe(), call.inputs.size(), call.outputs.size(),
        printable(function.name), function.inputs.size(), function.outputs.size());
  if (llvm::Error error = spend(callee.weight))
    return error;
  std::vector<Node> body = function.nodes;
  Renaming renaming;
  // Names of nested calls would grow with each level; freshName tells the cut ones apart.
  renaming.prefix = (call.name.empty() ? function.name : call.name).substr(0, 200) + "/";
  for (auto [i, input] : llvm::enumerate(function.inputs))
    renaming.names[input] = i < call.inputs.size() ? call.inputs[i] : "";
  // An output that is an input, or that two positions name, needs a node of its own.
  std::vector<std::pair<std::string, std::string>> copies;
  for (auto [i, output] : llvm::enumerate(function.outputs)) {
    if (i >= call.outputs.size() || call.outputs[i].empty())
      continue;
    auto [entry, isNew] = renaming.names.try_emplace(output, call.outputs[i]);
    if (!isNew)
      copies.emplace_back(entry->second, call.outputs[i]);
  }
  renameNodes(body, renaming);
  AttributeValues values;
  for (const Attribute &attribute : function.attributeDefaults)
    values[attribute.name] = &attribute;
  for (const Attribute &attribute : call.attributes)
    values[attribute.name] = &attribute;
  if (llvm::Error error = substitute(body, values))
    return error;
  for (Node &node : body) {
    node.index = call.index;
    if (node.scope.empty())
      node.scope = call.scope;
  }
  if (llvm::Error error = expandNodes(body, depth + 1))
    return error;
  std::move(body.begin(), body.end(), std::back_inserter(out));
  for (auto &[from, to] : copies) {
    if (from.empty())
      return invalidModel("{0}: {1}: output '{2}' of function '{3}' is an input that is omitted",
                          model.path, call.describe(), printable(to), printable(function.name));
    Node &copy = out.emplace_back();
    copy.name = freshName(renaming.prefix + "output");
    copy.opType = "Identity";
    copy.inputs = {from};
    copy.outputs = {to};
    copy.index = call.index;
    copy.scope = call.scope;
    copy.opsetVersion = 1;
    for (const auto &[domain, version] : model.opsets)
      if (domain.empty())
        copy.opsetVersion = version;
  }
  return llvm::Error::success();
}

/// `depth` counts calls and graphs within graphs; substitution can nest deeper than the file does.
llvm::Error Inliner::expandNodes(std::vector<Node> &nodes, unsigned depth) {
  if (depth > 2 * maxDepth)
    return invalidModel("{0}: graphs are nested too deeply when functions are inlined", model.path);
  std::vector<Node> out;
  out.reserve(nodes.size());
  for (Node &node : nodes) {
    for (Attribute &attribute : node.attributes)
      for (Graph &graph : attribute.graphs)
        if (llvm::Error error = expandNodes(graph.nodes, depth + 1))
          return error;
    if (!calleeOf(node))
      out.push_back(std::move(node));
    else if (llvm::Error error = expandCall(std::move(node), out, depth))
      return error;
  }
  nodes = std::move(out);
  return llvm::Error::success();
}

llvm::Error Inliner::run() {
  if (model.functions.empty())
    return llvm::Error::success();
  for (const Function &function : model.functions)
    functions[keyOf(function.domain, function.name, function.overload)].function = &function;
  std::vector<Graph *> graphs = {&model.graph};
  for (TrainingInfo &info : model.training) {
    graphs.push_back(&info.initialization);
    graphs.push_back(&info.algorithm);
  }
  for (Graph *graph : graphs) {
    if (llvm::Error error = checkCalls(graph->nodes, 0))
      return error;
    collectNames(*graph);
    if (llvm::Error error = spend(graph->nodes.size()))
      return error;
  }
  for (Graph *graph : graphs)
    if (llvm::Error error = expandNodes(graph->nodes, 0))
      return error;
  model.functions.clear();
  return llvm::Error::success();
}

} // namespace

llvm::Error inlineFunctions(OnnxModel &model, uint64_t maxNodes) {
  return Inliner(model, maxNodes).run();
}

} // namespace dynac::onnx
