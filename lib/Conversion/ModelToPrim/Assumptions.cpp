//===- Assumptions.cpp - what an import takes for granted -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assumptions.h"

using namespace dynac;

namespace {

/// Rebuilds an expression; `choose` decides min and max.
struct Rebuilder : SymExpr::Visitor {
  std::function<SymExpr(SymExpr::Kind, const SymExpr &, const SymExpr &)> choose;
  std::vector<SymExpr> parts;

  int64_t add(SymExpr part) {
    parts.push_back(std::move(part));
    return int64_t(parts.size()) - 1;
  }
  int64_t constant(int64_t value) override { return add(SymExpr(value)); }
  int64_t symbol(std::string_view name) override { return add(SymExpr::symbol(name)); }
  int64_t binary(SymExpr::Kind kind, int64_t a, int64_t b) override {
    SymExpr x = parts[a], y = parts[b];
    switch (kind) {
    case SymExpr::Kind::Add:
      return add(x + y);
    case SymExpr::Kind::Mul:
      return add(x * y);
    case SymExpr::Kind::FloorDiv:
      return add(x.floorDiv(y));
    case SymExpr::Kind::Mod:
      return add(x.mod(y));
    default:
      return add(choose(kind, x, y));
    }
  }
};

} // namespace

void Assumptions::assumeLe(const SymExpr &small, const SymExpr &large) {
  if (!provesLe(small, large))
    pairs.emplace_back(small, large);
}

bool Assumptions::provesLe(const SymExpr &small, const SymExpr &large) const {
  if (large.provablyGe(small))
    return true;
  // From l <= g follows small <= large if (large - small) - (g - l) >= 0.
  for (const auto &[l, g] : pairs)
    if ((large - small).provablyGe(g - l))
      return true;
  return false;
}

SymExpr Assumptions::simplify(const SymExpr &dim) const {
  if (pairs.empty() || dim.isConstant())
    return dim;
  Rebuilder rebuilder;
  rebuilder.choose = [&](SymExpr::Kind kind, const SymExpr &a, const SymExpr &b) {
    bool isMin = kind == SymExpr::Kind::Min;
    if (provesLe(a, b))
      return isMin ? a : b;
    if (provesLe(b, a))
      return isMin ? b : a;
    return isMin ? SymExpr::min(a, b) : SymExpr::max(a, b);
  };
  return rebuilder.parts[dim.visit(rebuilder)];
}

bool Assumptions::decideBounds(const SymExpr &dim) {
  bool found = false;
  Rebuilder rebuilder;
  rebuilder.choose = [&](SymExpr::Kind kind, const SymExpr &a, const SymExpr &b) {
    bool isMin = kind == SymExpr::Kind::Min;
    if (a.isConstant() != b.isConstant() && !provesLe(a, b) && !provesLe(b, a)) {
      const SymExpr &limit = a.isConstant() ? a : b, &size = a.isConstant() ? b : a;
      isMin ? assumeLe(size, limit) : assumeLe(limit, size);
      found = true;
    }
    return isMin ? SymExpr::min(a, b) : SymExpr::max(a, b);
  };
  dim.visit(rebuilder);
  return found;
}
