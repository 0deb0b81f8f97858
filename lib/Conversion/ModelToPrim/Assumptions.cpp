//===- Assumptions.cpp - what an import takes for granted -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assumptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

/// Collects each floordiv(symbol + offset, number), where a mod counts as one.
struct QuotientFinder : SymExpr::Visitor {
  struct Part {
    std::optional<int64_t> number;
    std::string symbol;
    int64_t offset = 0;
  };
  struct Quotient {
    std::string symbol;
    int64_t offset, divisor;
  };
  std::vector<Part> parts;
  std::vector<Quotient> found;

  int64_t add(Part part) {
    parts.push_back(std::move(part));
    return int64_t(parts.size()) - 1;
  }
  int64_t constant(int64_t value) override { return add({value, ""}); }
  int64_t symbol(std::string_view name) override { return add({std::nullopt, std::string(name)}); }
  int64_t binary(SymExpr::Kind kind, int64_t a, int64_t b) override {
    const Part &x = parts[a], &y = parts[b];
    bool divides = kind == SymExpr::Kind::FloorDiv || kind == SymExpr::Kind::Mod;
    if (divides && !x.symbol.empty() && y.number)
      found.push_back({x.symbol, x.offset, *y.number});
    int64_t sum;
    if (kind == SymExpr::Kind::Add && x.number && !llvm::AddOverflow(*x.number, y.offset, sum))
      return add({std::nullopt, y.symbol, sum});
    if (kind == SymExpr::Kind::Add && y.number && !llvm::AddOverflow(*y.number, x.offset, sum))
      return add({std::nullopt, x.symbol, sum});
    return add({});
  }
};

SymExpr with(const SymExpr &dim, const std::string &symbol, const SymExpr &value) {
  return dim.substitute(
      [&](std::string_view name) { return name == symbol ? std::optional(value) : std::nullopt; });
}

/// The value of `symbol` for which `difference`, linear in it, is 0.
std::optional<SymExpr> solvedFor(const std::string &symbol, const SymExpr &difference) {
  SymExpr rest = with(difference, symbol, SymExpr(0));
  auto slope = (with(difference, symbol, SymExpr(1)) - rest).constant();
  if (!slope || *slope == 0 || rest + SymExpr(*slope) * SymExpr::symbol(symbol) != difference)
    return std::nullopt;
  return *slope < 0 ? rest.exactDiv(SymExpr(-*slope)) : (-rest).exactDiv(SymExpr(*slope));
}

} // namespace

void Assumptions::replace(const std::string &symbol, const SymExpr &value) {
  for (auto &[name, held] : values)
    held = with(held, symbol, value);
  values.emplace(symbol, value);
  auto old = std::move(pairs);
  pairs.clear();
  for (const auto &[small, large] : old)
    assumeLe(with(small, symbol, value), with(large, symbol, value));
}

SymExpr Assumptions::replaced(const SymExpr &dim) const {
  return dim.substitute([&](std::string_view name) -> std::optional<SymExpr> {
    auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

bool Assumptions::solve(const SymExpr &difference, bool mayBeNegative) {
  // Last symbols first: the names of the first operands stay.
  std::vector<std::string> symbols = difference.symbols();
  for (bool mayBeNamed : {false, true})
    for (const std::string &symbol : llvm::reverse(symbols)) {
      auto value = solvedFor(symbol, difference);
      if (!value || (named.count(symbol) && !mayBeNamed) ||
          (mayBeNegative ? value->constant().value_or(0) < 0 : !value->provablyGe(SymExpr(0))))
        continue;
      replace(symbol, *value);
      return true;
    }
  return false;
}

bool Assumptions::assumeSolved(const SymExpr &a, const SymExpr &b) { return solve(a - b, false); }

bool Assumptions::assumeEq(const SymExpr &a, const SymExpr &b) {
  SymExpr difference = a - b;
  // Sizes are not negative, so a solution that cannot be is better.
  if (solve(difference, false) || solve(difference, true))
    return true;
  QuotientFinder finder;
  difference.visit(finder);
  if (finder.found.empty())
    return false;
  // The greatest divisor is a multiple of the others where windows of stride 2 follow each other.
  llvm::sort(finder.found, [](const auto &x, const auto &y) {
    return std::tie(y.divisor, x.symbol, x.offset) < std::tie(x.divisor, y.symbol, y.offset);
  });
  // symbol + offset = divisor * quotient + rest, if the equation gives the quotient.
  for (const auto &[symbol, offset, divisor] : finder.found) {
    std::string quotient = symbol + "_by_" + std::to_string(divisor);
    std::string rest = symbol + "_rest_" + std::to_string(divisor);
    SymExpr split = SymExpr(divisor) * SymExpr::symbol(quotient) +
                    SymExpr::min(SymExpr::symbol(rest), SymExpr(divisor - 1)) - SymExpr(offset);
    auto value = solvedFor(quotient, with(difference, symbol, split));
    if (!value || !value->provablyGe(SymExpr(0)))
      continue;
    rests.insert(rest);
    replace(symbol, with(split, quotient, *value));
    return true;
  }
  const auto &[symbol, offset, divisor] = finder.found.front();
  replace(symbol, SymExpr(divisor) * SymExpr::symbol(symbol + "_by_" + std::to_string(divisor)));
  return true;
}

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

std::optional<std::pair<SymExpr, SymExpr>> Assumptions::openBound(const SymExpr &dim) const {
  std::optional<std::pair<SymExpr, SymExpr>> found;
  Rebuilder rebuilder;
  rebuilder.choose = [&](SymExpr::Kind kind, const SymExpr &a, const SymExpr &b) {
    bool isMin = kind == SymExpr::Kind::Min;
    const SymExpr &limit = a.isConstant() ? a : b, &size = a.isConstant() ? b : a;
    if (!found && a.isConstant() != b.isConstant() && !provesLe(a, b) && !provesLe(b, a) &&
        !rests.count(size.str()))
      found = isMin ? std::pair(size, limit) : std::pair(limit, size);
    return isMin ? SymExpr::min(a, b) : SymExpr::max(a, b);
  };
  dim.visit(rebuilder);
  return found;
}
