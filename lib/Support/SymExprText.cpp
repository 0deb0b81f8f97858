//===- SymExprText.cpp - symbolic dimensions as text and trees ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymExprImpl.h"

#include <limits>

using namespace dynac;
using Kind = SymExpr::Kind;
using Impl = SymExpr::Impl;

//===----------------------------------------------------------------------===//
// As a tree
//===----------------------------------------------------------------------===//

/// The first group x * (a - b * floordiv(a, b)) in `e` without which it is shorter.
static std::optional<SymModTerm> findMod(const SymExpr &e) {
  for (const SymTerm &term : Impl::termsOf(e)) {
    for (size_t i = 0; i < term.atoms.size(); ++i) {
      const SymAtom &atom = *term.atoms[i];
      if (atom.kind != Kind::FloorDiv || Impl::termsOf(atom.operands[1]).size() != 1)
        continue;
      const SymExpr &a = atom.operands[0], &b = atom.operands[1];
      SymTerm scale = term;
      scale.atoms.erase(scale.atoms.begin() + i);
      std::optional<SymTerm> x = Impl::divide(scale, Impl::termsOf(b)[0]);
      if (!x || x->coefficient == std::numeric_limits<int64_t>::min())
        continue;
      x->coefficient = -x->coefficient;
      SymExpr shorter = e - Impl::fromTerm(term) - Impl::fromTerm(*x) * a;
      if (!Impl::isOverflow(shorter) && Impl::termsOf(shorter).size() < Impl::termsOf(e).size())
        return SymModTerm{*x, a, b};
    }
  }
  return std::nullopt;
}

SymExpr Impl::splitMods(const SymExpr &e, std::vector<SymModTerm> &mods) {
  SymExpr rest = e, taken(0);
  while (std::optional<SymModTerm> mod = findMod(rest)) {
    SymExpr group = fromTerm(mod->scale) * mod->dividend.mod(mod->divisor);
    SymExpr next = rest - group;
    taken = taken + group;
    // Written out, a group is longer than what it replaces, and the text has to be parsed.
    if (isOverflow(next) || isOverflow(taken) || sizeOf(next) + sizeOf(taken) > maxSize ||
        termsOf(next).size() >= termsOf(rest).size())
      break;
    rest = std::move(next);
    mods.push_back(std::move(*mod));
  }
  return rest;
}

static int64_t visitAtom(const SymAtom &atom, SymExpr::Visitor &visitor) {
  if (atom.kind == Kind::Symbol)
    return visitor.symbol(atom.name);
  int64_t result = atom.operands.back().visit(visitor);
  for (size_t i = atom.operands.size() - 1; i-- > 0;) {
    int64_t operand = atom.operands[i].visit(visitor);
    result = visitor.binary(atom.kind, operand, result);
  }
  return result;
}

/// coefficient * atoms... * last, where `last` is a handle if there is one.
static int64_t visitTerm(const SymTerm &term, std::optional<int64_t> last,
                         SymExpr::Visitor &visitor) {
  std::optional<int64_t> result;
  auto multiply = [&](int64_t value) {
    result = result ? visitor.binary(Kind::Mul, *result, value) : value;
  };
  for (const SymAtomRef &atom : term.atoms)
    multiply(visitAtom(*atom, visitor));
  if (last)
    multiply(*last);
  if (term.coefficient != 1 || !result)
    multiply(visitor.constant(term.coefficient));
  return *result;
}

