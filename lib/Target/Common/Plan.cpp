//===- Plan.cpp - dimension slots and messages of a plan ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace dynac {

namespace {

dynac_expr_op_t exprOp(SymExpr::Kind kind) {
  switch (kind) {
  case SymExpr::Kind::Constant:
    return DYNAC_EXPR_CONST;
  case SymExpr::Kind::Symbol:
    return DYNAC_EXPR_SYMBOL;
  case SymExpr::Kind::Add:
    return DYNAC_EXPR_ADD;
  case SymExpr::Kind::Mul:
    return DYNAC_EXPR_MUL;
  case SymExpr::Kind::FloorDiv:
    return DYNAC_EXPR_FLOORDIV;
  case SymExpr::Kind::Mod:
    return DYNAC_EXPR_MOD;
  case SymExpr::Kind::Min:
    return DYNAC_EXPR_MIN;
  case SymExpr::Kind::Max:
    return DYNAC_EXPR_MAX;
  }
  llvm_unreachable("covered switch");
}

/// Appends the nodes of an expression as slots, each distinct node once.
struct SlotBuilder : SymExpr::Visitor {
  Plan &plan;
  std::map<std::string, int32_t> &slots;

  SlotBuilder(Plan &plan, std::map<std::string, int32_t> &slots) : plan(plan), slots(slots) {}

  int64_t slot(const std::string &key, dynac_expr_op_t op, int32_t a, int32_t b, int64_t imm) {
    auto [it, isNew] = slots.try_emplace(key, static_cast<int32_t>(plan.exprs.size()));
    if (isNew)
      plan.exprs.push_back({op, a, b, 0, imm});
    return it->second;
  }
  int64_t constant(int64_t value) override {
    return slot(std::to_string(value), DYNAC_EXPR_CONST, 0, 0, value);
  }
  int64_t symbol(std::string_view name) override { return plan.symbolSlot(name); }
  int64_t binary(SymExpr::Kind kind, int64_t a, int64_t b) override {
    // "#" keeps keys of single nodes apart from canonical texts.
    std::string key = "#" + std::to_string(static_cast<int>(kind)) + "," + std::to_string(a) + "," +
                      std::to_string(b);
    return slot(key, exprOp(kind), static_cast<int32_t>(a), static_cast<int32_t>(b), 0);
  }
};

} // namespace

int32_t Plan::slotOf(const SymExpr &expr) {
  std::string key = expr.str();
  if (auto it = slots.find(key); it != slots.end())
    return it->second;
  SlotBuilder builder(*this, slots);
  auto result = static_cast<int32_t>(expr.visit(builder));
  slots.try_emplace(key, result);
  return result;
}

bool Plan::overflows() const {
  return slots.count((SymExpr(INT64_MAX) + SymExpr(1)).str()) != 0; // all are equal
}

int32_t Plan::symbolSlot(llvm::StringRef name) {
  std::string key = SymExpr::symbol(std::string_view(name.data(), name.size())).str();
  auto [it, isNew] = slots.try_emplace(key, static_cast<int32_t>(exprs.size()));
  if (isNew) {
    PlanSymbol symbol;
    symbol.name = key;
    symbol.slot = it->second;
    exprs.push_back({DYNAC_EXPR_SYMBOL, 0, 0, 0, static_cast<int64_t>(symbols.size())});
    symbols.push_back(std::move(symbol));
  }
  return it->second;
}

int32_t Plan::messageOf(llvm::StringRef text) {
  auto it = llvm::find(messages, text);
  if (it == messages.end())
    it = messages.insert(messages.end(), text.str());
  return static_cast<int32_t>(it - messages.begin());
}

} // namespace dynac
