//===- Convert.cpp - from protobuf messages to the data model -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "ConvertValue.h"
#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/StringSet.h"

namespace dynac::onnx {

/// The newest IR version whose rules this reader knows.
static constexpr int64_t newestIrVersion = 14;

namespace {

class Converter {
public:
  Converter(OnnxModel &model, llvm::ArrayRef<char> file, ExternalFiles &external,
            const ReadOptions &options)
      : model(model), tensors{model.path, file, &external, options, model.owned} {}

  llvm::Error convert(const pb::ModelProto &from);

private:
  template <typename... Args> llvm::Error invalid(Where where, const char *format, Args &&...args) {
    return invalidModel("{0}: {1}: {2}", model.path, where(),
                        llvm::formatv(format, std::forward<Args>(args)...).str());
  }

  llvm::Error convertAttribute(const pb::AttributeProto &from, Attribute &to, Where where);
  llvm::Error convertNode(const pb::NodeProto &from, Node &to, unsigned index);
  llvm::Error convertGraph(const pb::GraphProto &from, Graph &to);
  llvm::Error convertFunction(const pb::FunctionProto &from, Function &to);
  llvm::Error convertReachedFunctions(const pb::ModelProto &from);
  llvm::Error convertOpsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto> &from,
                            OpsetImports &to, Where where);

