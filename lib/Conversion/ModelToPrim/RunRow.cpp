//===- RunRow.cpp - a node of the model as rows see it --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walk.h"

#include "dynac/Frontend/Onnx/Import.h"

using namespace mlir;
using namespace dynac;

namespace {

/// Constants of this many elements can be read by rows.
constexpr int64_t readableElements = 4096;

class ModelNode : public Node {
public:
  ModelNode(Walk &walk, model::NodeOp node, const OpRow &row) : walk(walk), node(node), row(row) {
    outcome.outputs.resize(node.getNumResults());
    if (row.inF32)
      for (Value operand : node.getXs())
        if (Value value = walk.value(operand))
          if (Type type = elementType(value); type && (type.isF16() || type.isBF16())) {
            halfType = type;
            break;
          }
  }

  RowOutcome run() {
    walk.context.error.clear();
    walk.context.unequal.reset();
    if (std::string problem = refusedType(); !problem.empty()) {
      setFailure(RowStatus::Unsupported, problem);
      return std::move(outcome);
    }
    RowStatus status = row.build(*this);
    if (outcome.status == RowStatus::Done)
      outcome.status = status;
    if (outcome.status == RowStatus::Done && walk.context.failed())
      setFailure(failureStatus(), walk.context.error);
    walk.context.error.clear();
    if (outcome.status == RowStatus::Done && !subgraphFailed)
      for (auto [i, output] : llvm::enumerate(outcome.outputs))
        if (!output && hasOutput(i))
          setFailure(RowStatus::Unsupported, "output " + std::to_string(i));
    return std::move(outcome);
  }

  TensorContext &ctx() override { return walk.context; }
  int64_t opset() const override { return op().getOpset(); }
  StringRef opType() const override { return op().getOpType(); }
  StringRef domain() const override { return op().getDomain(); }

  int64_t inputCount() const override {
    int64_t count = op().getXs().size();
    while (count > 0 && !hasInput(count - 1))
      --count;
    return count;
  }
  int64_t outputCount() const override { return op().getNumResults(); }
  bool hasInput(int64_t i) const override {
    return i < int64_t(op().getXs().size()) && !isa<model::NoneType>(op().getXs()[i].getType());
  }
  bool hasOutput(int64_t i) const override {
    return i < int64_t(op().getNumResults()) && !isa<model::NoneType>(op().getYs()[i].getType());
  }

  std::optional<int64_t> declaredRank(int64_t i) const override {
    auto type = i < outputCount() ? dyn_cast<RankedTensorType>(op().getYs()[i].getType())
                                  : RankedTensorType();
    return type ? std::optional(type.getRank()) : std::nullopt;
  }

  Tensor in(int64_t i, bool optional) override {
    Value value = operand(i);
    if (!value || !isa<RankedTensorType>(value.getType())) {
      if (!optional || value) {
        malformed |= !value;
        lacksType |= bool(value);
        ctx().fail("operand " + std::to_string(i) + (value ? " is no tensor" : " is missing"));
      }
      return {};
    }
    Tensor tensor(ctx(), value);
    return halfType && tensor.dtype() == halfType ? convert(tensor, ctx().builder.getF32Type())
                                                  : tensor;
  }
  Type inputType(int64_t i) override {
    Value value = operand(i);
    return value ? elementType(value) : Type();
  }

  std::optional<SmallVector<SymExpr>> dimsOf(int64_t i) override {
    Value value = operand(i);
    if (auto dims = walk.values.dims(value))
      return dims;
    DenseElementsAttr literal = walk.values.constant(value, readableElements);
    if (!literal || !literal.getElementType().isIntOrIndex())
      return std::nullopt;
    SmallVector<SymExpr> dims;
    for (const KnownValue &element : elementsOf(literal))
      dims.push_back(*element.integer());
    return dims;
  }
  std::optional<SmallVector<int64_t>> intsOf(int64_t i) override {
    auto dims = dimsOf(i);
    if (!dims)
      return std::nullopt;
    SmallVector<int64_t> result;
    for (const SymExpr &dim : *dims) {
      if (!dim.constant())
        return std::nullopt;
      result.push_back(*dim.constant());
    }
    return result;
  }
  std::optional<SmallVector<double>> floatsOf(int64_t i) override {
    Value value = operand(i);
    std::vector<KnownValue> elements;
    if (DenseElementsAttr literal = walk.values.constant(value, readableElements))
      elements = elementsOf(literal);
    else if (const auto *known = walk.values.of(value))
      elements = *known;
    else
      return std::nullopt;
    SmallVector<double> result;
    for (const KnownValue &element : elements) {
      if (!element.number())
        return std::nullopt;
      result.push_back(*element.number());
    }
    return result;
  }
  std::optional<SmallVector<SymExpr>> bindDims(int64_t i) override {
    if (auto dims = dimsOf(i))
      return dims;
    Value value = operand(i);
    const auto *elements = value ? walk.values.of(value) : nullptr;
    if (!elements || !elementType(value).isIntOrIndex())
      return std::nullopt;
    SmallVector<SymExpr> result;
    std::vector<KnownValue> known = *elements;
    for (auto [element, held] : llvm::enumerate(known)) {
      auto integer = held.integer();
      result.push_back(integer ? *integer : bindDim(Tensor(ctx(), value), element));
    }
    return result;
  }

