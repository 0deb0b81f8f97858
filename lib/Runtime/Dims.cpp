//===- Dims.cpp - the dimension program: evaluation and printing ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dims.h"

#include <algorithm>
#include <functional>

namespace dynac::rt {

static bool isBinary(const dynac_expr_t &expr) {
  return expr.op != DYNAC_EXPR_CONST && expr.op != DYNAC_EXPR_SYMBOL;
}

DimProgram::DimProgram(const dynac_artifact_t &artifact) : artifact(artifact) {
  const int32_t count = artifact.expr_count;
  runtime.resize(count);
  users.resize(artifact.symbol_count);
  std::vector<std::vector<bool>> uses(artifact.symbol_count, std::vector<bool>(count));
  for (int32_t i = 0; i < count; ++i) {
    const dynac_expr_t &expr = artifact.exprs[i];
    if (expr.op == DYNAC_EXPR_SYMBOL)
      runtime[i] = artifact.symbols[expr.imm].data_dependent != 0;
    else if (isBinary(expr))
      runtime[i] = runtime[expr.a] || runtime[expr.b];
    for (int32_t s = 0; s < artifact.symbol_count; ++s) {
      uses[s][i] = isBinary(expr) ? uses[s][expr.a] || uses[s][expr.b]
                                  : expr.op == DYNAC_EXPR_SYMBOL && expr.imm == s;
      if (uses[s][i])
        users[s].push_back(i);
    }
  }
  constants.value.assign(count, 0);
  constants.state.assign(count, SlotValues::Unbound);
  evaluate(constants);
}

SlotValues DimProgram::start() const { return constants; }

bool DimProgram::constant(int32_t slot, int64_t &value) const {
  value = constants.value[slot];
  return constants.known(slot);
}

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

void DimProgram::step(SlotValues &values, int32_t slot) const {
  const dynac_expr_t &expr = artifact.exprs[slot];
  if (expr.op == DYNAC_EXPR_CONST)
    return values.set(slot, expr.imm);
  if (expr.op == DYNAC_EXPR_SYMBOL)
    return; // bound from outside
  const auto stateA = values.state[expr.a], stateB = values.state[expr.b];
  if (stateA != SlotValues::Known || stateB != SlotValues::Known) {
    const bool failed = stateA == SlotValues::Failed || stateB == SlotValues::Failed;
    values.state[slot] = failed ? SlotValues::Failed : SlotValues::Unbound;
    return;
  }
  const int64_t a = values.value[expr.a], b = values.value[expr.b];
  int64_t result = 0;
  bool failed = false;
  switch (expr.op) {
  case DYNAC_EXPR_ADD:
    failed = __builtin_add_overflow(a, b, &result);
    break;
  case DYNAC_EXPR_SUB:
    failed = __builtin_sub_overflow(a, b, &result);
    break;
  case DYNAC_EXPR_MUL:
    failed = __builtin_mul_overflow(a, b, &result);
    break;
  case DYNAC_EXPR_FLOORDIV:
    failed = b <= 0;
    result = failed ? 0 : floorDiv(a, b);
    break;
  case DYNAC_EXPR_MOD:
    failed = b <= 0;
    result = failed ? 0 : a - floorDiv(a, b) * b;
    break;
  case DYNAC_EXPR_MIN:
    result = std::min(a, b);
    break;
  case DYNAC_EXPR_MAX:
    result = std::max(a, b);
    break;
  }
  values.value[slot] = result;
  values.state[slot] = failed ? SlotValues::Failed : SlotValues::Known;
}

void DimProgram::evaluate(SlotValues &values) const {
  for (int32_t i = 0; i < artifact.expr_count; ++i)
    if (values.state[i] != SlotValues::Known)
      step(values, i);
}

void DimProgram::bind(SlotValues &values, int32_t symbol, int64_t value) const {
  for (int32_t slot : users[symbol]) {
    const dynac_expr_t &expr = artifact.exprs[slot];
    if (expr.op == DYNAC_EXPR_SYMBOL)
      values.set(slot, value);
    else
      step(values, slot);
  }
}

bool DimProgram::solve(SlotValues &values, int32_t slot, int64_t target, int32_t &symbol,
                       int64_t &solution) const {
  const dynac_expr_t &expr = artifact.exprs[slot];
  if (expr.op == DYNAC_EXPR_SYMBOL) {
    symbol = int32_t(expr.imm);
    solution = target;
    return true;
  }
  if (!isBinary(expr) || values.known(expr.a) == values.known(expr.b))
    return false;
  const bool knownB = values.known(expr.b);
  const int64_t other = values.value[knownB ? expr.b : expr.a];
  const int32_t open = knownB ? expr.a : expr.b;
  int64_t next;
  switch (expr.op) {
  case DYNAC_EXPR_ADD:
    if (__builtin_sub_overflow(target, other, &next))
      return false;
    break;
  case DYNAC_EXPR_SUB: // open - other, or other - open
    if (knownB ? __builtin_add_overflow(target, other, &next)
               : __builtin_sub_overflow(other, target, &next))
      return false;
    break;
  case DYNAC_EXPR_MUL:
    if (other == 0 || (other == -1 && target == INT64_MIN) || target % other != 0)
      return false;
    next = target / other;
    break;
  case DYNAC_EXPR_MIN: // the rest of a division stands under a minimum
    if (target > other)
      return false;
    next = target;
    break;
  default:
    return false;
  }
  return solve(values, open, next, symbol, solution);
}

std::string DimProgram::print(int32_t slot, int precedence, int depth) const {
  const dynac_expr_t &expr = artifact.exprs[slot];
  if (expr.op == DYNAC_EXPR_CONST)
    return std::to_string(expr.imm);
  if (expr.op == DYNAC_EXPR_SYMBOL)
    return artifact.symbols[expr.imm].name;
  if (depth > 32) // a shared subexpression can print exponentially long
    return "...";
  if (expr.op == DYNAC_EXPR_MIN || expr.op == DYNAC_EXPR_MAX)
    return std::string(expr.op == DYNAC_EXPR_MIN ? "min(" : "max(") + print(expr.a, 0, depth + 1) +
           ", " + print(expr.b, 0, depth + 1) + ")";
  const bool sum = expr.op == DYNAC_EXPR_ADD || expr.op == DYNAC_EXPR_SUB;
  const int own = sum ? 1 : 2;
  const char *sign = expr.op == DYNAC_EXPR_ADD        ? "+"
                     : expr.op == DYNAC_EXPR_SUB      ? "-"
                     : expr.op == DYNAC_EXPR_MUL      ? "*"
                     : expr.op == DYNAC_EXPR_FLOORDIV ? "//"
                                                      : "%";
  // Left-associative: an equal operator on the right needs brackets unless it commutes.
  const bool commutes = expr.op == DYNAC_EXPR_ADD || expr.op == DYNAC_EXPR_MUL;
  const bool same = isBinary(artifact.exprs[expr.b]) && artifact.exprs[expr.b].op == expr.op;
  std::string result = print(expr.a, own, depth + 1) + sign +
                       print(expr.b, commutes && same ? own : own + 1, depth + 1);
  return own < precedence ? "(" + result + ")" : result;
}

std::string DimProgram::text(int32_t slot) const {
  if (constants.known(slot))
    return std::to_string(constants.value[slot]);
  std::string result = print(slot, 0, 0);
  return result.size() > 200 ? result.substr(0, 200) + "..." : result;
}

std::vector<int32_t> DimProgram::symbolsOf(int32_t slot) const {
  std::vector<int32_t> found;
  for (int32_t s = 0; s < artifact.symbol_count; ++s)
    if (std::binary_search(users[s].begin(), users[s].end(), slot))
      found.push_back(s);
  return found;
}

} // namespace dynac::rt
