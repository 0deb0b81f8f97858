//===- TestFile.cpp - the functions of a test file ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFile.h"

#include "Elements.h"
#include "dynac/Dialect/Check/Check.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Support/Diagnostic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace dynac::tool {

static void loadDialects(MLIRContext &context) {
  context.loadDialect<check::CheckDialect, model::ModelDialect, prim::PrimDialect,
                      func::FuncDialect>();
}

static unsigned lineOf(Operation *op) {
  auto loc = dyn_cast<FileLineColLoc>(op->getLoc());
  return loc ? loc.getLine() : 0;
}

static std::optional<Refusal> refusal(func::FuncOp func, StringRef name, ExitCode code) {
  auto text = func->getAttrOfType<StringAttr>(name);
  return text ? std::optional<Refusal>({code, text.str()}) : std::nullopt;
}

/// Reads one function; says what is wrong with it where it is.
static LogicalResult readFunction(func::FuncOp func, TestFunction &out) {
  out.name = func.getName().str();
  out.line = lineOf(func);
  out.refused = refusal(func, "check.refused", ExitCode::Unsupported);
  if (auto invalid = refusal(func, "check.invalid", ExitCode::InvalidModel))
    out.refused = invalid;
  out.refusedDynamic = refusal(func, "check.static", ExitCode::Unsupported);
  if (func.isDeclaration() || func.getNumArguments())
    return func.emitError("expected a body and no arguments: check.input gives inputs");
  auto tensorOf = [](Operation &op, ElementsAttr value, HostTensor &tensor) {
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (!dense)
      return op.emitError("expected dense<...>");
    auto made = hostTensorOf(dense);
    if (!made)
      return op.emitError(toString(made.takeError()));
    tensor = std::move(*made);
    return InFlightDiagnostic();
  };
  for (Operation &op : func.front()) {
    LogicalResult result = success();
    if (auto input = dyn_cast<check::InputOp>(op)) {
      result = tensorOf(op, input.getValue(), out.inputs.emplace_back());
    } else if (auto close = dyn_cast<check::CloseOp>(op)) {
      Expectation &wanted = out.expectations.emplace_back();
      wanted.tolerance.relative = close.getRtol().convertToDouble();
      wanted.tolerance.absolute = close.getAtol().convertToDouble();
      wanted.line = lineOf(close);
      result = tensorOf(op, close.getWant(), wanted.want);
    } else if (auto equal = dyn_cast<check::EqualOp>(op)) {
      Expectation &wanted = out.expectations.emplace_back();
      wanted.tolerance.relative = wanted.tolerance.absolute = 0;
      wanted.line = lineOf(equal);
      result = tensorOf(op, equal.getWant(), wanted.want);
    } else if (!isa<check::ConstantOp, model::NodeOp, model::AbsentOp, model::StringsOp,
                    func::ReturnOp>(op)) {
      return op.emitError("is no operation of a test file");
    }
    if (failed(result))
      return failure();
  }
  if (out.expectations.empty() && !out.refused)
    return func.emitError("checks nothing");
  return success();
}

std::unique_ptr<TestFile> TestFile::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << "dynac-check: error: " << path << ": " << buffer.getError().message() << '\n';
    return nullptr;
  }
  auto file = std::make_unique<TestFile>();
  file->path = path;
  file->text = (*buffer)->getBuffer().str();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, llvm::errs());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return nullptr;
  for (Operation &op : *module->getBody()) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func) {
      op.emitError("expected func.func");
      return nullptr;
    }
    if (failed(readFunction(func, file->functions.emplace_back())))
      return nullptr;
  }
  if (file->functions.empty()) {
    llvm::errs() << "dynac-check: error: " << path << ": no functions\n";
    return nullptr;
  }
  return file;
}

namespace {

/// Builds `main` out of the functions.
class ModelBuilder {
public:
  ModelBuilder(MLIRContext &context, WeightStore &weights, InputWay way)
      : builder(&context), weights(weights), way(way) {}

  OwningOpRef<ModuleOp> build(ArrayRef<func::FuncOp> functions, StringRef path);

private:
  void addFunction(func::FuncOp func);
  void addOperation(Operation &op);
  Value addInput(check::InputOp input);
  Value addInitializer(Operation *op, DenseElementsAttr value);
  Attribute fileAttribute(Attribute attribute);

