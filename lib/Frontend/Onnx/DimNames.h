//===- DimNames.h - the symbols of a file's named dimensions ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_DIMNAMES_H
#define DYNAC_LIB_FRONTEND_ONNX_DIMNAMES_H

#include "dynac/Frontend/Onnx/Model.h"
#include "dynac/Support/SymExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace dynac::onnx {

/// Gives each dimension name of a model its expression: one symbol per name, never two names one
/// symbol.
class DimNames {
public:
  explicit DimNames(const std::vector<ValueInfo> &inputs) {
    for (const ValueInfo &input : inputs)
      for (const Dim &dim : input.type.dims)
        if (dim.kind == Dim::Kind::Symbol)
          names.insert(dim.symbol);
  }

  SymExpr expr(const Dim &dim, llvm::StringRef input, size_t axis) {
    switch (dim.kind) {
    case Dim::Kind::Value:
      return SymExpr(dim.value);
    case Dim::Kind::Unknown:
      return fresh(input.str() + "_" + std::to_string(axis));
    case Dim::Kind::Symbol:
      // "_" and "?" are no names: exporters give them to every open dimension.
      if (llvm::all_of(dim.symbol, [](char c) { return llvm::isASCII(c) && !llvm::isAlnum(c); }))
        return fresh(input.str() + "_" + std::to_string(axis));
      break;
    }
    auto found = exprs.find(dim.symbol);
    if (found == exprs.end())
      found = exprs.emplace(dim.symbol, meaning(dim.symbol)).first;
    return found->second;
  }

private:
  /// "past + new" is a sum if `past` and `new` are dimensions of inputs too (the dynamo exporter
  /// writes such names); any other text is just a name.
  SymExpr meaning(const std::string &name) {
    auto parsed = SymExpr::parse(name);
    if (parsed && !parsed->isOverflow() && SymExpr::symbol(name) != *parsed) {
      bool known = !parsed->symbols().empty();
      for (const std::string &symbol : parsed->symbols())
        known &= names.count(symbol) != 0;
      if (known)
        return *parsed;
    }
    return fresh(name);
  }
  SymExpr fresh(const std::string &name) {
    SymExpr symbol = SymExpr::symbol(name);
    for (int n = 2; !taken.insert(symbol.str()).second; ++n)
      symbol = SymExpr::symbol(name + "_" + std::to_string(n));
    return symbol;
  }

  std::set<std::string> names; ///< all that the inputs use
  std::set<std::string> taken;
  std::map<std::string, SymExpr> exprs;
};

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_DIMNAMES_H
