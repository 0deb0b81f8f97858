//===- Import.cpp - an ONNX file as a module of the model dialect ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Onnx/Import.h"

#include "DimNames.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Support/Diagnostic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace dynac;
using llvm::Error;
using llvm::Expected;
using onnx::DataLocation;
using onnx::Dim;
using onnx::DimNames;
using onnx::ElementType;
using onnx::Graph;
using onnx::OnnxModel;
using onnx::TensorData;
using onnx::TypeInfo;
using onnx::ValueInfo;

Type onnx::toElementType(MLIRContext &context, ElementType type) {
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(&context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case ElementType::Float:
    return Float32Type::get(&context);
  case ElementType::Double:
    return Float64Type::get(&context);
  case ElementType::Float16:
    return Float16Type::get(&context);
  case ElementType::BFloat16:
    return BFloat16Type::get(&context);
  case ElementType::Float8E4M3FN:
    return Float8E4M3FNType::get(&context);
  case ElementType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(&context);
  case ElementType::Float8E5M2:
    return Float8E5M2Type::get(&context);
  case ElementType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(&context);
  case ElementType::Float8E8M0:
    return prim::F8E8M0Type::get(&context);
  case ElementType::Float4E2M1:
    return prim::F4E2M1Type::get(&context);
  case ElementType::Bool:
    return IntegerType::get(&context, 1);
  case ElementType::Int2:
    return IntegerType::get(&context, 2);
  case ElementType::Int4:
    return IntegerType::get(&context, 4);
  case ElementType::Int8:
    return IntegerType::get(&context, 8);
  case ElementType::Int16:
    return IntegerType::get(&context, 16);
  case ElementType::Int32:
    return IntegerType::get(&context, 32);
  case ElementType::Int64:
    return IntegerType::get(&context, 64);
  case ElementType::UInt2:
    return unsignedType(2);
  case ElementType::UInt4:
    return unsignedType(4);
  case ElementType::UInt8:
    return unsignedType(8);
  case ElementType::UInt16:
    return unsignedType(16);
  case ElementType::UInt32:
    return unsignedType(32);
  case ElementType::UInt64:
    return unsignedType(64);
  case ElementType::Complex64:
    return ComplexType::get(Float32Type::get(&context));
  case ElementType::Complex128:
    return ComplexType::get(Float64Type::get(&context));
  default:
    return {};
  }
}

namespace {

/// Imports one model. The first error stays in `error`.
class Importer {
public:
  Importer(const OnnxModel &model, MLIRContext &context, WeightStore &weights)
      : model(model), context(context), builder(&context), weights(weights),
        dimNames(model.graph.inputs) {}

  Expected<OwningOpRef<ModuleOp>> run();

private:
  using Scope = llvm::StringMap<Value>;

  void fail(Error newError) {
    if (error)
      consumeError(std::move(newError));
    else
      error = std::move(newError);
  }
  Location nameLoc(StringRef name, StringRef scope = "") {
    Location child = scope.empty() ? Location(UnknownLoc::get(&context))
                                   : NameLoc::get(builder.getStringAttr(scope));
    return NameLoc::get(builder.getStringAttr(name), child);
  }
  /// The declared type; `input` names the dimensions of a graph input, else unnamed ones stay `?`.
  Type toType(const TypeInfo &info, StringRef input = "");
  Attribute weight(const TensorData &tensor);
  Value initializer(const TensorData &tensor);
  Attribute attribute(const onnx::Attribute &attribute);
  Value lookup(StringRef name);
  void node(const onnx::Node &node);
  /// Fills the block at the insertion point; `scope` holds its own names and is searched first.
  void graph(const Graph &graph, ArrayRef<Value> arguments);

