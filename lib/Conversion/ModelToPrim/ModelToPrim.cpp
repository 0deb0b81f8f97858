//===- ModelToPrim.cpp - a model as a function of primitives --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Conversion/ModelToPrim.h"

#include "Walk.h"

#include "dynac/Dialect/Prim/Infer.h"

using namespace mlir;
using namespace dynac;
using llvm::Error;
using llvm::Expected;

namespace {

/// The shapes of the entry: the file's, with what the options fix.
class EntryShapes {
public:
  EntryShapes(func::FuncOp main, const ImportOptions &options) : main(main), options(options) {}

  /// Types of the arguments, or the first error.
  Expected<SmallVector<Type>> types();
  /// Symbols that occur, for ranges and fresh names.
  std::set<std::string> symbols;
  /// The number that the options give `symbol`, if they do.
  std::optional<int64_t> fixed(const SymExpr &symbol) const {
    auto found = bound.find(symbol.str());
    return found == bound.end() ? std::nullopt : found->second.constant();
  }

private:
  StringRef nameOf(unsigned i) {
    return main.getArgAttrOfType<StringAttr>(i, "dynac.name").getValue();
  }
  Error bindShape(unsigned i, ArrayRef<int64_t> shape);

  func::FuncOp main;
  const ImportOptions &options;
  std::map<std::string, SymExpr> bound; ///< symbols that the options fix
};

std::string dimsText(ArrayRef<int64_t> dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "scalar" : text;
}

/// Symbols of `argument` take the values that `shape` gives them, in all inputs.
Error EntryShapes::bindShape(unsigned i, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
  if (!type)
    return Error::success(); // unknown rank
  prim::Shape declared = prim::shapeOf(type);
  bool fits = declared.size() == shape.size();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
    if (ShapedType::isDynamic(shape[axis]))
      continue; // as declared
    if (auto value = declared[axis].constant()) {
      fits = *value == shape[axis];
      continue;
    }
    auto names = declared[axis].symbols();
    if (names.size() != 1 || SymExpr::symbol(names[0]) != declared[axis])
      continue;
    auto [found, isNew] = bound.emplace(names[0], SymExpr(shape[axis]));
    fits = isNew || found->second == SymExpr(shape[axis]);
  }
  if (!fits)
    return usageError("--shape {0}={1}: the model has shape {2}", printable(nameOf(i)),
                      dimsText(shape), prim::shapeText(declared));
  return Error::success();
}

Expected<SmallVector<Type>> EntryShapes::types() {
  std::map<std::string, unsigned> byName;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    byName[nameOf(i).str()] = i;
  for (const auto &[name, range] : options.dims)
    if (range.min == range.max)
      bound.emplace(SymExpr::symbol(name).str(), SymExpr(range.min));
  for (const auto &[name, shape] : options.shapes) {
    auto found = byName.find(name);
    if (found == byName.end())
      return usageError("--shape {0}: the model has no such input", printable(name));
    if (Error error = bindShape(found->second, shape))
      return std::move(error);
  }
  SmallVector<Type> result;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto given = options.shapes.find(nameOf(i).str());
    if (auto tensor = dyn_cast<TensorType>(type)) {
      if (!tensor.hasRank() && given == options.shapes.end())
        return unsupported("input '{0}' has no shape: give one with --shape {0}=...",
                           printable(nameOf(i)));
      prim::Shape shape =
          tensor.hasRank() ? prim::shapeOf(tensor) : prim::Shape(given->second.size());
      if (given != options.shapes.end())
        for (auto [axis, extent] : llvm::enumerate(given->second)) {
          if (!ShapedType::isDynamic(extent))
            shape[axis] = SymExpr(extent);
          else if (!tensor.hasRank())
            shape[axis] = SymExpr::symbol(nameOf(i).str() + "_" + std::to_string(axis));
        }
      for (SymExpr &dim : shape) {
        dim = dim.substitute([&](std::string_view name) -> std::optional<SymExpr> {
          auto found = bound.find(std::string(name));
          return found == bound.end() ? std::nullopt : std::optional(found->second);
        });
        for (std::string &name : dim.symbols())
          symbols.insert(name);
      }
      if (prim::Misfit why; !prim::checkShape(shape, why))
        return unsupported("input '{0}': {1}", printable(nameOf(i)), why.text);
      result.push_back(prim::tensorType(shape, tensor.getElementType()));
      continue;
    }
    if (isa<model::ValueType>(type))
      return unsupported("input '{0}': its element type", printable(nameOf(i)));
    result.push_back(type);
  }
  for (const auto &[name, range] : options.dims) {
    SymExpr symbol = SymExpr::symbol(name);
    auto value = fixed(symbol);
    if (!value && !symbols.count(symbol.str()))
      return usageError("--dim {0}: the model has no such dimension", printable(name));
    if (value && (*value < range.min || *value > range.max || *value % range.multipleOf))
      return usageError("--dim {0}: --shape makes it {1}", printable(name), *value);
  }
  return result;
}