  OpBuilder builder;
  WeightStore &weights;
  InputWay way;
  func::FuncOp main;
  IRMapping mapping;
  std::string function; ///< name of the one being added
  unsigned inputs = 0;  ///< of this function
  SmallVector<StringRef> inputNames, outputNames;
  SmallVector<Value> outputs;
};

/// An attribute as ONNX files hold it: the text has lists, f64 and literals.
Attribute ModelBuilder::fileAttribute(Attribute attribute) {
  auto f32 = [](FloatAttr value) { return static_cast<float>(value.getValueAsDouble()); };
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return builder.getF32FloatAttr(f32(number));
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return model::WeightAttr::get(builder.getContext(), addWeight(weights, "", dense),
                                  dense.getType());
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return attribute;
  SmallVector<int64_t> ints;
  SmallVector<float> floats;
  for (Attribute entry : list) {
    if (auto number = dyn_cast<IntegerAttr>(entry))
      ints.push_back(number.getInt());
    else if (auto real = dyn_cast<FloatAttr>(entry))
      floats.push_back(f32(real));
  }
  if (ints.size() == list.size())
    return builder.getDenseI64ArrayAttr(ints);
  if (floats.size() == list.size())
    return builder.getDenseF32ArrayAttr(floats);
  return attribute;
}

Value ModelBuilder::addInput(check::InputOp input) {
  auto type = cast<RankedTensorType>(input.getType());
  if (way == InputWay::Dynamic) {
    prim::Shape shape;
    for (int64_t extent : type.getShape())
      shape.push_back(extent == 1 ? SymExpr(1)
                                  : SymExpr::symbol(function + "_n" + std::to_string(extent)));
    type = prim::tensorType(shape, type.getElementType());
  }
  std::string name = function + "_in" + std::to_string(inputs++);
  Block &entry = main.front();
  auto name_ = builder.getStringAttr(name);
  main.insertArgument(entry.getNumArguments(), type,
                      builder.getDictionaryAttr(builder.getNamedAttr("dynac.name", name_)),
                      NameLoc::get(name_));
  return entry.getArguments().back();
}

Value ModelBuilder::addInitializer(Operation *op, DenseElementsAttr value) {
  std::string name = function + "_line" + std::to_string(lineOf(op));
  return builder.create<model::InitializerOp>(op->getLoc(), value.getType(),
                                              addWeight(weights, name, value), name);
}

void ModelBuilder::addOperation(Operation &op) {
  if (auto input = dyn_cast<check::InputOp>(op)) {
    mapping.map(input.getY(), way == InputWay::Constant
                                  ? addInitializer(&op, cast<DenseElementsAttr>(input.getValue()))
                                  : addInput(input));
  } else if (auto constant = dyn_cast<check::ConstantOp>(op)) {
    mapping.map(constant.getY(), addInitializer(&op, cast<DenseElementsAttr>(constant.getValue())));
  } else if (isa<check::CloseOp, check::EqualOp>(op)) {
    outputs.push_back(mapping.lookup(op.getOperand(0)));
  } else if (auto node = dyn_cast<model::NodeOp>(op)) {
    auto copy = cast<model::NodeOp>(builder.cloneWithoutRegions(op, mapping));
    copy->setLoc(NameLoc::get(builder.getStringAttr(function)));
    NamedAttrList attrs;
    for (NamedAttribute entry : node.getAttrs())
      attrs.append(entry.getName(), fileAttribute(entry.getValue()));
    copy.setAttrsAttr(attrs.getDictionary(builder.getContext()));
    copy.setNodeName(function);
    for (auto [from, to] : llvm::zip(node.getBodies(), copy.getBodies())) {
      OpBuilder::InsertionGuard guard(builder);
      Block *block = builder.createBlock(&to);
      for (BlockArgument argument : from.getArguments())
        mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
      builder.setInsertionPointToEnd(block);
      for (Operation &inner : from.front())
        addOperation(inner);
    }
  } else if (!isa<func::ReturnOp>(op)) {
    builder.clone(op, mapping);
  }
}

void ModelBuilder::addFunction(func::FuncOp func) {
  function = func.getName().str();
  inputs = 0;
  for (Operation &op : func.front())
    addOperation(op);
}

OwningOpRef<ModuleOp> ModelBuilder::build(ArrayRef<func::FuncOp> functions, StringRef path) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(NameLoc::get(builder.getStringAttr(path)));
  builder.setInsertionPointToEnd(module->getBody());
  main = builder.create<func::FuncOp>(module->getLoc(), "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  for (func::FuncOp func : functions)
    addFunction(func);
  SmallVector<Attribute> names;
  SmallVector<DictionaryAttr> attributes;
  for (size_t i = 0; i < outputs.size(); ++i) {
    names.push_back(builder.getStringAttr("out" + std::to_string(i)));
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr("dynac.name", names.back())));
  }
  builder.create<model::OutputOp>(main.getLoc(), builder.getArrayAttr(names), outputs);
  main.setFunctionType(
      builder.getFunctionType(main.getArgumentTypes(), ValueRange(outputs).getTypes()));
  main.setAllResultAttrs(attributes);
  return module;
}

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
FunctionsSource::import(MLIRContext &context, WeightStore &weights, Progress &progress) {
  loadDialects(context);
  auto module = parseSourceString<ModuleOp>(file.text, &context, file.path);
  if (!module)
    return invalidModel("{0}: does not parse", file.path);
  SmallVector<func::FuncOp> chosen;
  for (const TestFunction *function : functions)
    chosen.push_back(module->lookupSymbol<func::FuncOp>(function->name));
  return ModelBuilder(context, weights, way).build(chosen, file.path);
}

} // namespace dynac::tool