  bool has(StringRef name) const override { return bool(attribute(name)); }
  int64_t i(StringRef name, int64_t defaultValue) override {
    auto value = typed<IntegerAttr>(name, "an integer");
    return value ? value.getInt() : defaultValue;
  }
  double f(StringRef name, double defaultValue) override {
    auto value = typed<FloatAttr>(name, "a float");
    return value ? value.getValueAsDouble() : defaultValue;
  }
  std::string s(StringRef name, StringRef defaultValue) override {
    auto value = typed<StringAttr>(name, "a string");
    return (value ? value.getValue() : defaultValue).str();
  }
  SmallVector<int64_t> ints(StringRef name, ArrayRef<int64_t> defaultValue) override {
    auto value = typed<DenseI64ArrayAttr>(name, "integers");
    return SmallVector<int64_t>(value ? value.asArrayRef() : defaultValue);
  }
  SmallVector<double> floats(StringRef name) override {
    auto value = typed<DenseF32ArrayAttr>(name, "floats");
    return value ? SmallVector<double>(value.asArrayRef().begin(), value.asArrayRef().end())
                 : SmallVector<double>();
  }
  SmallVector<std::string> strings(StringRef name) override {
    SmallVector<std::string> result;
    if (auto value = typed<ArrayAttr>(name, "strings"))
      for (Attribute entry : value)
        if (auto text = dyn_cast<StringAttr>(entry))
          result.push_back(text.getValue().str());
    return result;
  }
  Tensor tensor(StringRef name) override {
    auto value = typed<model::WeightAttr>(name, "a tensor");
    return value ? Tensor(ctx(), walk.constant(value, ctx().loc)) : Tensor();
  }
  Type dtypeOf(int64_t number) override {
    Type type = onnx::toElementType(*op().getContext(), onnx::ElementType(number));
    lacksType |= !type;
    if (!type)
      ctx().fail("data type " + onnx::elementTypeName(onnx::ElementType(number)));
    return type;
  }

  void out(int64_t i, Tensor value) override {
    if (!value || !hasOutput(i))
      return;
    if (halfType && value.dtype().isF32())
      value = convert(value, halfType);
    outcome.outputs[i] = value.value();
  }
  void outAs(int64_t i, Tensor value, Type dtype) override {
    if (!value || !hasOutput(i))
      return;
    outcome.outputs[i] = convert(value, dtype).value();
  }
  void outDims(int64_t i, ArrayRef<SymExpr> values, int64_t rank, Type dtype) override {
    if (!hasOutput(i))
      return;
    Tensor result =
        rank == 0 ? dimScalar(ctx(), values.front(), dtype) : dimsTensor(ctx(), values, dtype);
    if (rank > 1)
      result = reshape(result, SmallVector<SymExpr>(rank - 1, SymExpr(1)));
    outcome.outputs[i] = result.value();
  }

  SymExpr clampDim(const SymExpr &wanted, const SymExpr &limit) override {
    return walk.clampDim(wanted, limit);
  }
  void assumeLe(const SymExpr &small, const SymExpr &large) override {
    walk.assumeLe(small, large);
  }

  bool hasGraph(StringRef name) const override { return graph(name) != nullptr; }
  int64_t graphInputCount(StringRef name) const override {
    Region *region = graph(name);
    return region ? region->front().getNumArguments() : 0;
  }
  bool graphGivesTrue(StringRef name, int64_t output) const override {
    Region *region = graph(name);
    auto end = region ? dyn_cast<model::OutputOp>(region->front().back()) : model::OutputOp();
    if (!end || output >= int64_t(end.getValues().size()))
      return false;
    Value value = end.getValues()[output];
    // Files pass a Loop's condition through Identity or Cast.
    for (auto pass = value.getDefiningOp<model::NodeOp>(); pass && pass.getXs().size() == 1;
         pass = value.getDefiningOp<model::NodeOp>()) {
      if (pass.getOp() != "onnx.Identity" && pass.getOp() != "onnx.Cast")
        break;
      value = pass.getXs().front();
    }
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &region->front() && argument.getArgNumber() == 1;
    Value held = walk.value(value);
    const auto *elements = held ? walk.values.of(held) : nullptr;
    return elements && elements->size() == 1 && elements->front().truth().value_or(false);
  }
  std::optional<Tensors> importGraph(StringRef name, ArrayRef<Tensor> arguments) override {
    Region *region = graph(name);
    if (!region || region->front().getNumArguments() != arguments.size()) {
      malformed = true;
      ctx().fail("graph attribute '" + name + "' is missing or has another number of inputs");
      return std::nullopt;
    }
    Location loc = ctx().loc;
    for (auto [argument, value] : llvm::zip(region->front().getArguments(), arguments))
      walk.setValue(argument, value.value());
    model::OutputOp end = walk.runBlock(region->front());
    ctx().loc = loc;
    Tensors results;
    for (Value output : end.getValues()) {
      Value value = walk.value(output);
      if (!value) {
        subgraphFailed = true;
        return std::nullopt;
      }
      results.push_back(Tensor(ctx(), value));
    }
    return results;
  }
  std::optional<Tensors> probeGraph(StringRef name, ArrayRef<Tensor> arguments) override {
    OpBuilder::InsertionGuard guard(ctx().builder);
    ctx().builder.setInsertionPointToEnd(walk.scratchBlock());
    return importGraph(name, arguments);
  }

