//===- Aliases.cpp - outputs in the memory of inputs ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"

#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;
using namespace dynac::prim;

namespace dynac {

static std::string optionText(const AliasOption &alias) {
  std::string text = "--alias " + printable(alias.input) + "=" + printable(alias.output);
  return alias.capacity ? text + ":capacity=" + std::to_string(*alias.capacity) : text;
}

/// The names of @main's arguments or results; "" where one has none.
static std::vector<std::string> namesOf(unsigned count,
                                        llvm::function_ref<StringAttr(unsigned)> attributeOf) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    StringAttr name = attributeOf(i);
    names.push_back(name ? name.str() : "");
  }
  return names;
}

/// What `*` of `pattern` stands for in `name`; nothing if they do not match.
static std::optional<std::string> starOf(StringRef pattern, StringRef name) {
  auto [before, after] = pattern.split('*');
  if (name.size() < before.size() + after.size() || !name.consume_front(before) ||
      !name.consume_back(after))
    return std::nullopt;
  return name.str();
}

/// One option for each input that a pattern matches: `past_*=present_*`.
static std::vector<AliasOption> expand(const AliasOption &alias,
                                       const std::vector<std::string> &inputs) {
  if (!StringRef(alias.input).contains('*') || !StringRef(alias.output).contains('*') ||
      llvm::is_contained(inputs, alias.input))
    return {alias};
  std::vector<AliasOption> each;
  for (const std::string &name : inputs)
    if (std::optional<std::string> star = starOf(alias.input, name)) {
      auto [before, after] = StringRef(alias.output).split('*');
      each.push_back({name, (before + *star + after).str(), alias.capacity});
    }
  if (each.empty())
    each.push_back(alias);
  return each;
}

namespace {

/// present = concat(past, new...) along `axis`, past being an argument.
class GrowingCache {
public:
  GrowingCache(func::FuncOp main, unsigned input, unsigned output, int64_t capacity,
               std::string option)
      : main(main), input(input), output(output), capacity(capacity), option(std::move(option)),
        past(main.getArgument(input)), ret(main.getBody().front().getTerminator()) {}

  llvm::Error check() {
    concat = ret->getOperand(output).getDefiningOp<ConcatOp>();
    if (!concat || concat.getXs()[0] != past || concat.getXs().size() < 2)
      return unsupported("{0}: the output is no Concat of the input and then what is new", option);
    if (llvm::is_contained(concat.getXs().drop_front(), past))
      return unsupported("{0}: the output appends the input to itself", option);
    if (main.getArgAttr(input, kTypeAttr))
      return unsupported("{0}: elements below a byte cannot grow in place", option);
    axis = concat.getAxis();
    const SymExpr length = shapeOf(concat.getY())[axis];
    if (length.provablyGt(SymExpr(capacity)))
      return signatureMismatch("{0}: the output has {1} along axis {2}", option, length.str(),
                               axis);
    std::set<std::string> known;
    for (Type type : main.getArgumentTypes())
      for (const SymExpr &dim : shapeOf(type))
        for (const std::string &symbol : dim.symbols())
          known.insert(symbol);
    for (const std::string &symbol : length.symbols())
      if (!known.count(symbol))
        return unsupported("{0}: only a run tells how much the input grows", option);
    return llvm::Error::success();
  }

  void rewrite() {
    OpBuilder b(concat);
    loc = concat.getLoc();
    Shape storage = shapeOf(past);
    const SymExpr length = storage[axis];
    storage[axis] = SymExpr(capacity);
    Type type = past.getType();
    auto present = cast<RankedTensorType>(concat.getY().getType());
    Type storageType = tensorType(storage, present.getElementType());

    past.setType(storageType);
    main.setArgAttr(input, kTypeAttr, TypeAttr::get(type));
    SmallVector<OpOperand *> readers;
    for (OpOperand &use : past.getUses())
      if (use.getOwner() != concat)
        readers.push_back(&use);
    if (!readers.empty()) {
      OpBuilder first = OpBuilder::atBlockBegin(&main.getBody().front());
      Value old = sliceOf(first, past, type);
      for (OpOperand *use : readers)
        use->set(old);
    }
    Value whole = write(b, newRows(b), length, storageType);
    concat.getY().replaceAllUsesWith(sliceOf(b, whole, present));
    ret->setOperand(output, whole);
    concat.erase();
    main.setType(FunctionType::get(main.getContext(), main.getBody().getArgumentTypes(),
                                   ret->getOperandTypes()));
    main.setResultAttr(output, kTypeAttr, TypeAttr::get(present));
    main.setResultAttr(output, kCapacityAttr, b.getDenseI64ArrayAttr({axis, capacity}));
  }

private:
  Value sliceOf(OpBuilder &b, Value x, Type type) {
    const size_t rank = shapeOf(type).size();
    return b.create<SliceOp>(loc, type, x, DimsAttr::get(b.getContext(), Shape(rank, SymExpr(0))),
                             SmallVector<int64_t>(rank, 1));
  }

