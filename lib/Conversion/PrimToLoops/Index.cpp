//===- Index.cpp - indices as linear forms over loop variables ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Index.h"

using namespace dynac;
using namespace dynac::loops;

Index Index::operator+(const Index &other) const {
  Index sum(offset + other.offset);
  auto a = terms.begin(), b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->var < b->var)) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->var < a->var) {
      sum.terms.push_back(*b++);
    } else {
      SymExpr coeff = a->coeff + b->coeff;
      if (!coeff.isZero())
        sum.terms.push_back({a->var, coeff});
      ++a, ++b;
    }
  }
  return sum;
}

Index Index::operator*(const SymExpr &factor) const {
  Index product(offset * factor);
  if (!factor.isZero())
    for (const Term &term : terms)
      product.terms.push_back({term.var, term.coeff * factor});
  return product;
}

SymExpr Index::coeffOf(unsigned var) const {
  for (const Term &term : terms)
    if (term.var == var)
      return term.coeff;
  return 0;
}

Index IndexSpace::of(unsigned var) const {
  Index index;
  if (!vars[var].extent.isOne())
    index.terms.push_back({var, SymExpr(1)});
  return index;
}

Index IndexSpace::make(SymExpr extent, mlir::Value value, unsigned level) {
  Var var;
  var.extent = std::move(extent);
  var.value = value;
  var.level = level;
  return of(addVar(std::move(var)));
}

Index IndexSpace::linearize(IndicesRef indices, Dims dims) const {
  Index linear;
  SymExpr stride(1);
  for (size_t axis = dims.size(); axis-- > 0;) {
    linear = linear + indices[axis] * stride;
    stride = stride * dims[axis];
  }
  return recombine(std::move(linear));
}

Index IndexSpace::recombine(Index index) const {
  // Each round replaces one pair (or one whole digit), so the number of terms or the depth falls.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < index.terms.size() && !changed; ++i) {
      const Term low = index.terms[i];
      const Var &lowVar = vars[low.var];
      if (!lowVar.parent)
        continue;
      if (lowVar.divisor.isOne() && lowVar.modulus.isZero()) {
        index.terms.erase(index.terms.begin() + i);
        index = index + *lowVar.parent * low.coeff;
        changed = true;
        break;
      }
      if (lowVar.modulus.isZero())
        continue;
      for (size_t j = 0; j < index.terms.size(); ++j) {
        const Term high = index.terms[j];
        const Var &highVar = vars[high.var];
        if (i == j || !highVar.parent || !(*highVar.parent == *lowVar.parent) ||
            highVar.divisor != lowVar.divisor * lowVar.modulus ||
            high.coeff != low.coeff * lowVar.modulus)
          continue;
        Var merged;
        merged.parent = lowVar.parent;
        merged.divisor = lowVar.divisor;
        merged.modulus = highVar.modulus * lowVar.modulus;
        merged.extent = highVar.extent * lowVar.extent;
        index.terms.erase(index.terms.begin() + std::max(i, j));
        index.terms.erase(index.terms.begin() + std::min(i, j));
        auto &space = const_cast<IndexSpace &>(*this);
        index = index + space.digit(*merged.parent, merged.divisor, merged.modulus, merged.extent) *
                            low.coeff;
        changed = true;
        break;
      }
    }
  }
  return index;
}

Index IndexSpace::digit(const Index &parent, const SymExpr &divisor, const SymExpr &modulus,
                        const SymExpr &extent) {
  if (extent.isOne())
    return Index();
  Var var;
  var.extent = extent;
  var.parent = parent;
  var.divisor = divisor;
  var.modulus = modulus;
  var.level = levelOf(parent);
  // A digit of an undivided digit is a digit of its parent.
  if (parent.terms.size() == 1 && parent.offset.isZero() && parent.terms[0].coeff.isOne()) {
    const Var &outer = vars[parent.terms[0].var];
    if (outer.parent && outer.modulus.isZero()) {
      var.divisor = outer.divisor * divisor;
      var.parent = Index(*outer.parent);
    }
  }
  for (unsigned known = 0; known < vars.size(); ++known)
    if (vars[known].parent && vars[known].divisor == var.divisor &&
        vars[known].modulus == var.modulus && *vars[known].parent == *var.parent)
      return of(known);
  return of(addVar(std::move(var)));
}

