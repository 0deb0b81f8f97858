//===- InspectModel.cpp - what a model file holds -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectModel.h"

#include "Log.h"
#include "dynac/Driver/SupportTable.h"
#include "dynac/Driver/Work.h"
#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>
#include <tuple>

namespace dynac::tool {

namespace {

using onnx::Dim;
using onnx::TypeInfo;

std::string dimText(const Dim &dim) {
  return dim.kind == Dim::Kind::Value    ? std::to_string(dim.value)
         : dim.kind == Dim::Kind::Symbol ? printable(dim.symbol)
                                         : "?";
}

std::string typeText(const TypeInfo &type) {
  switch (type.kind) {
  case TypeInfo::Kind::Tensor:
  case TypeInfo::Kind::SparseTensor: {
    std::string text = onnx::elementTypeName(type.elementType);
    if (type.kind == TypeInfo::Kind::SparseTensor)
      text = "sparse " + text;
    if (!type.hasShape)
      return text + " of any shape";
    text += '[';
    for (size_t i = 0; i < type.dims.size(); ++i)
      text += (i ? "x" : "") + dimText(type.dims[i]);
    return text + "]";
  }
  case TypeInfo::Kind::Sequence:
    return "sequence of " + typeText(type.element[0]);
  case TypeInfo::Kind::Optional:
    return "optional " + typeText(type.element[0]);
  case TypeInfo::Kind::Map:
    return "map of " + typeText(type.element[0]);
  default:
    return "no type";
  }
}

/// Counts over a graph and its subgraphs.
struct Census {
  std::map<std::string, size_t> operators;                      ///< "Conv", "com.microsoft::Gelu"
  std::set<std::tuple<std::string, std::string, int64_t>> uses; ///< domain, operator, opset
  std::vector<std::string> unsupported;                         ///< "Foo: unknown operator"
  std::set<std::string> symbols;
  uint64_t parameters = 0, parameterBytes = 0;
  std::string flops; ///< a number or an expression; "" if something is unsupported

