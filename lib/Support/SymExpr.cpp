//===- SymExpr.cpp - arithmetic on symbolic dimensions --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymExprImpl.h"

#include <algorithm>
#include <set>

using namespace dynac;
using Kind = SymExpr::Kind;
using Impl = SymExpr::Impl;

//===----------------------------------------------------------------------===//
// Order and canonical sums
//===----------------------------------------------------------------------===//

int Impl::compare(const SymAtomRef &a, const SymAtomRef &b) {
  if (a == b)
    return 0;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->kind == Kind::Symbol)
    return a->name.compare(b->name);
  if (a->operands.size() != b->operands.size())
    return a->operands.size() < b->operands.size() ? -1 : 1;
  for (size_t i = 0; i < a->operands.size(); ++i)
    if (int order = compare(a->operands[i], b->operands[i]))
      return order;
  return 0;
}

int Impl::compareProducts(const std::vector<SymAtomRef> &a, const std::vector<SymAtomRef> &b) {
  if (a.size() != b.size())
    return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    if (int order = compare(a[i], b[i]))
      return order;
  return 0;
}

int Impl::compare(const SymExpr &a, const SymExpr &b) {
  if (same(a, b))
    return 0;
  const std::vector<SymTerm> &x = termsOf(a), &y = termsOf(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (int order = compareProducts(x[i].atoms, y[i].atoms))
      return order;
    if (x[i].coefficient != y[i].coefficient)
      return x[i].coefficient < y[i].coefficient ? -1 : 1;
  }
  if (x.size() == y.size())
    return 0;
  return x.size() < y.size() ? -1 : 1;
}

bool SymExpr::operator==(const SymExpr &other) const { return Impl::compare(*this, other) == 0; }
bool SymExpr::operator<(const SymExpr &other) const { return Impl::compare(*this, other) < 0; }

SymExpr Impl::fromTerms(std::vector<SymTerm> terms) {
  std::sort(terms.begin(), terms.end(), [](const SymTerm &a, const SymTerm &b) {
    return compareProducts(a.atoms, b.atoms) < 0;
  });
  // Up to 2^64 / 16 terms of 64 bits add up within 128 bits, so only the sum can overflow.
  std::vector<SymTerm> result;
  size_t size = 1, depth = 0;
  for (size_t i = 0; i < terms.size();) {
    __int128 sum = 0;
    size_t first = i;
    for (; i < terms.size() && compareProducts(terms[first].atoms, terms[i].atoms) == 0; ++i)
      sum += terms[i].coefficient;
    if (sum == 0)
      continue;
    if (sum != static_cast<int64_t>(sum))
      return overflow();
    ++size;
    for (const SymAtomRef &atom : terms[first].atoms) {
      size += atom->size;
      depth = std::max(depth, atom->depth);
    }
    result.push_back({static_cast<int64_t>(sum), std::move(terms[first].atoms)});
  }
  if (size > maxSize || depth > maxDepth)
    return overflow();
  auto impl = std::make_shared<Impl>();
  impl->terms = std::move(result);
  impl->size = size;
  impl->depth = depth;
  return SymExpr(std::shared_ptr<const Impl>(std::move(impl)));
}

SymExpr Impl::fromTerm(SymTerm term) {
  std::vector<SymTerm> terms;
  terms.push_back(std::move(term));
  return fromTerms(std::move(terms));
}

SymExpr Impl::fromAtom(Kind kind, std::string name, std::vector<SymExpr> operands) {
  size_t size = 1, depth = 0;
  for (const SymExpr &operand : operands) {
    size += sizeOf(operand);
    depth = std::max(depth, operand.impl->depth);
  }
  if (!operands.empty())
    depth += operands.size() - 1; // min(a,min(b,c))
  auto atom = std::make_shared<SymAtom>();
  *atom = {kind, std::move(name), std::move(operands), size, depth};
  return fromTerm({1, {std::move(atom)}});
}

SymExpr Impl::overflow() { return fromAtom(Kind::FloorDiv, "", {SymExpr(0), SymExpr(0)}); }

