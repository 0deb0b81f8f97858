//===- Walk.cpp - the import walk -----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walk.h"

#include "dynac/Dialect/Prim/WeightStore.h"

using namespace mlir;
using namespace dynac;

/// Constants up to this size are literals.
static constexpr int64_t literalBytes = 1024;

/// A slice's bound from here on means the end.
static constexpr int64_t endOfAxis = int64_t(1) << 24;

/// The minimum in the canonical text of one, without what is added to it: "min(N,8)" of
/// "min(N,8)-5", which is what min(N - 5, 3) becomes.
static std::string minimumIn(const std::string &text) {
  size_t begin = text.find("min("), end = begin;
  if (begin == std::string::npos)
    return text;
  int depth = 0;
  for (; end < text.size(); ++end)
    if ((depth += (text[end] == '(') - (text[end] == ')')) == 0 && text[end] == ')')
      return text.substr(begin, end + 1 - begin);
  return text;
}

SymExpr Walk::clampDim(const SymExpr &wanted, const SymExpr &limit) {
  if (assumptions.provesLe(wanted, limit))
    return wanted;
  if (assumptions.provesLe(limit, wanted))
    return limit;
  SymExpr result = SymExpr::min(wanted, limit);
  clamps.push_back({wanted, limit, minimumIn(result.str())});
  return result;
}

void Walk::assumeLe(const SymExpr &small, const SymExpr &large) {
  assumptions.assumeLe(small, large);
}

std::optional<Guesses::Pair> Walk::openBoundOf(model::NodeOp node) {
  SmallVector<SymExpr> dims;
  if (context.unequal)
    dims = {context.unequal->first, context.unequal->second};
  for (Value operand : context.unequal ? ValueRange() : node.getXs())
    if (Value held = value(operand))
      if (isa<RankedTensorType>(held.getType()))
        for (const SymExpr &dim : prim::shapeOf(held))
          if (!dim.isConstant())
            dims.push_back(dim);
  for (const Clamp &clamp : clamps) {
    bool occurs = llvm::any_of(
        dims, [&](const SymExpr &dim) { return dim.str().find(clamp.text) != std::string::npos; });
    if (!occurs || assumptions.provesLe(clamp.wanted, clamp.limit) ||
        assumptions.provesLe(clamp.limit, clamp.wanted))
      continue;
    // Exporters write "to the end" as a great number.
    bool isEnd = clamp.wanted.constant().value_or(0) >= endOfAxis;
    return isEnd ? Guesses::Pair(clamp.limit, clamp.wanted)
                 : Guesses::Pair(clamp.wanted, clamp.limit);
  }
  for (const SymExpr &dim : dims)
    if (auto bound = assumptions.openBound(dim))
      return bound;
  return std::nullopt;
}

std::optional<Guesses::Pair> Walk::unequalSizes() const {
  if (!context.unequal)
    return std::nullopt;
  auto [a, b] = *context.unequal;
  if (context.isFound(a - b)) // no symbols of the entry
    return std::nullopt;
  return Guesses::Pair(a, b);
}

Block *Walk::scratchBlock() {
  if (!scratch)
    scratch = ModuleOp::create(context.loc);
  return scratch->getBody();
}

Value Walk::constant(const model::WeightAttr &weight, Location loc) {
  OpBuilder &builder = context.builder;
  auto type = cast<RankedTensorType>(weight.getType());
  auto bytes = weights ? weights->view(weight.getId()) : std::nullopt;
  if (bytes && elementBytes(type.getElementType(), type.getNumElements()) <= literalBytes)
    if (DenseElementsAttr literal = literalOf(type, *bytes))
      return builder.create<prim::ConstantOp>(loc, type, literal);
  Type element = type.getElementType();
  if (!prim::isPacked(element) && !prim::isSmallFloat(element))
    return builder.create<prim::WeightOp>(loc, type, weight.getId());
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  auto held = RankedTensorType::get(elementBytes(element, type.getNumElements()), u8);
  Location outer = std::exchange(context.loc, loc);
  Tensor codes(context, builder.create<prim::WeightOp>(loc, held, weight.getId()));
  prim::Shape shape = prim::shapeOf(type);
  Tensor value = prim::isPacked(element) ? unpackElements(codes, shape, element)
                                         : bitcast(reshape(codes, shape), element);
  context.loc = outer;
  return value.value();
}

Value Walk::shortest(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrIndex() || isa<BlockArgument>(value) ||
      isa<prim::ConstantOp, prim::WeightOp, prim::DimsToTensorOp>(value.getDefiningOp()))
    return value;
  auto dims = values.dims(value);
  if (!dims || dims->empty())
    return value;
  OpBuilder &builder = context.builder;
  if (llvm::all_of(*dims, [](const SymExpr &dim) { return dim.isConstant(); })) {
    SmallVector<APInt> numbers;
    for (const SymExpr &dim : *dims)
      numbers.push_back(APInt(64, uint64_t(*dim.constant()), true)
                            .trunc(type.getElementType().getIntOrFloatBitWidth()));
    return builder.create<prim::ConstantOp>(context.loc, type,
                                            DenseElementsAttr::get(type, numbers));
  }
  if (type.getElementType().isInteger(1))
    return value;
  RankedTensorType flat = type;
  if (type.getRank() > 1)
    flat = RankedTensorType::get({int64_t(dims->size())}, type.getElementType());
  Value result = builder.create<prim::DimsToTensorOp>(
      context.loc, flat, prim::DimsAttr::get(builder.getContext(), *dims));
  if (flat != type)
    result = builder.create<prim::ReshapeOp>(context.loc, type, result);
  return result;
}

void Walk::runNode(model::NodeOp node) {
  const OpRow *row = table.find(node.getDomain(), node.getOpType(), node.getOpset());
  if (!row) {
    problems.add(ExitCode::Unsupported, node,
                 table.whyNot(node.getDomain(), node.getOpType(), node.getOpset()));
    return;
  }
  for (auto [i, operand] : llvm::enumerate(node.getXs())) {
    if (isa<model::NoneType>(operand.getType()) || value(operand))
      continue;
    if (isa<prim::StringsType>(operand.getType()))
      problems.add(ExitCode::Unsupported, node,
                   "operand " + std::to_string(i) + " is a tensor of strings");
    return; // What made it failed, and is reported.
  }
  context.loc = node.getLoc();
  RowOutcome outcome = runRow(*this, node, *row);
  if (restart)
    return;
  if (outcome.status != RowStatus::Done) {
    if (guesses.failed(node, openBoundOf(node), unequalSizes())) {
      restart = true;
      return;
    }
    problems.add(outcome.status == RowStatus::Invalid ? ExitCode::InvalidModel
                                                      : ExitCode::Unsupported,
                 node, outcome.reason);
    return;
  }
  for (auto [result, output] : llvm::zip(node.getYs(), outcome.outputs))
    if (output)
      imported[result] = shortest(output);
}

model::OutputOp Walk::runBlock(Block &block) {
  for (Operation &op : block) {
    if (restart)
      break;
    if (auto node = dyn_cast<model::NodeOp>(op))
      runNode(node);
    else if (auto initializer = dyn_cast<model::InitializerOp>(op))
      imported[initializer.getY()] = constant(
          model::WeightAttr::get(op.getContext(), initializer.getId(), initializer.getType()),
          op.getLoc());
  }
  return cast<model::OutputOp>(block.back());
}