std::pair<Index, Index> IndexSpace::divide(const Index &index, const SymExpr &divisor,
                                           const SymExpr &quotientExtent) {
  if (divisor.isOne())
    return {index, Index()};
  // Exact: the terms that `divisor` divides, and a rest that stays in [0, divisor).
  Index high, low;
  SymExpr lowMax(0);
  bool exact = true;
  for (const Term &term : index.terms) {
    if (std::optional<SymExpr> quotient = term.coeff.exactDiv(divisor)) {
      high.terms.push_back({term.var, *quotient});
      continue;
    }
    low.terms.push_back(term);
    lowMax = lowMax + term.coeff * (vars[term.var].extent - SymExpr(1));
    exact &= term.coeff.provablyGe(0);
  }
  std::optional<int64_t> offset = index.offset.constant(), number = divisor.constant();
  if (offset && number && *number > 0) {
    int64_t quotient = *offset / *number - (*offset % *number < 0);
    high.offset = SymExpr(quotient);
    low.offset = SymExpr(*offset - quotient * *number);
  } else if (std::optional<SymExpr> quotient = index.offset.exactDiv(divisor)) {
    high.offset = *quotient;
  } else {
    low.offset = index.offset;
    exact &= low.offset.provablyGe(0);
  }
  if (exact && divisor.provablyGt(lowMax + low.offset))
    return {high, low};
  Index whole = recombine(index);
  return {digit(whole, divisor, 0, quotientExtent), digit(whole, 1, divisor, divisor)};
}

Indices IndexSpace::split(const Index &linear, Dims dims) {
  Indices indices(dims.size());
  for (const SymExpr &dim : dims)
    if (dim.isZero())
      return indices;
  size_t first = 0;
  while (first < dims.size() && dims[first].isOne())
    ++first;
  Index rest = linear;
  for (size_t axis = dims.size(); axis-- > first + 1;) {
    if (dims[axis].isOne())
      continue;
    SymExpr outer(1);
    for (size_t i = first; i < axis; ++i)
      outer = outer * dims[i];
    std::tie(rest, indices[axis]) = divide(rest, dims[axis], outer);
  }
  if (first < dims.size())
    indices[first] = rest;
  return indices;
}

Index IndexSpace::substitute(const Index &index, unsigned var, const Index &by) {
  Index result(index.offset);
  for (const Term &term : index.terms) {
    if (term.var == var) {
      result = result + by * term.coeff;
    } else if (vars[term.var].parent) {
      const Index old = *vars[term.var].parent; // `vars` may grow below
      Index parent = substitute(old, var, by);
      const SymExpr divisor = vars[term.var].divisor, modulus = vars[term.var].modulus,
                    extent = vars[term.var].extent;
      result = result + digit(parent, divisor, modulus, extent) * term.coeff;
    } else {
      Index same;
      same.terms.push_back(term);
      result = result + same;
    }
  }
  return result;
}

unsigned IndexSpace::levelOf(const Index &index, bool lanesToo) const {
  unsigned level = 0;
  for (const Term &term : index.terms) {
    const Var &var = vars[term.var];
    if (var.parent)
      level = std::max(level, levelOf(*var.parent, lanesToo));
    else if (lanesToo || !var.isLane)
      level = std::max(level, var.level);
  }
  return level;
}

unsigned IndexSpace::levelOf(IndicesRef indices, bool lanesToo) const {
  unsigned level = 0;
  for (const Index &index : indices)
    level = std::max(level, levelOf(index, lanesToo));
  return level;
}

bool IndexSpace::dependsOn(const Index &index, unsigned var) const {
  return llvm::any_of(index.terms, [&](const Term &term) {
    return term.var == var || (vars[term.var].parent && dependsOn(*vars[term.var].parent, var));
  });
}

std::optional<unsigned> IndexSpace::laneOf(const Index &index) const {
  for (const Term &term : index.terms) {
    const Var &var = vars[term.var];
    if (var.parent) {
      if (std::optional<unsigned> lane = laneOf(*var.parent))
        return lane;
    } else if (var.isLane) {
      return term.var;
    }
  }
  return std::nullopt;
}

std::optional<unsigned> IndexSpace::laneOf(IndicesRef indices) const {
  for (const Index &index : indices)
    if (std::optional<unsigned> lane = laneOf(index))
      return lane;
  return std::nullopt;
}

std::optional<unsigned> IndexSpace::vectorOf(const Index &index) const {
  for (const Term &term : index.terms) {
    const Var &var = vars[term.var];
    if (var.parent) {
      if (std::optional<unsigned> vector = vectorOf(*var.parent))
        return vector;
    } else if (var.isVector) {
      return term.var;
    }
  }
  return std::nullopt;
}

std::optional<SymExpr> IndexSpace::strideOf(const Index &index, unsigned var) const {
  SymExpr stride(0);
  for (const Term &term : index.terms) {
    if (term.var == var) {
      stride = stride + term.coeff;
    } else if (vars[term.var].parent) {
      const Var &digit = vars[term.var];
      std::optional<SymExpr> inner = strideOf(*digit.parent, var);
      if (!inner)
        return std::nullopt;
      if (digit.divisor.isOne() && digit.modulus.isZero())
        stride = stride + *inner * term.coeff;
      else if (!inner->isZero())
        return std::nullopt;
    }
  }
  return stride;
}