int64_t SymExpr::visit(Visitor &visitor) const {
  std::vector<SymModTerm> mods;
  SymExpr rest = Impl::splitMods(*this, mods);
  std::optional<int64_t> sum;
  auto add = [&](int64_t value) { sum = sum ? visitor.binary(Kind::Add, *sum, value) : value; };
  for (const SymModTerm &mod : mods) {
    int64_t dividend = mod.dividend.visit(visitor), divisor = mod.divisor.visit(visitor);
    add(visitTerm(mod.scale, visitor.binary(Kind::Mod, dividend, divisor), visitor));
  }
  for (const SymTerm &term : rest.impl->terms)
    add(visitTerm(term, std::nullopt, visitor));
  return sum ? *sum : visitor.constant(0);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printAtom(const SymAtom &atom, std::string &out) {
  if (atom.kind == Kind::Symbol) {
    out += atom.name;
    return;
  }
  const char *name = atom.kind == Kind::FloorDiv ? "floordiv("
                     : atom.kind == Kind::Min    ? "min("
                                                 : "max(";
  for (size_t i = 0; i + 1 < atom.operands.size(); ++i)
    out += name + atom.operands[i].str() + ",";
  out += atom.operands.back().str();
  out.append(atom.operands.size() - 1, ')');
}

static void printTerm(const SymTerm &term, const std::string &last, std::string &out) {
  std::string text;
  bool bare = term.atoms.empty() && last.empty();
  if (bare || (term.coefficient != 1 && term.coefficient != -1))
    text = std::to_string(term.coefficient);
  else if (term.coefficient == -1)
    text = "-";
  for (const SymAtomRef &atom : term.atoms) {
    if (!text.empty() && text != "-")
      text += "*";
    printAtom(*atom, text);
  }
  if (!last.empty())
    text += (text.empty() || text == "-" ? "" : "*") + last;
  if (!out.empty() && text[0] != '-')
    out += "+";
  out += text;
}

std::string SymExpr::str() const {
  std::vector<SymModTerm> mods;
  SymExpr rest = Impl::splitMods(*this, mods);
  std::string out;
  for (const SymModTerm &mod : mods)
    printTerm(mod.scale, "mod(" + mod.dividend.str() + "," + mod.divisor.str() + ")", out);
  for (const SymTerm &term : rest.impl->terms)
    printTerm(term, "", out);
  return out.empty() ? "0" : out;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// sum := ['+'|'-'] product {('+'|'-') product};  product := factor {'*' factor};
/// factor := '-' factor | integer | name | name '(' sum ',' sum ')' | '(' sum ')'.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<SymExpr> all() {
    std::optional<SymExpr> result = sum();
    skipSpace();
    return position == text.size() ? result : std::nullopt;
  }

private:
  std::optional<SymExpr> sum() {
    if (++depth > Impl::maxDepth + 1) // deeper text is not trusted with the stack
      return std::nullopt;
    SymExpr result(0);
    take('+');
    for (bool first = true, minus = false;; first = false) {
      if (!first && !(minus = take('-')) && !take('+'))
        break;
      std::optional<SymExpr> term = product(minus);
      if (!term)
        return std::nullopt;
      result = result + *term;
    }
    --depth;
    return result;
  }

  std::optional<SymExpr> product(bool negative) {
    std::optional<SymExpr> result = factor(negative);
    while (result && take('*')) {
      std::optional<SymExpr> next = factor(false);
      if (!next)
        return std::nullopt;
      result = *result * *next;
    }
    return result;
  }

  /// A sign belongs to the literal, so that -2^63 can be written.
  std::optional<SymExpr> factor(bool negative) {
    while (take('-'))
      negative = !negative;
    skipSpace();
    if (position == text.size())
      return std::nullopt;
    char c = text[position];
    if (isDigit(c))
      return literal(negative);
    std::optional<SymExpr> result;
    if (take('('))
      result = closed(sum());
    else if (isName(c))
      result = nameOrCall();
    if (result && negative)
      result = -*result;
    return result;
  }

  std::optional<SymExpr> literal(bool negative) {
    uint64_t magnitude = 0, limit = uint64_t(std::numeric_limits<int64_t>::max()) + negative;
    for (; position < text.size() && isDigit(text[position]); ++position) {
      uint64_t digit = text[position] - '0';
      if (magnitude > (limit - digit) / 10)
        return std::nullopt;
      magnitude = magnitude * 10 + digit;
    }
    if (position < text.size() && isName(text[position]))
      return std::nullopt;
    return SymExpr(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  }

  std::optional<SymExpr> nameOrCall() {
    size_t start = position;
    while (position < text.size() && (isName(text[position]) || isDigit(text[position])))
      ++position;
    std::string_view name = text.substr(start, position - start);
    if (!take('('))
      return SymExpr::symbol(name);
    std::optional<SymExpr> a = sum();
    if (!a || !take(','))
      return std::nullopt;
    std::optional<SymExpr> b = closed(sum());
    if (!b)
      return std::nullopt;
    if (name == "floordiv")
      return a->floorDiv(*b);
    if (name == "mod")
      return a->mod(*b);
    if (name == "min")
      return SymExpr::min(*a, *b);
    if (name == "max")
      return SymExpr::max(*a, *b);
    return std::nullopt;
  }

  std::optional<SymExpr> closed(std::optional<SymExpr> inner) {
    return inner && take(')') ? inner : std::nullopt;
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }
  void skipSpace() {
    while (position < text.size() && text[position] == ' ')
      ++position;
  }
  bool take(char c) {
    skipSpace();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  std::string_view text;
  size_t position = 0;
  size_t depth = 0;
};
} // namespace

std::optional<SymExpr> SymExpr::parse(std::string_view text) { return Parser(text).all(); }
