//===- Check.cpp - names and order of a model -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <queue>

namespace dynac::onnx {

namespace {

/// Where a name of a graph gets its value: a node, or the start.
constexpr unsigned atStart = ~0u;

/// The names of a graph and of those around it.
struct Scope {
  const llvm::StringMap<unsigned> &definedBy;
  const Scope *outer;

  static bool contains(const Scope *scope, llvm::StringRef name) {
    for (; scope; scope = scope->outer)
      if (scope->definedBy.contains(name))
        return true;
    return false;
  }
};

class Checker {
public:
  explicit Checker(OnnxModel &model) : model(model) {}

  /// `outer` holds the names of the enclosing graphs; null for a graph of its own.
  llvm::Error checkGraph(Graph &graph, const Scope *outer, const std::string &where);
  llvm::Error checkFunction(Function &function);

  unsigned shadowed = 0; ///< Names of subgraphs that an outer graph has, too.
  std::string firstShadowed;

private:
  template <typename... Args>
  llvm::Error invalid(const std::string &where, const char *format, Args &&...args) {
    return invalidModel("{0}: {1}{2}", model.path, where,
                        llvm::formatv(format, std::forward<Args>(args)...).str());
  }

  llvm::Error dropUnusedUnknown(Graph &graph, const std::string &where);
  llvm::Error defineInputs(Graph &graph, llvm::StringMap<unsigned> &definedBy,
                           const std::string &where);
  llvm::Error defineOutputs(const std::vector<Node> &nodes, llvm::StringMap<unsigned> &definedBy,
                            const std::string &where);
  llvm::Error order(std::vector<Node> &nodes, const llvm::StringMap<unsigned> &definedBy,
                    const Scope *outer, const std::string &where);
  llvm::Error sort(std::vector<Node> &nodes, const llvm::StringMap<unsigned> &definedBy,
                   const std::string &where);