  void visit(const onnx::Graph &graph) {
    for (const onnx::TensorData &tensor : graph.initializers) {
      parameters += tensor.numElements();
      parameterBytes += onnx::packedSize(tensor.type, tensor.numElements()).value_or(0);
    }
    for (const onnx::Node &node : graph.nodes) {
      std::string name = (node.domain.empty() ? "" : node.domain + "::") + node.opType;
      ++operators[name];
      uses.insert({node.domain, node.opType, node.opsetVersion});
      for (const onnx::Attribute &attribute : node.attributes)
        for (const onnx::Graph &subgraph : attribute.graphs)
          visit(subgraph);
    }
  }
};

/// Asks the compiler's table about all uses.
void findUnsupported(Census &census) {
  std::vector<OperatorUse> uses;
  for (const auto &[domain, opType, opset] : census.uses)
    uses.push_back({domain, opType, opset});
  for (auto [use, why] : llvm::zip(uses, whyUnsupported(uses)))
    if (!why.empty())
      census.unsupported.push_back((use.domain.empty() ? "" : use.domain + "::") + use.opType +
                                   ": " + why);
}

void printText(const onnx::OnnxModel &model, const Census &census, bool eachWeight) {
  llvm::raw_ostream &os = llvm::outs();
  os << "format       ONNX, IR version " << model.irVersion << ", by "
     << (model.producerName.empty() ? "unknown" : printable(model.producerName)) << ' '
     << printable(model.producerVersion) << '\n';
  for (const auto &[domain, version] : model.opsets)
    os << "opset        " << (domain.empty() ? "ai.onnx" : printable(domain)) << " " << version
       << '\n';
  for (const onnx::ValueInfo &value : model.graph.inputs)
    os << "input        " << printable(value.name) << ": " << typeText(value.type) << '\n';
  for (const onnx::ValueInfo &value : model.graph.outputs)
    os << "output       " << printable(value.name) << ": " << typeText(value.type) << '\n';
  for (const std::string &symbol : census.symbols)
    os << "size         " << printable(symbol) << '\n';
  os << "parameters   " << census.parameters << " in " << model.graph.initializers.size()
     << " tensors, " << llvm::format("%.2f MB\n", static_cast<double>(census.parameterBytes) / 1e6);
  if (!census.flops.empty())
    os << "flops        " << census.flops << '\n';
  size_t nodes = 0;
  for (const auto &[name, count] : census.operators)
    nodes += count;
  os << "operators    " << nodes << " of " << census.operators.size() << " kinds\n";
  for (const auto &[name, count] : census.operators)
    os << "  " << llvm::format("%6zu ", count) << printable(name) << '\n';
  for (const std::string &what : census.unsupported)
    os << "unsupported  " << printable(what) << '\n';
  if (!eachWeight)
    return;
  for (const onnx::TensorData &tensor : model.graph.initializers) {
    os << "weight       " << printable(tensor.name) << ": " << onnx::elementTypeName(tensor.type)
       << '[';
    for (size_t i = 0; i < tensor.dims.size(); ++i)
      os << (i ? "x" : "") << tensor.dims[i];
    os << "]\n";
  }
}

void printJson(const onnx::OnnxModel &model, const Census &census) {
  llvm::json::OStream os(llvm::outs(), 2);
  using llvm::json::fixUTF8;
  auto values = [&](const char *key, const std::vector<onnx::ValueInfo> &list) {
    os.attributeArray(key, [&] {
      for (const onnx::ValueInfo &value : list)
        os.object([&] {
          os.attribute("name", fixUTF8(value.name));
          os.attribute("type", fixUTF8(typeText(value.type)));
        });
    });
  };
  os.object([&] {
    os.attribute("kind", "model");
    os.attribute("format", "onnx");
    os.attribute("ir_version", model.irVersion);
    os.attribute("producer", fixUTF8(model.producerName + " " + model.producerVersion));
    os.attributeObject("opsets", [&] {
      for (const auto &[domain, version] : model.opsets)
        os.attribute(fixUTF8(domain.empty() ? "ai.onnx" : domain), version);
    });
    values("inputs", model.graph.inputs);
    values("outputs", model.graph.outputs);
    os.attributeArray("symbols", [&] {
      for (const std::string &symbol : census.symbols)
        os.value(fixUTF8(symbol));
    });
    os.attribute("parameters", static_cast<int64_t>(census.parameters));
    os.attribute("parameter_bytes", static_cast<int64_t>(census.parameterBytes));
    if (!census.flops.empty())
      os.attribute("flops", census.flops);
    os.attributeObject("operators", [&] {
      for (const auto &[name, count] : census.operators)
        os.attribute(fixUTF8(name), static_cast<int64_t>(count));
    });
    os.attributeArray("unsupported", [&] {
      for (const std::string &what : census.unsupported)
        os.value(fixUTF8(what));
    });
    os.attributeArray("weights", [&] {
      for (const onnx::TensorData &tensor : model.graph.initializers)
        os.object([&] {
          os.attribute("name", fixUTF8(tensor.name));
          os.attribute("dtype", onnx::elementTypeName(tensor.type));
          os.attributeArray("shape", [&] {
            for (int64_t extent : tensor.dims)
              os.value(extent);
          });
        });
    });
  });
  llvm::outs() << '\n';
}

} // namespace

llvm::Error inspectModel(const std::string &path, bool eachWeight, bool json) {
  onnx::ReadOptions options;
  options.skipExternalData = true;
  auto model = onnx::loadOnnx(path, options);
  if (!model)
    return model.takeError();
  for (const std::string &warning : (*model)->warnings)
    logWarning(warning);
  Census census;
  census.visit((*model)->graph);
  for (const auto *values : {&(*model)->graph.inputs, &(*model)->graph.outputs})
    for (const onnx::ValueInfo &value : *values)
      for (const Dim &dim : value.type.dims)
        if (dim.kind == Dim::Kind::Symbol)
          census.symbols.insert(dim.symbol);
  findUnsupported(census);
  auto flops = countFlops(**model);
  if (flops)
    census.flops = flops->str();
  else // what is unsupported is listed already
    llvm::consumeError(flops.takeError());
  if (json)
    printJson(**model, census);
  else
    printText(**model, census, eachWeight);
  return llvm::Error::success();
}

} // namespace dynac::tool