  const OnnxModel &model;
  MLIRContext &context;
  OpBuilder builder;
  WeightStore &weights;
  DimNames dimNames;
  std::vector<Scope> scopes;
  std::vector<llvm::StringMap<const ValueInfo *>> hints; ///< parallel to scopes
  Error error = Error::success();
};

Type Importer::toType(const TypeInfo &info, StringRef input) {
  switch (info.kind) {
  case TypeInfo::Kind::Sequence:
    return prim::SeqType::get(&context);
  case TypeInfo::Kind::Optional:
    return prim::OptType::get(&context);
  case TypeInfo::Kind::Map:
    return prim::MapType::get(&context);
  case TypeInfo::Kind::Tensor:
  case TypeInfo::Kind::SparseTensor:
    break;
  default:
    return model::ValueType::get(&context);
  }
  if (info.elementType == ElementType::String)
    return prim::StringsType::get(&context);
  Type element = toElementType(context, info.elementType);
  if (!element)
    return model::ValueType::get(&context);
  if (!info.hasShape)
    return UnrankedTensorType::get(element);
  if (!input.empty()) {
    prim::Shape shape;
    for (auto [axis, dim] : llvm::enumerate(info.dims))
      shape.push_back(dimNames.expr(dim, input, axis));
    return prim::tensorType(shape, element);
  }
  SmallVector<int64_t> dims;
  for (const Dim &dim : info.dims)
    dims.push_back(dim.kind == Dim::Kind::Value ? dim.value : ShapedType::kDynamic);
  return RankedTensorType::get(dims, element);
}

Attribute Importer::weight(const TensorData &tensor) {
  if (tensor.type == ElementType::String) {
    SmallVector<StringRef> values(tensor.strings.begin(), tensor.strings.end());
    return DenseStringElementsAttr::get(
        RankedTensorType::get(tensor.dims, prim::StringsType::get(&context)), values);
  }
  Type element = toElementType(context, tensor.type);
  if (!element) {
    fail(unsupported("{0}: tensor '{1}': element type {2}", model.path, printable(tensor.name),
                     onnx::elementTypeName(tensor.type)));
    return {};
  }
  if (tensor.bytes.empty() && tensor.location == DataLocation::Skipped) {
    auto type = RankedTensorType::get(tensor.dims, element);
    return model::WeightAttr::get(&context, weights.add(tensor.name, type, {}), type);
  }
  auto type = RankedTensorType::get(tensor.dims, element);
  // Packed elements and small floats are held as bytes; the walk says how they are read.
  auto held = type;
  if (prim::isPacked(element) || prim::isSmallFloat(element))
    held = RankedTensorType::get(static_cast<int64_t>(tensor.bytes.size()),
                                 builder.getIntegerType(8, /*isSigned=*/false));
  return model::WeightAttr::get(&context, weights.add(tensor.name, held, tensor.bytes), type);
}

Value Importer::initializer(const TensorData &tensor) {
  Location loc = nameLoc(tensor.name);
  Attribute held = weight(tensor);
  if (!held)
    return builder.create<model::AbsentOp>(loc, model::NoneType::get(&context));
  if (auto ref = dyn_cast<model::WeightAttr>(held))
    return builder.create<model::InitializerOp>(loc, ref.getType(), ref.getId(), tensor.name);
  SmallVector<StringRef> values(tensor.strings.begin(), tensor.strings.end());
  return builder.create<model::StringsOp>(loc, prim::StringsType::get(&context),
                                          builder.getStrArrayAttr(values), tensor.dims);
}

Attribute Importer::attribute(const onnx::Attribute &attribute) {
  using Kind = onnx::Attribute::Kind;
  switch (attribute.kind) {
  case Kind::Float:
    return builder.getF32FloatAttr(attribute.f);
  case Kind::Int:
    return builder.getI64IntegerAttr(attribute.i);
  case Kind::String:
    return builder.getStringAttr(attribute.s);
  case Kind::Floats:
    return builder.getDenseF32ArrayAttr(attribute.floats);
  case Kind::Ints:
    return builder.getDenseI64ArrayAttr(attribute.ints);
  case Kind::Strings:
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(attribute.strings.begin(), attribute.strings.end()));
  case Kind::Tensor:
  case Kind::SparseTensor:
    return weight(attribute.tensors.front());
  case Kind::Tensors:
  case Kind::SparseTensors: {
    SmallVector<Attribute> all;
    for (const TensorData &tensor : attribute.tensors)
      if (Attribute held = weight(tensor))
        all.push_back(held);
    return builder.getArrayAttr(all);
  }
  case Kind::Type:
    return TypeAttr::get(toType(attribute.types.front()));
  case Kind::Types: {
    SmallVector<Type> types;
    for (const TypeInfo &info : attribute.types)
      types.push_back(toType(info));
    return builder.getTypeArrayAttr(types);
  }
  default:
    return {};
  }
}

Value Importer::lookup(StringRef name) {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.find(name); found != scope.end())
      return found->second;
  fail(invalidModel("{0}: value '{1}' is used but not defined", model.path, printable(name)));
  return builder.create<model::AbsentOp>(nameLoc(name), model::NoneType::get(&context));
}