/// First number that makes "uN" a new symbol.
int64_t firstFreshSymbol(const std::set<std::string> &symbols) {
  int64_t next = 0;
  for (StringRef name : symbols) {
    int64_t number;
    if (name.consume_front("u") && !name.getAsInteger(10, number))
      next = std::max(next, number + 1);
  }
  return next;
}

/// Takes `difference` >= 0 into the range of the symbol that it is linear in. False if it is not of
/// that form.
bool narrow(const SymExpr &difference, const std::set<std::string> &symbols,
            std::map<std::string, DimRange> &ranges) {
  auto names = difference.symbols();
  if (names.size() != 1 || !symbols.count(names[0]))
    return false;
  auto at = [&](int64_t value) {
    return difference.evaluate([&](std::string_view) { return std::optional(value); });
  };
  auto zero = at(0), one = at(1);
  if (!zero || !one)
    return false;
  int64_t slope = *one - *zero;
  SymExpr line = SymExpr(*zero) + SymExpr(slope) * SymExpr::symbol(names[0]);
  if (slope == 0 || line != difference)
    return false;
  DimRange &range = ranges[names[0]];
  if (slope < 0 && *zero >= 0)
    range.max = std::min(range.max, *zero / -slope);
  else if (slope > 0 && *zero <= 0)
    range.min = std::max(range.min, (-*zero + slope - 1) / slope);
  return slope > 0 || *zero >= 0;
}

/// Ranges of the options and what the walk had to assume: bounds of single symbols as
/// `dynac.dim_ranges`, others as checks at the start of the function.
void addContract(func::FuncOp main, const ImportOptions &options, const Assumptions &assumptions,
                 const std::set<std::string> &symbols) {
  OpBuilder builder = OpBuilder::atBlockBegin(&main.front());
  std::map<std::string, DimRange> ranges;
  for (const auto &[name, range] : options.dims)
    if (std::string symbol = SymExpr::symbol(name).str(); symbols.count(symbol))
      ranges[symbol] = range;
  for (const auto &[small, large] : assumptions.all()) {
    if (narrow(large - small, symbols, ranges))
      continue;
    TensorContext context(builder, main.getLoc());
    Type i64 = builder.getI64Type();
    Tensor holds = dimScalar(context, small, i64) <= dimScalar(context, large, i64);
    builder.create<prim::AssertOp>(
        main.getLoc(), holds.value(),
        builder.getStringAttr(small.str() + " must not exceed " + large.str()));
  }
  NamedAttrList entries;
  for (const auto &[name, range] : ranges)
    entries.append(
        name, builder.getDenseI64ArrayAttr({range.min, range.max, range.multipleOf, range.hint}));
  if (!entries.empty())
    main->setAttr("dynac.dim_ranges", entries.getDictionary(main.getContext()));
}

/// `types` with what equations say of their dimensions; collects the symbols left.
SmallVector<Type> assumedTypes(ArrayRef<Type> types, const Assumptions &assumptions,
                               std::set<std::string> &symbols) {
  SmallVector<Type> result(types);
  for (Type &type : result) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    prim::Shape shape = prim::shapeOf(tensor);
    for (SymExpr &dim : shape) {
      dim = assumptions.replaced(dim);
      for (std::string &name : dim.symbols())
        symbols.insert(name);
    }
    type = prim::tensorType(shape, tensor.getElementType());
  }
  return result;
}