  OnnxModel &model;
};

using NameUse = llvm::function_ref<void(llvm::StringRef name, const Node &user)>;

/// Calls `use` for each name of the enclosing graphs that `graph` uses, with the node that uses it;
/// a name that is an output only counts as used by `owner`.
void forEachFreeName(const Graph &graph, const Node &owner, NameUse use) {
  llvm::StringSet<> own;
  for (const ValueInfo &input : graph.inputs)
    own.insert(input.name);
  for (const TensorData &tensor : graph.initializers)
    own.insert(tensor.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      own.insert(output);
  auto useFree = [&](llvm::StringRef name, const Node &user) {
    if (!name.empty() && !own.contains(name))
      use(name, user);
  };
  for (const Node &node : graph.nodes) {
    for (const std::string &input : node.inputs)
      useFree(input, node);
    for (const Attribute &attribute : node.attributes)
      for (const Graph &inner : attribute.graphs)
        forEachFreeName(inner, node, useFree);
  }
  for (const ValueInfo &output : graph.outputs)
    useFree(output.name, owner);
}

/// Calls `use` for each name of its graph, or of the enclosing ones, that `node` needs.
void forEachUsedName(const Node &node, NameUse use) {
  for (const std::string &input : node.inputs)
    if (!input.empty())
      use(input, node);
  for (const Attribute &attribute : node.attributes)
    for (const Graph &inner : attribute.graphs)
      forEachFreeName(inner, node, use);
}

/// Element types that are not known are only an error where the tensor is used.
llvm::Error Checker::dropUnusedUnknown(Graph &graph, const std::string &where) {
  if (llvm::all_of(graph.initializers, [](const TensorData &t) { return isKnown(t.type); }))
    return llvm::Error::success();
  llvm::StringSet<> used;
  for (const Node &node : graph.nodes)
    forEachUsedName(node, [&](llvm::StringRef name, const Node &) { used.insert(name); });
  for (const ValueInfo &output : graph.outputs)
    used.insert(output.name);
  for (const TensorData &tensor : graph.initializers)
    if (!isKnown(tensor.type) && used.contains(tensor.name))
      return invalid(where, "initializer '{0}': unknown element type {1}", printable(tensor.name),
                     static_cast<int32_t>(tensor.type));
  llvm::erase_if(graph.initializers, [](const TensorData &t) { return !isKnown(t.type); });
  return llvm::Error::success();
}

llvm::Error Checker::defineInputs(Graph &graph, llvm::StringMap<unsigned> &definedBy,
                                  const std::string &where) {
  llvm::StringSet<> inputs;
  for (const ValueInfo &input : graph.inputs) {
    if (input.name.empty())
      return invalid(where, "an input has no name");
    if (!inputs.insert(input.name).second)
      return invalid(where, "input '{0}' is listed twice", printable(input.name));
    definedBy[input.name] = atStart;
  }
  llvm::StringSet<> constants;
  for (const TensorData &tensor : graph.initializers) {
    if (tensor.name.empty())
      return invalid(where, "an initializer has no name");
    if (!constants.insert(tensor.name).second)
      return invalid(where, "initializer '{0}' is given twice", printable(tensor.name));
    definedBy[tensor.name] = atStart;
  }
  for (ValueInfo &input : graph.inputs)
    input.hasDefault = constants.contains(input.name);
  // Before IR 4 every initializer had to be an input as well; nobody means it as one.
  if (model.irVersion < 4)
    llvm::erase_if(graph.inputs, [&](ValueInfo &input) {
      if (!input.hasDefault)
        return false;
      input.hasDefault = false;
      graph.valueInfos.push_back(std::move(input));
      return true;
    });
  return llvm::Error::success();
}

llvm::Error Checker::defineOutputs(const std::vector<Node> &nodes,
                                   llvm::StringMap<unsigned> &definedBy, const std::string &where) {
  for (unsigned i = 0, e = nodes.size(); i < e; ++i)
    for (const std::string &output : nodes[i].outputs) {
      if (output.empty())
        continue;
      auto [entry, isNew] = definedBy.try_emplace(output, i);
      if (isNew)
        continue;
      std::string first =
          entry->second == atStart ? "an input or initializer" : nodes[entry->second].describe();
      return invalid(where, "{0}: output '{1}' is already defined by {2}", nodes[i].describe(),
                     printable(output), first);
    }
  return llvm::Error::success();
}

/// Checks that every name is defined before its use, and sorts if that is all that is wrong.
llvm::Error Checker::order(std::vector<Node> &nodes, const llvm::StringMap<unsigned> &definedBy,
                           const Scope *outer, const std::string &where) {
  bool isSorted = true;
  std::string problem;
  for (unsigned i = 0, e = nodes.size(); i < e && problem.empty(); ++i)
    forEachUsedName(nodes[i], [&](llvm::StringRef name, const Node &user) {
      auto found = definedBy.find(name);
      bool isOuter = Scope::contains(outer, name);
      if (found == definedBy.end()) {
        if (!isOuter && problem.empty())
          problem =
              llvm::formatv("{0}: input '{1}' is not defined", user.describe(), printable(name));
        return;
      }
      if (found->second == atStart || found->second < i)
        return;
      isSorted = false;
      if (isOuter && problem.empty())
        problem =
            llvm::formatv("{0}: input '{1}' is defined by {2} after it, and in an outer graph",
                          user.describe(), printable(name), nodes[found->second].describe());
    });
  if (!problem.empty())
    return invalid(where, "{0}", problem);
  return isSorted ? llvm::Error::success() : sort(nodes, definedBy, where);
}

/// Puts `nodes` into topological order, each as early as the file's order allows.
llvm::Error Checker::sort(std::vector<Node> &nodes, const llvm::StringMap<unsigned> &definedBy,
                          const std::string &where) {
  std::vector<unsigned> missing(nodes.size(), 0);
  std::vector<std::vector<unsigned>> users(nodes.size());
  for (unsigned i = 0, e = nodes.size(); i < e; ++i)
    forEachUsedName(nodes[i], [&](llvm::StringRef name, const Node &) {
      auto found = definedBy.find(name);
      if (found == definedBy.end() || found->second == atStart)
        return;
      ++missing[i];
      users[found->second].push_back(i);
    });
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>> ready;
  for (unsigned i = 0, e = nodes.size(); i < e; ++i)
    if (missing[i] == 0)
      ready.push(i);
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  while (!ready.empty()) {
    unsigned next = ready.top();
    ready.pop();
    sorted.push_back(std::move(nodes[next]));
    for (unsigned user : users[next])
      if (--missing[user] == 0)
        ready.push(user);
  }
  if (sorted.size() != nodes.size()) {
    auto stuck = llvm::find_if(missing, [](unsigned count) { return count != 0; });
    return invalid(where, "{0}: depends on its own output",
                   nodes[stuck - missing.begin()].describe());
  }
  nodes = std::move(sorted);
  model.warnings.push_back(
      llvm::formatv("{0}: {1}nodes are not in topological order; sorted", model.path, where).str());
  return llvm::Error::success();
}

llvm::Error Checker::checkGraph(Graph &graph, const Scope *outer, const std::string &where) {
  if (llvm::Error error = dropUnusedUnknown(graph, where))
    return error;
  llvm::StringMap<unsigned> definedBy;
  if (llvm::Error error = defineInputs(graph, definedBy, where))
    return error;
  if (llvm::Error error = defineOutputs(graph.nodes, definedBy, where))
    return error;
  if (llvm::Error error = order(graph.nodes, definedBy, outer, where))
    return error;
  for (const ValueInfo &output : graph.outputs)
    if (output.name.empty() ||
        (!definedBy.count(output.name) && !Scope::contains(outer, output.name)))
      return invalid(where, "output '{0}' is not defined", printable(output.name));

  if (outer)
    for (const auto &entry : definedBy)
      if (Scope::contains(outer, entry.getKey())) {
        if (shadowed == 0 || entry.getKey() < llvm::StringRef(firstShadowed))
          firstShadowed = entry.getKey().str();
        ++shadowed;
      }
  // What a subgraph may use at its node's place was checked by `order` above.
  Scope scope{definedBy, outer};
  for (Node &node : graph.nodes)
    for (Attribute &attribute : node.attributes)
      for (Graph &inner : attribute.graphs)
        if (llvm::Error error = checkGraph(inner, &scope,
                                           where + node.describe() + ": attribute '" +
                                               printable(attribute.name) + "': "))
          return error;
  return llvm::Error::success();
}

llvm::Error Checker::checkFunction(Function &function) {
  // A function is checked as a graph without types.
  Graph body;
  for (const std::string &input : function.inputs)
    body.inputs.emplace_back().name = input;
  for (const std::string &output : function.outputs)
    body.outputs.emplace_back().name = output;
  body.nodes = std::move(function.nodes);
  llvm::Error error = checkGraph(body, nullptr, "function '" + printable(function.name) + "': ");
  function.nodes = std::move(body.nodes);
  return error;
}

} // namespace

/// A value that comes from outside must have a type.
static llvm::Error checkInputTypes(const OnnxModel &model) {
  for (const ValueInfo &input : model.graph.inputs) {
    const TypeInfo *type = &input.type;
    while (!type->element.empty())
      type = &type->element.front();
    bool isTensor =
        type->kind == TypeInfo::Kind::Tensor || type->kind == TypeInfo::Kind::SparseTensor;
    if (type->kind == TypeInfo::Kind::None && !input.hasDefault)
      return invalidModel("{0}: input '{1}' has no type", model.path, printable(input.name));
    if (isTensor && !isKnown(type->elementType))
      return invalidModel("{0}: input '{1}': unknown element type {2}", model.path,
                          printable(input.name), static_cast<int32_t>(type->elementType));
  }
  return llvm::Error::success();
}

llvm::Error checkModel(OnnxModel &model) {
  Checker checker(model);
  if (llvm::Error error = checker.checkGraph(model.graph, nullptr, ""))
    return error;
  if (llvm::Error error = checkInputTypes(model))
    return error;
  for (Function &function : model.functions)
    if (llvm::Error error = checker.checkFunction(function))
      return error;
  if (checker.shadowed != 0)
    model.warnings.push_back(
        llvm::formatv("{0}: {1} names of subgraphs are also defined in an outer graph (first "
                      "'{2}'); the inner ones are used",
                      model.path, checker.shadowed, printable(checker.firstShadowed))
            .str());
  return llvm::Error::success();
}

} // namespace dynac::onnx