  RowStatus invalid(const Twine &reason) override {
    setFailure(RowStatus::Invalid, reason.str());
    return RowStatus::Invalid;
  }
  RowStatus unsupported(const Limit &limit, const Twine &met) override {
    std::string reason = limit.text;
    if (std::string what = met.str(); !what.empty())
      reason += ": " + what;
    if (!llvm::is_contained(row.limits, &limit))
      reason += " (which `dynac ops` does not list)";
    setFailure(RowStatus::Unsupported, std::move(reason));
    return RowStatus::Unsupported;
  }

private:
  /// What is wrong with the element types of operands and of attributes that name one; "" nothing.
  std::string refusedType() {
    auto refused = [](Type type, const TypeVariable &variable) {
      return type && !llvm::is_contained(variable.types, elementTypeName(type));
    };
    auto message = [](const Twine &what, Type type, const TypeVariable &variable) {
      return (what + ": element type " + elementTypeName(type) + ", supported are " +
              llvm::join(variable.types, ", "))
          .str();
    };
    for (int64_t i = 0, count = inputCount(); i < count; ++i)
      if (const TypeVariable *variable = row.operandTypes(i))
        if (Type type = inputType(i); refused(type, *variable))
          return message("operand " + Twine(i), type, *variable);
    for (const auto &[name, index] : row.typeAttributes) {
      Type type;
      if (auto tensor = dyn_cast_or_null<model::WeightAttr>(attribute(name)))
        type = cast<RankedTensorType>(tensor.getType()).getElementType();
      else if (auto number = dyn_cast_or_null<IntegerAttr>(attribute(name)))
        type = onnx::toElementType(*op().getContext(), onnx::ElementType(number.getInt()));
      if (refused(type, row.variables[index]))
        return message("attribute '" + Twine(name) + "'", type, row.variables[index]);
    }
    return "";
  }
  /// Accessors of ops are not const.
  model::NodeOp op() const { return node; }
  static Type elementType(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getElementType() : Type();
  }
  Value operand(int64_t i) const { return hasInput(i) ? walk.value(op().getXs()[i]) : Value(); }
  Attribute attribute(StringRef name) const { return op().getAttrs().get(name); }
  template <typename T> T typed(StringRef name, StringRef expected) {
    Attribute value = attribute(name);
    auto result = dyn_cast_or_null<T>(value);
    if (value && !result) {
      malformed = true;
      ctx().fail("attribute '" + name + "': expected " + expected);
    }
    return result;
  }
  Region *graph(StringRef name) const {
    model::NodeOp held = op();
    for (auto [region, entry] : llvm::zip(held.getBodies(), held.getGraphs()))
      if (cast<StringAttr>(entry).getValue() == name)
        return &region;
    return nullptr;
  }
  /// What an error of a formula says about the model: shapes that do not fit are its fault if they
  /// are numbers.
  RowStatus failureStatus() const {
    if (malformed)
      return RowStatus::Invalid;
    bool isType = lacksType || StringRef(walk.context.error).contains("element type");
    bool hasSymbols = llvm::any_of(op().getXs(), [&](Value operand) {
      Value value = walk.value(operand);
      auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
      return type && !type.hasStaticShape();
    });
    return isType || hasSymbols ? RowStatus::Unsupported : RowStatus::Invalid;
  }
  void setFailure(RowStatus status, std::string reason) {
    outcome.status = status;
    outcome.reason = std::move(reason);
  }

  Walk &walk;
  model::NodeOp node;
  const OpRow &row;
  RowOutcome outcome;
  Type halfType;
  bool malformed = false, lacksType = false, subgraphFailed = false;
};

} // namespace

RowOutcome dynac::runRow(Walk &walk, model::NodeOp node, const OpRow &row) {
  return ModelNode(walk, node, row).run();
}