/// The types of the entry: packed elements are bytes. `dynac.type` keeps the model's type.
SmallVector<Type> entryTypes(ArrayRef<Type> types) {
  SmallVector<Type> result(types);
  for (Type &type : result)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && prim::isPacked(tensor.getElementType()))
      type = packedType(type);
  return result;
}

/// Removes what the walk built for shapes only.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace

Expected<OwningOpRef<ModuleOp>> dynac::lowerModelToPrim(ModuleOp model, const OpTable &table,
                                                        const ImportOptions &options) {
  auto source = model.lookupSymbol<func::FuncOp>("main");
  auto *dialect = model.getContext()->getOrLoadDialect<prim::PrimDialect>();
  std::string file;
  if (auto loc = dyn_cast<NameLoc>(model.getLoc()))
    file = loc.getName().str();
  EntryShapes entry(source, options);
  auto types = entry.types();
  if (!types)
    return types.takeError();

  Assumptions assumptions;
  Guesses guesses(assumptions);
  for (const auto &[name, range] : options.dims) {
    SymExpr symbol = SymExpr::symbol(name);
    if (entry.fixed(symbol))
      continue; // the types hold the number
    assumptions.named.insert(symbol.str());
    if (range.min > 0)
      assumptions.assumeLe(SymExpr(range.min), symbol);
    if (range.max != INT64_MAX)
      assumptions.assumeLe(symbol, SymExpr(range.max));
  }
  // Each round knows at least one bound or equation more; a model has few such places.
  for (int round = 0;; ++round) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(model.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    std::set<std::string> symbols;
    SmallVector<Type> assumed = assumedTypes(*types, assumptions, symbols);
    SmallVector<Type> held = entryTypes(assumed);
    auto main =
        builder.create<func::FuncOp>(source.getLoc(), "main", builder.getFunctionType(held, {}));
    if (ArrayAttr names = source.getAllArgAttrs())
      main.setAllArgAttrs(names);
    Block *block = main.addEntryBlock();
    builder.setInsertionPointToEnd(block);

    Problems problems(file);
    Walk walk(builder, table, dialect->weights, problems, assumptions, guesses,
              firstFreshSymbol(symbols));
    for (auto [from, to, type] : llvm::zip(source.getArguments(), block->getArguments(), assumed)) {
      to.setLoc(from.getLoc());
      walk.setValue(from, to);
      if (type == to.getType())
        continue;
      main.setArgAttr(to.getArgNumber(), "dynac.type", TypeAttr::get(type));
      walk.context.loc = from.getLoc();
      Type element = cast<RankedTensorType>(type).getElementType();
      Tensor unpacked = unpackElements(Tensor(walk.context, to), prim::shapeOf(type), element);
      walk.setValue(from, unpacked.value());
    }
    model::OutputOp end = walk.runBlock(source.front());
    walk.dropScratch();
    if (walk.mustRestart() && round < 64)
      continue;
    SmallVector<Value> results;
    for (auto [name, output] : llvm::zip(end.getNames(), end.getValues())) {
      Value value = walk.value(output);
      if (!value && problems.empty())
        problems.add(ExitCode::Unsupported,
                     "output '" + printable(cast<StringAttr>(name).getValue()) + "' is no tensor");
      results.push_back(value);
    }
    if (!problems.empty())
      return problems.take();
    SmallVector<Type> resultTypes(ValueRange(results).getTypes());
    for (Value &result : results)
      if (auto tensor = dyn_cast<RankedTensorType>(result.getType());
          tensor && prim::isPacked(tensor.getElementType()))
        result = packElements(Tensor(walk.context, result)).value();

    builder.create<func::ReturnOp>(main.getLoc(), results);
    main.setFunctionType(builder.getFunctionType(held, ValueRange(results).getTypes()));
    if (ArrayAttr names = source.getAllResultAttrs())
      main.setAllResultAttrs(names);
    for (auto [i, type] : llvm::enumerate(resultTypes))
      if (type != results[i].getType())
        main.setResultAttr(i, "dynac.type", TypeAttr::get(type));
    addContract(main, options, assumptions, symbols);
    eraseDead(*block);
    return module;
  }
}