  Value newRows(OpBuilder &b) {
    ValueRange rows = concat.getXs().drop_front();
    if (rows.size() == 1)
      return rows[0];
    Shape shape = shapeOf(rows[0]);
    for (Value more : rows.drop_front())
      shape[axis] = shape[axis] + shapeOf(more)[axis];
    Type type = tensorType(shape, getElementTypeOrSelf(rows[0].getType()));
    return b.create<ConcatOp>(loc, type, rows, static_cast<uint64_t>(axis));
  }

  /// The argument with `rows` in places `from`, `from` + 1, ... along the axis. The axes before it
  /// are the scatter's batch, so that what is new needs no transposition.
  Value write(OpBuilder &b, Value rows, const SymExpr &from, Type type) {
    Shape places(shapeOf(rows));
    places.resize(axis + 1);
    places.push_back(SymExpr(1));
    Type i64 = b.getI64Type(), placesType = tensorType(places, i64);
    Value index = b.create<IotaOp>(loc, placesType, static_cast<uint64_t>(axis));
    Value start = b.create<DimsToTensorOp>(loc, tensorType(Shape{SymExpr(1)}, i64),
                                           DimsAttr::get(b.getContext(), Shape{from}));
    start = b.create<BroadcastOp>(loc, placesType, start,
                                  SmallVector<int64_t>{static_cast<int64_t>(axis) + 1});
    index = b.create<AddOp>(loc, placesType, index, start);
    return b.create<ScatterOp>(loc, type, past, index, rows, SmallVector<int64_t>{axis},
                               static_cast<uint64_t>(axis), Combiner::none);
  }

  func::FuncOp main;
  unsigned input, output;
  int64_t capacity, axis = 0;
  std::string option;
  BlockArgument past;
  Operation *ret;
  ConcatOp concat;
  Location loc = main.getLoc();
};

} // namespace

static llvm::Error apply(func::FuncOp main, const AliasOption &alias,
                         const std::vector<std::string> &inputs,
                         const std::vector<std::string> &outputs) {
  const std::string option = optionText(alias);
  auto input = llvm::find(inputs, alias.input), output = llvm::find(outputs, alias.output);
  if (input == inputs.end())
    return signatureMismatch("{0}: the model has no such input", option);
  if (output == outputs.end())
    return signatureMismatch("{0}: the model has no such output", option);
  const unsigned from = input - inputs.begin(), to = output - outputs.begin();
  auto number = IntegerAttr::get(IntegerType::get(main.getContext(), 32), from);
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (main.getResultAttr(i, kAliasAttr) == number)
      return usageError("{0}: another output updates this input", option);
  if (main.getResultAttr(to, kAliasAttr))
    return usageError("{0}: the output updates another input", option);
  if (alias.capacity) {
    GrowingCache cache(main, from, to, *alias.capacity, option);
    if (llvm::Error error = cache.check())
      return error;
    cache.rewrite();
  } else if (main.getArgumentTypes()[from] != main.getResultTypes()[to]) {
    return unsupported("{0}: input and output have to have the same type and shape, or the "
                       "output appends to the input and has a capacity ({1}=...:capacity=1024)",
                       option, printable(alias.input));
  }
  main.setResultAttr(to, kAliasAttr, number);
  return llvm::Error::success();
}

llvm::Error applyAliases(ModuleOp module, ArrayRef<AliasOption> aliases) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto inputs = namesOf(main.getNumArguments(), [&](unsigned i) {
    return main.getArgAttrOfType<StringAttr>(i, "dynac.name");
  });
  auto outputs = namesOf(main.getNumResults(), [&](unsigned i) {
    return main.getResultAttrOfType<StringAttr>(i, "dynac.name");
  });
  for (const AliasOption &option : aliases)
    for (const AliasOption &alias : expand(option, inputs))
      if (llvm::Error error = apply(main, alias, inputs, outputs))
        return error;
  return llvm::Error::success();
}

} // namespace dynac