bool SymExpr::isOverflow() const {
  const std::vector<SymTerm> &terms = impl->terms;
  if (terms.size() != 1 || terms[0].atoms.size() != 1)
    return false;
  const SymAtom &atom = *terms[0].atoms[0];
  return atom.kind == Kind::FloorDiv && atom.operands[0].isZero() && atom.operands[1].isZero();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

SymExpr::SymExpr(int64_t value) {
  auto result = std::make_shared<Impl>();
  if (value != 0)
    result->terms.push_back({value, {}});
  result->size = value == 0 ? 1 : 2;
  result->depth = 0;
  impl = std::move(result);
}

SymExpr SymExpr::symbol(std::string_view name) {
  std::string clean;
  for (char c : name) {
    bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c == '.';
    clean += kept ? c : '_';
  }
  if (clean.empty() || (clean[0] >= '0' && clean[0] <= '9'))
    clean.insert(clean.begin(), '_');
  return Impl::fromAtom(Kind::Symbol, std::move(clean), {});
}

SymExpr SymExpr::operator+(const SymExpr &other) const {
  if (Impl::isOverflow(*this) || Impl::isOverflow(other))
    return Impl::overflow();
  std::vector<SymTerm> terms = impl->terms;
  terms.insert(terms.end(), other.impl->terms.begin(), other.impl->terms.end());
  return Impl::fromTerms(std::move(terms));
}

SymExpr SymExpr::operator-(const SymExpr &other) const { return *this + other * SymExpr(-1); }

SymExpr SymExpr::operator*(const SymExpr &other) const {
  if (Impl::isOverflow(*this) || Impl::isOverflow(other) ||
      impl->terms.size() * other.impl->terms.size() > Impl::maxSize)
    return Impl::overflow();
  std::vector<SymTerm> terms;
  for (const SymTerm &a : impl->terms) {
    for (const SymTerm &b : other.impl->terms) {
      SymTerm product;
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient))
        return Impl::overflow();
      if (a.atoms.size() + b.atoms.size() > Impl::maxSize)
        return Impl::overflow();
      product.atoms.resize(a.atoms.size() + b.atoms.size());
      std::merge(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                 product.atoms.begin(),
                 [](const SymAtomRef &x, const SymAtomRef &y) { return Impl::compare(x, y) < 0; });
      terms.push_back(std::move(product));
    }
  }
  return Impl::fromTerms(std::move(terms));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool SymExpr::isConstant() const { return constant().has_value(); }

std::optional<int64_t> SymExpr::constant() const {
  if (impl->terms.empty())
    return 0;
  if (impl->terms.size() == 1 && impl->terms[0].atoms.empty())
    return impl->terms[0].coefficient;
  return std::nullopt;
}

static void collectSymbols(const SymExpr &e, std::set<std::string> &names) {
  for (const SymTerm &term : Impl::termsOf(e)) {
    for (const SymAtomRef &atom : term.atoms) {
      if (atom->kind == Kind::Symbol)
        names.insert(atom->name);
      for (const SymExpr &operand : atom->operands)
        collectSymbols(operand, names);
    }
  }
}

std::vector<std::string> SymExpr::symbols() const {
  std::set<std::string> names;
  collectSymbols(*this, names);
  return {names.begin(), names.end()};
}

static std::optional<int64_t>
evaluateAtom(const SymAtom &atom,
             const std::function<std::optional<int64_t>(std::string_view)> &valueOf) {
  if (atom.kind == Kind::Symbol)
    return valueOf(atom.name);
  std::optional<int64_t> result;
  for (const SymExpr &operand : atom.operands) {
    std::optional<int64_t> value = operand.evaluate(valueOf);
    if (!value)
      return std::nullopt;
    if (!result)
      result = value;
    else if (atom.kind == Kind::Min)
      result = std::min(*result, *value);
    else if (atom.kind == Kind::Max)
      result = std::max(*result, *value);
    else if (*value <= 0)
      return std::nullopt;
    else
      result = floorDivide(*result, *value);
  }
  return result;
}

std::optional<int64_t>
SymExpr::evaluate(const std::function<std::optional<int64_t>(std::string_view)> &valueOf) const {
  // 128 bits inside, so that only a result that does not fit counts as overflow in practice.
  __int128 sum = 0;
  for (const SymTerm &term : impl->terms) {
    __int128 product = term.coefficient;
    for (const SymAtomRef &atom : term.atoms) {
      std::optional<int64_t> value = evaluateAtom(*atom, valueOf);
      if (!value || __builtin_mul_overflow(product, static_cast<__int128>(*value), &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  if (sum != static_cast<int64_t>(sum))
    return std::nullopt;
  return static_cast<int64_t>(sum);
}

static SymExpr
rebuildAtom(const SymAtomRef &atom,
            const std::function<std::optional<SymExpr>(std::string_view)> &replacement) {
  if (atom->kind == Kind::Symbol)
    return replacement(atom->name).value_or(Impl::fromTerm({1, {atom}}));
  SymExpr result = atom->operands[0].substitute(replacement);
  for (size_t i = 1; i < atom->operands.size(); ++i) {
    SymExpr operand = atom->operands[i].substitute(replacement);
    result = atom->kind == Kind::FloorDiv ? result.floorDiv(operand)
                                          : Impl::minMax(atom->kind, result, operand);
  }
  return result;
}

SymExpr SymExpr::substitute(
    const std::function<std::optional<SymExpr>(std::string_view)> &replacement) const {
  SymExpr sum(0);
  for (const SymTerm &term : impl->terms) {
    SymExpr product(term.coefficient);
    for (const SymAtomRef &atom : term.atoms)
      product = product * rebuildAtom(atom, replacement);
    sum = sum + product;
  }
  return sum;
}
