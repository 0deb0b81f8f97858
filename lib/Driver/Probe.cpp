//===- Probe.cpp - a model's nodes, and their results as outputs ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/Probe.h"

#include "Probes.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Frontend/Onnx/Import.h"
#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/Common/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace dynac {

static Block &mainBlock(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main").getBody().front();
}

llvm::Error probe(ModuleOp module, ArrayRef<size_t> nodes) {
  if (nodes.empty())
    return llvm::Error::success();
  auto all = llvm::to_vector(mainBlock(module).getOps<model::NodeOp>());
  OpBuilder b(module.getContext());
  SmallVector<Value> values;
  SmallVector<Attribute> names;
  for (size_t number : nodes) {
    if (number >= all.size() || all[number].getYs().empty())
      return usageError("node {0} of {1} has no result", number, all.size());
    values.push_back(all[number].getYs()[0]);
    names.push_back(b.getStringAttr("node " + Twine(number)));
  }
  auto end = cast<model::OutputOp>(mainBlock(module).back());
  end.getValuesMutable().assign(values);
  end.setNamesAttr(b.getArrayAttr(names));
  auto main = module.lookupSymbol<func::FuncOp>("main");
  main.removeResAttrsAttr();
  main.setFunctionType(b.getFunctionType(main.getArgumentTypes(), ValueRange(values).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    main.setResultAttr(i, "dynac.name", name);
  return llvm::Error::success();
}

static std::string typeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.getElementType() << '[';
  llvm::interleave(tensor.getShape(), os, "x");
  os << ']';
  return os.str();
}

llvm::Expected<std::vector<ModelNode>> listNodes(const std::string &path) {
  MLIRContext context;
  context.disableMultithreading();
  context.loadDialect<model::ModelDialect, prim::PrimDialect, func::FuncDialect>();
  WeightStore weights;
  context.getLoadedDialect<prim::PrimDialect>()->weights = &weights;
  auto read = onnx::loadOnnx(path);
  if (!read)
    return read.takeError();
  auto module = onnx::importOnnx(**read, context, weights);
  if (!module)
    return module.takeError();
  std::vector<ModelNode> result;
  llvm::DenseMap<Operation *, size_t> numberOf;
  for (auto node : mainBlock(**module).getOps<model::NodeOp>()) {
    ModelNode &entry = result.emplace_back();
    numberOf[node] = result.size() - 1;
    entry.name = nodeNames(node.getLoc());
    entry.description = node.describe();
    entry.results = node.getYs().size();
    // Graphs of control flow read outer values too.
    llvm::SetVector<Value> operands(node.getXs().begin(), node.getXs().end());
    node->walk([&](Operation *inner) {
      for (Value x : inner->getOperands())
        if (x.getParentBlock() == node->getBlock())
          operands.insert(x);
    });
    for (Value x : operands) {
      if (isa<model::NoneType>(x.getType()))
        continue;
      NodeOperand &operand = entry.operands.emplace_back();
      operand.name = nodeNames(x.getLoc());
      if (auto producer = numberOf.find(x.getDefiningOp()); producer != numberOf.end())
        operand.node = producer->second;
      else if (x.getDefiningOp())
        operand.type = typeText(x.getType());
    }
  }
  return result;
}

} // namespace dynac
