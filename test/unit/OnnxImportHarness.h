//===- OnnxImportHarness.h - models built and imported in tests -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_ONNXIMPORTHARNESS_H
#define DYNAC_TEST_UNIT_ONNXIMPORTHARNESS_H

#include "dynac/Conversion/ModelToPrim.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Frontend/Onnx/Import.h"
#include "dynac/Support/Diagnostic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

namespace dynac::onnx::testing {

/// What an import gave: a module of primitives, or "EXITCODE: MESSAGE" lines.
struct Imported {
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<WeightStore> weights;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;

  mlir::func::FuncOp main() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
  /// Shape of result i, or the error.
  std::string shape(unsigned i) {
    return module ? prim::shapeText(prim::shapeOf(main().getResultTypes()[i])) : error;
  }
  int count(llvm::StringRef op) {
    int found = 0;
    module->walk([&](mlir::Operation *each) { found += each->getName().getStringRef() == op; });
    return found;
  }
  std::string locationOf(llvm::StringRef op) {
    std::string name;
    module->walk([&](mlir::Operation *each) {
      auto loc = mlir::dyn_cast<mlir::NameLoc>(each->getLoc());
      if (loc && each->getName().getStringRef() == op)
        name = loc.getName().str();
    });
    return name;
  }
  /// The entry contract of a dimension; empty if it has none.
  std::vector<int64_t> range(llvm::StringRef symbol) {
    auto ranges = main()->getAttrOfType<mlir::DictionaryAttr>("dynac.dim_ranges");
    auto found = ranges ? ranges.getAs<mlir::DenseI64ArrayAttr>(symbol) : mlir::DenseI64ArrayAttr();
    return found ? found.asArrayRef().vec() : std::vector<int64_t>();
  }
};

/// A model as plain data, built by chained calls. Dimensions are numbers, names or "?".
class GraphBuilder {
public:
  explicit GraphBuilder(int64_t opset) : opset(opset) { model.path = "m.onnx"; }

  GraphBuilder &input(std::string name, std::vector<std::string> dims,
                      ElementType type = ElementType::Float) {
    ValueInfo info{name, {}, false};
    info.type.kind = TypeInfo::Kind::Tensor;
    info.type.elementType = type;
    info.type.hasShape = true;
    for (const std::string &text : dims) {
      Dim dim;
      if (llvm::all_of(text, [](char c) { return llvm::isDigit(c); })) {
        dim.kind = Dim::Kind::Value;
        dim.value = std::stoll(text);
      } else if (text != "?") {
        dim.kind = Dim::Kind::Symbol;
        dim.symbol = text;
      }
      info.type.dims.push_back(dim);
    }
    model.graph.inputs.push_back(info);
    return *this;
  }
  GraphBuilder &output(std::string name) {
    model.graph.outputs.push_back({name, {}, false});
    return *this;
  }
  /// i64 values; by default a vector.
  GraphBuilder &constant(std::string name, std::vector<int64_t> values) {
    return constant(name, values, {int64_t(values.size())});
  }
  GraphBuilder &constant(std::string name, std::vector<int64_t> values, std::vector<int64_t> dims) {
    return add(name, ElementType::Int64, dims, values.data(), values.size() * sizeof(int64_t));
  }
  GraphBuilder &scalar(std::string name, float value) {
    return add(name, ElementType::Float, {}, &value, sizeof(value));
  }
  GraphBuilder &node(std::string op, std::vector<std::string> inputs,
                     std::vector<std::string> outputs, std::string name = "") {
    Node node;
    node.name = name;
    node.opType = op;
    node.inputs = inputs;
    node.outputs = outputs;
    node.opsetVersion = opset;
    node.index = model.graph.nodes.size();
    model.graph.nodes.push_back(node);
    return *this;
  }
  /// An integer attribute of the last node.
  GraphBuilder &ints(std::string name, int64_t value) {
    Attribute attribute;
    attribute.name = name;
    attribute.kind = Attribute::Kind::Int;
    attribute.i = value;
    model.graph.nodes.back().attributes.push_back(attribute);
    return *this;
  }

  Imported import(const ImportOptions &options = {}) {
    Imported result;
    result.context = std::make_unique<mlir::MLIRContext>();
    result.weights = std::make_unique<WeightStore>();
    auto imported = importOnnx(model, *result.context, *result.weights);
    if (!imported) {
      result.error = lines(imported.takeError());
      return result;
    }
    EXPECT_TRUE(succeeded(mlir::verify(**imported)));
    auto lowered = lowerModelToPrim(**imported, makeOnnxOpTable(), options);
    if (!lowered) {
      result.error = lines(lowered.takeError());
      return result;
    }
    result.module = std::move(*lowered);
    EXPECT_TRUE(succeeded(mlir::verify(*result.module)));
    return result;
  }

private:
  GraphBuilder &add(std::string name, ElementType type, std::vector<int64_t> dims, const void *data,
                    size_t size) {
    storage.push_back(std::make_unique<std::string>(static_cast<const char *>(data), size));
    TensorData tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.dims = dims;
    tensor.bytes = llvm::ArrayRef<char>(storage.back()->data(), size);
    tensor.location = DataLocation::Owned;
    model.graph.initializers.push_back(tensor);
    return *this;
  }
  static std::string lines(llvm::Error error) {
    std::string text;
    for (const Diagnostic &d : takeDiagnostics(std::move(error)))
      text += (text.empty() ? "" : "\n") + std::to_string(int(d.code)) + ": " + d.message;
    return text;
  }

  int64_t opset;
  OnnxModel model;
  std::vector<std::unique_ptr<std::string>> storage;
};

} // namespace dynac::onnx::testing

#endif // DYNAC_TEST_UNIT_ONNXIMPORTHARNESS_H