  OnnxModel &model;
  TensorConverter tensors;
  const OpsetImports *opsets = nullptr; ///< Of the model or the function that is converted.
  bool inFunction = false;
  llvm::StringMap<const pb::FunctionProto *> functions;
  std::vector<std::string> wanted; ///< Keys of functions that converted nodes call.
  llvm::StringSet<> seen;
};

std::string normalizeDomain(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

std::string functionKey(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload) {
  return (domain + llvm::Twine('\0') + name + llvm::Twine('\0') + overload).str();
}

std::vector<std::pair<std::string, std::string>>
convertEntries(const google::protobuf::RepeatedPtrField<pb::StringStringEntryProto> &from) {
  std::vector<std::pair<std::string, std::string>> to;
  for (const pb::StringStringEntryProto &entry : from)
    to.emplace_back(entry.key(), entry.value());
  return to;
}

/// The innermost name in the exporter's list, as in "['', 'layers.0', 'layers.0.mlp']".
std::string innermostScope(llvm::StringRef list) {
  size_t end = list.rfind('\'');
  if (end == llvm::StringRef::npos || end == 0)
    return list.str();
  size_t begin = list.rfind('\'', end);
  return begin == llvm::StringRef::npos ? list.str() : list.slice(begin + 1, end).str();
}

/// IR 1 files have no `type`: the one field that is set gives it.
Attribute::Kind kindOf(const pb::AttributeProto &from) {
  if (from.type() != pb::AttributeProto::UNDEFINED)
    return static_cast<Attribute::Kind>(from.type());
  std::pair<bool, Attribute::Kind> candidates[] = {
      {from.has_f(), Attribute::Kind::Float},
      {from.has_i(), Attribute::Kind::Int},
      {from.has_s(), Attribute::Kind::String},
      {from.has_t(), Attribute::Kind::Tensor},
      {from.has_g(), Attribute::Kind::Graph},
      {from.has_sparse_tensor(), Attribute::Kind::SparseTensor},
      {from.has_tp(), Attribute::Kind::Type},
      {from.floats_size() != 0, Attribute::Kind::Floats},
      {from.ints_size() != 0, Attribute::Kind::Ints},
      {from.strings_size() != 0, Attribute::Kind::Strings},
      {from.tensors_size() != 0, Attribute::Kind::Tensors},
      {from.graphs_size() != 0, Attribute::Kind::Graphs},
      {from.sparse_tensors_size() != 0, Attribute::Kind::SparseTensors},
      {from.type_protos_size() != 0, Attribute::Kind::Types},
  };
  Attribute::Kind kind = Attribute::Kind::Undefined;
  for (auto [isSet, candidate] : candidates) {
    if (!isSet)
      continue;
    if (kind != Attribute::Kind::Undefined)
      return Attribute::Kind::Undefined;
    kind = candidate;
  }
  return kind;
}

llvm::Error Converter::convertAttribute(const pb::AttributeProto &from, Attribute &to,
                                        Where where) {
  to.name = from.name();
  if (to.name.empty())
    return invalid(where, "an attribute has no name");
  to.kind = kindOf(from);
  to.refAttrName = from.ref_attr_name();
  auto whereAttribute = [&] { return where() + ": attribute '" + printable(from.name()) + "'"; };
  if (!to.refAttrName.empty()) {
    if (!inFunction)
      return invalid(whereAttribute,
                     "refers to an attribute of a function ('{0}'), but is not in one",
                     printable(to.refAttrName));
    return llvm::Error::success();
  }
  auto missing = [&](const char *what) { return invalid(whereAttribute, "has no {0}", what); };
  switch (to.kind) {
  case Attribute::Kind::Float:
    to.f = from.f();
    break;
  case Attribute::Kind::Int:
    to.i = from.i();
    break;
  case Attribute::Kind::String:
    to.s = from.s();
    break;
  case Attribute::Kind::Floats:
    to.floats.assign(from.floats().begin(), from.floats().end());
    break;
  case Attribute::Kind::Ints:
    to.ints.assign(from.ints().begin(), from.ints().end());
    break;
  case Attribute::Kind::Strings:
    to.strings.assign(from.strings().begin(), from.strings().end());
    break;
  case Attribute::Kind::Tensor:
    return from.has_t() ? tensors.convert(from.t(), to.tensors.emplace_back(), whereAttribute)
                        : missing("tensor");
  case Attribute::Kind::Tensors:
    for (const pb::TensorProto &tensor : from.tensors())
      if (llvm::Error error = tensors.convert(tensor, to.tensors.emplace_back(), whereAttribute))
        return error;
    break;
  case Attribute::Kind::SparseTensor:
    return from.has_sparse_tensor()
               ? tensors.convert(from.sparse_tensor(), to.tensors.emplace_back(), whereAttribute)
               : missing("sparse tensor");
  case Attribute::Kind::SparseTensors:
    for (const pb::SparseTensorProto &tensor : from.sparse_tensors())
      if (llvm::Error error = tensors.convert(tensor, to.tensors.emplace_back(), whereAttribute))
        return error;
    break;
  case Attribute::Kind::Graph:
    return from.has_g() ? convertGraph(from.g(), to.graphs.emplace_back()) : missing("graph");
  case Attribute::Kind::Graphs:
    for (const pb::GraphProto &graph : from.graphs())
      if (llvm::Error error = convertGraph(graph, to.graphs.emplace_back()))
        return error;
    break;
  case Attribute::Kind::Type:
    if (!from.has_tp())
      return missing("type");
    to.types.push_back(convertType(from.tp()));
    break;
  case Attribute::Kind::Types:
    for (const pb::TypeProto &type : from.type_protos())
      to.types.push_back(convertType(type));
    break;
  case Attribute::Kind::Undefined:
    return invalid(whereAttribute, "has no type that this version of dynac knows");
  }
  return llvm::Error::success();
}

llvm::Error Converter::convertNode(const pb::NodeProto &from, Node &to, unsigned index) {
  to.name = from.name();
  to.opType = from.op_type();
  to.domain = normalizeDomain(from.domain());
  to.overload = from.overload();
  to.index = index;
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  for (const pb::StringStringEntryProto &entry : from.metadata_props())
    if (entry.key() == "pkg.torch.onnx.name_scopes")
      to.scope = innermostScope(entry.value());
  auto where = [&to] { return to.describe(); };
  if (to.opType.empty())
    return invalid(where, "has no operator");

  std::string key = functionKey(to.domain, to.opType, to.overload);
  bool isCall = functions.count(key) != 0;
  if (isCall && seen.insert(key).second)
    wanted.push_back(key);
  for (const auto &[domain, version] : *opsets)
    if (domain == to.domain)
      to.opsetVersion = version;
  if (to.opsetVersion <= 0 && !isCall)
    return invalid(where, "the {0} imports no opset of domain '{1}'",
                   inFunction ? "function" : "model",
                   to.domain.empty() ? "ai.onnx" : printable(to.domain));

  llvm::StringSet<> names;
  for (const pb::AttributeProto &attribute : from.attribute()) {
    if (llvm::Error error = convertAttribute(attribute, to.attributes.emplace_back(), where))
      return error;
    if (!names.insert(attribute.name()).second)
      return invalid(where, "attribute '{0}' is given twice", printable(attribute.name()));
  }
  return llvm::Error::success();
}

llvm::Error Converter::convertGraph(const pb::GraphProto &from, Graph &to) {
  to.name = from.name();
  to.metadata = convertEntries(from.metadata_props());
  for (const pb::ValueInfoProto &input : from.input())
    to.inputs.push_back(convertValueInfo(input));
  for (const pb::ValueInfoProto &output : from.output())
    to.outputs.push_back(convertValueInfo(output));
  llvm::StringSet<> hinted;
  for (const pb::ValueInfoProto &hint : from.value_info())
    if (hinted.insert(hint.name()).second)
      to.valueInfos.push_back(convertValueInfo(hint));
  to.nodes.reserve(from.node_size());
  for (int i = 0; i < from.node_size(); ++i)
    if (llvm::Error error = convertNode(from.node(i), to.nodes.emplace_back(), i))
      return error;
  to.initializers.reserve(from.initializer_size() + from.sparse_initializer_size());
  for (const pb::TensorProto &tensor : from.initializer()) {
    auto where = [&] { return "initializer '" + printable(tensor.name()) + "'"; };
    if (auto type = static_cast<ElementType>(tensor.data_type()); !isKnown(type)) {
      // Only an error if something uses it, which checkModel finds out.
      to.initializers.emplace_back().name = tensor.name();
      to.initializers.back().type = type;
      continue;
    }
    if (llvm::Error error = tensors.convert(tensor, to.initializers.emplace_back(), where))
      return error;
  }
  for (const pb::SparseTensorProto &tensor : from.sparse_initializer()) {
    auto where = [&] { return "sparse initializer '" + printable(tensor.values().name()) + "'"; };
    if (llvm::Error error = tensors.convert(tensor, to.initializers.emplace_back(), where))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error
Converter::convertOpsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto> &from,
                         OpsetImports &to, Where where) {
  // They are searched for each node.
  if (from.size() > 256)
    return invalid(where, "imports {0} opsets, at most 256 are supported", from.size());
  for (const pb::OperatorSetIdProto &import : from) {
    std::string domain = normalizeDomain(import.domain());
    auto same = llvm::find_if(to, [&](const auto &entry) { return entry.first == domain; });
    if (same == to.end())
      to.emplace_back(domain, import.version());
    else if (same->second != import.version())
      return invalid(where, "imports domain '{0}' at versions {1} and {2}",
                     domain.empty() ? "ai.onnx" : printable(domain), same->second,
                     import.version());
  }
  return llvm::Error::success();
}

llvm::Error Converter::convertFunction(const pb::FunctionProto &from, Function &to) {
  auto where = [&from] { return "function '" + printable(from.name()) + "'"; };
  to.domain = normalizeDomain(from.domain());
  to.name = from.name();
  to.overload = from.overload();
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  to.attributes.assign(from.attribute().begin(), from.attribute().end());
  if (llvm::Error error = convertOpsets(from.opset_import(), to.opsets, where))
    return error;
  if (to.opsets.empty())
    to.opsets = model.opsets;
  opsets = &to.opsets;
  inFunction = false;
  for (const pb::AttributeProto &attribute : from.attribute_proto())
    if (llvm::Error error = convertAttribute(attribute, to.attributeDefaults.emplace_back(), where))
      return error;
  inFunction = true;
  to.nodes.reserve(from.node_size());
  for (int i = 0; i < from.node_size(); ++i)
    if (llvm::Error error = convertNode(from.node(i), to.nodes.emplace_back(), i))
      return llvm::handleErrors(std::move(error), [&](const DiagnosticError &inner) -> llvm::Error {
        std::string text = inner.message();
        llvm::StringRef message = text;
        message.consume_front(model.path + ": ");
        return makeDiagnostic(inner.exitCode(), model.path + ": " + where() + ": " + message.str());
      });
  return llvm::Error::success();
}

/// Only functions that are called count: files carry more, and not all of those need be readable.
llvm::Error Converter::convertReachedFunctions(const pb::ModelProto &from) {
  while (!wanted.empty()) {
    const pb::FunctionProto *function = functions.lookup(wanted.back());
    wanted.pop_back();
    // Nodes refer to no function by address, so the vector may grow.
    if (llvm::Error error = convertFunction(*function, model.functions.emplace_back()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Converter::convert(const pb::ModelProto &from) {
  auto where = [] { return std::string("the model"); };
  model.irVersion = from.ir_version();
  if (model.irVersion < 1)
    return invalid(where, "has {0}, expected 1 to {1}",
                   from.has_ir_version() ? llvm::formatv("ir_version {0}", from.ir_version()).str()
                                         : "no ir_version",
                   newestIrVersion);
  if (model.irVersion > newestIrVersion)
    model.warnings.push_back(llvm::formatv("{0}: IR version {1} is newer than {2}, the newest that "
                                           "is known; it is read by the rules of {2}",
                                           model.path, model.irVersion, newestIrVersion)
                                 .str());
  model.producerName = from.producer_name();
  model.producerVersion = from.producer_version();
  model.domain = from.domain();
  model.modelVersion = from.model_version();
  model.metadata = convertEntries(from.metadata_props());
  if (llvm::Error error = convertOpsets(from.opset_import(), model.opsets, where))
    return error;
  if (model.opsets.empty()) {
    if (model.irVersion >= 3)
      return invalid(where, "imports no opset");
    model.opsets.emplace_back("", 1);
  }
  if (!from.has_graph())
    return invalid(where, "has no graph");
  for (const pb::FunctionProto &function : from.functions()) {
    std::string key =
        functionKey(normalizeDomain(function.domain()), function.name(), function.overload());
    if (!functions.try_emplace(key, &function).second)
      return invalid(where, "has two functions '{0}.{1}'", printable(function.domain()),
                     printable(function.name()));
  }
  opsets = &model.opsets;
  if (llvm::Error error = convertGraph(from.graph(), model.graph))
    return error;
  for (const pb::TrainingInfoProto &info : from.training_info()) {
    TrainingInfo &to = model.training.emplace_back();
    if (llvm::Error error = convertGraph(info.initialization(), to.initialization))
      return error;
    if (llvm::Error error = convertGraph(info.algorithm(), to.algorithm))
      return error;
    to.initializationBindings = convertEntries(info.initialization_binding());
    to.updateBindings = convertEntries(info.update_binding());
  }
  return convertReachedFunctions(from);
}

} // namespace

llvm::Error convertModel(OnnxModel &model, llvm::ArrayRef<char> file, ExternalFiles &external,
                         const ReadOptions &options) {
  llvm::Expected<std::string> stripped = stripElements(file, RootMessage::Model, model.path);
  if (!stripped)
    return stripped.takeError();
  pb::ModelProto proto;
  if (!parseStripped(proto, *stripped))
    return invalidModel("{0}: not a valid ONNX file: protobuf cannot parse it", model.path);
  return Converter(model, file, external, options).convert(proto);
}

} // namespace dynac::onnx
