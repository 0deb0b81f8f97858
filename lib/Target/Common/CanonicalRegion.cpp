//===- CanonicalRegion.cpp - regions up to the names of symbols -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Schedule.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace {

/// Symbols in order of first appearance: operands' types, then ops in order.
SmallVector<std::string> symbolsInOrder(RegionOp region) {
  SmallVector<std::string> order;
  llvm::StringSet<llvm::MallocAllocator> known;
  AttrTypeWalker walker;
  walker.addWalk([&](DimsAttr dims) {
    for (const SymExpr &expr : dims.exprs())
      for (const std::string &symbol : expr.symbols())
        if (known.insert(symbol).second)
          order.push_back(symbol);
  });
  auto visit = [&](Operation *op) {
    for (Type type : op->getOperandTypes())
      walker.walk(type);
    for (Type type : op->getResultTypes())
      walker.walk(type);
    walker.walk(op->getAttrDictionary());
  };
  region->walk<WalkOrder::PreOrder>(visit);
  return order;
}

} // namespace

CanonicalRegion dynac::canonicalRegion(RegionOp region) {
  MLIRContext *context = region.getContext();
  CanonicalRegion result;
  result.symbols = symbolsInOrder(region);
  llvm::StringMap<std::string> renamed;
  for (auto [i, symbol] : llvm::enumerate(result.symbols))
    renamed[symbol] = "s" + std::to_string(i);

  Location unknown = UnknownLoc::get(context);
  result.module = ModuleOp::create(unknown);
  OpBuilder b = OpBuilder::atBlockEnd(result.module->getBody());
  auto func = b.create<func::FuncOp>(
      unknown, "region", b.getFunctionType(region.getXs().getTypes(), region.getYs().getTypes()));
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  for (auto [operand, argument] : llvm::zip(region.getXs(), entry->getArguments()))
    map.map(operand, argument);
  result.region = cast<RegionOp>(b.clone(*region, map));
  b.create<func::ReturnOp>(unknown, result.region.getYs());

  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DimsAttr dims) -> Attribute {
    SmallVector<SymExpr> exprs;
    for (const SymExpr &expr : dims.exprs())
      exprs.push_back(expr.substitute([&](std::string_view name) -> std::optional<SymExpr> {
        auto it = renamed.find(StringRef(name));
        return it == renamed.end() ? std::nullopt : std::optional(SymExpr::symbol(it->second));
      }));
    return DimsAttr::get(context, exprs);
  });
  // Locations hold node names, which would make equal kernels differ.
  replacer.recursivelyReplaceElementsIn(func, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  llvm::raw_string_ostream os(result.text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(INT64_MAX);
  result.region->print(os, flags);
  return result;
}

std::string dynac::nodeNames(Location loc) {
  llvm::SetVector<StringRef> names;
  loc->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part))
      names.insert(named.getName().getValue());
    return WalkResult::advance();
  });
  std::string text;
  size_t count = 0;
  for (StringRef name : names) {
    // A large region would otherwise carry pages of names.
    if (++count > 8)
      return text + ", ...";
    text += (text.empty() ? "" : ", ") + name.str();
  }
  return text;
}