void Importer::node(const onnx::Node &node) {
  Location loc = nameLoc(
      node.name.empty() ? node.opType + "_" + std::to_string(node.index) : node.name, node.scope);
  SmallVector<Value> operands;
  for (const std::string &name : node.inputs)
    operands.push_back(
        name.empty() ? Value(builder.create<model::AbsentOp>(loc, model::NoneType::get(&context)))
                     : lookup(name));
  SmallVector<Type> types;
  for (const std::string &name : node.outputs) {
    auto hint = hints.back().find(name);
    if (name.empty())
      types.push_back(model::NoneType::get(&context));
    else if (hint != hints.back().end())
      types.push_back(toType(hint->second->type));
    else
      types.push_back(model::ValueType::get(&context));
  }
  NamedAttrList attributes;
  SmallVector<StringRef> graphNames;
  SmallVector<const Graph *> graphs;
  for (const onnx::Attribute &entry : node.attributes) {
    if (!entry.graphs.empty()) {
      for (const Graph &graph : entry.graphs) {
        graphNames.push_back(entry.name);
        graphs.push_back(&graph);
      }
    } else if (Attribute value = attribute(entry)) {
      attributes.set(entry.name, value);
    }
  }
  std::string op = (node.domain.empty() ? "onnx" : node.domain) + "." + node.opType;
  auto created = builder.create<model::NodeOp>(
      loc, types, op, node.name, node.opsetVersion, node.index, attributes.getDictionary(&context),
      builder.getStrArrayAttr(graphNames), operands, graphs.size());
  for (auto [region, body] : llvm::zip(created.getBodies(), graphs)) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region);
    SmallVector<Value> arguments;
    for (const ValueInfo &input : body->inputs)
      if (!input.hasDefault)
        arguments.push_back(block->addArgument(toType(input.type), nameLoc(input.name)));
    builder.setInsertionPointToEnd(block);
    graph(*body, arguments);
  }
  for (auto [name, value] : llvm::zip(node.outputs, created.getYs()))
    if (!name.empty())
      scopes.back()[name] = value;
}

void Importer::graph(const Graph &graph, ArrayRef<Value> arguments) {
  scopes.emplace_back();
  hints.emplace_back();
  for (const ValueInfo &info : graph.valueInfos)
    hints.back()[info.name] = &info;
  for (const ValueInfo &info : graph.outputs)
    hints.back()[info.name] = &info;
  size_t next = 0;
  for (const ValueInfo &input : graph.inputs)
    if (!input.hasDefault)
      scopes.back()[input.name] = arguments[next++];
  for (const TensorData &tensor : graph.initializers)
    scopes.back()[tensor.name] = initializer(tensor);
  for (const onnx::Node &entry : graph.nodes)
    node(entry);
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  for (const ValueInfo &output : graph.outputs) {
    names.push_back(output.name);
    values.push_back(lookup(output.name));
  }
  builder.create<model::OutputOp>(UnknownLoc::get(&context), builder.getStrArrayAttr(names),
                                  values);
  scopes.pop_back();
  hints.pop_back();
}

Expected<OwningOpRef<ModuleOp>> Importer::run() {
  context.getOrLoadDialect<model::ModelDialect>();
  context.getOrLoadDialect<prim::PrimDialect>()->weights = &weights;
  context.getOrLoadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(nameLoc(model.path));
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputs, outputs;
  SmallVector<const ValueInfo *> infos;
  for (const ValueInfo &input : model.graph.inputs) {
    if (input
            .hasDefault) // A constant unless the caller overrides it, which artifacts do not offer.
      continue;
    infos.push_back(&input);
    inputs.push_back(toType(input.type, input.name));
  }
  for (const ValueInfo &output : model.graph.outputs)
    outputs.push_back(toType(output.type));
  auto func = builder.create<func::FuncOp>(nameLoc(model.graph.name), "main",
                                           builder.getFunctionType(inputs, outputs));
  Block *entry = func.addEntryBlock();
  for (auto [i, info] : llvm::enumerate(infos)) {
    entry->getArgument(i).setLoc(nameLoc(info->name));
    func.setArgAttr(i, "dynac.name", builder.getStringAttr(info->name));
  }
  for (auto [i, output] : llvm::enumerate(model.graph.outputs))
    func.setResultAttr(i, "dynac.name", builder.getStringAttr(output.name));
  builder.setInsertionPointToEnd(entry);
  graph(model.graph,
        SmallVector<Value>(entry->getArguments().begin(), entry->getArguments().end()));
  if (error)
    return std::move(error);
  return module;
}

} // namespace

Expected<OwningOpRef<ModuleOp>> onnx::importOnnx(const OnnxModel &model, MLIRContext &context,
                                                 WeightStore &weights) {
  return Importer(model, context, weights).run();
}
