//===- ShapeArithmeticFuzzer.cpp - random symbolic dimensions -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a program of a stack machine whose values are expressions, each
// beside the numbers that plain wide arithmetic gives it at a few assignments.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "dynac/Support/SymExpr.h"

#include <array>

using namespace dynac;
using Kind = SymExpr::Kind;
using Wide = __int128;
/// Nothing: a divisor was not positive, or the number left `limit`.
using Number = std::optional<Wide>;

static constexpr Wide limit = Wide(1) << 100;
static constexpr unsigned symbols = 4, points = 5;

static Number apply(Kind kind, Number a, Number b) {
  if (!a || !b)
    return std::nullopt;
  Wide x = *a, y = *b, result = 0;
  switch (kind) {
  case Kind::Add:
    result = x + y;
    break;
  case Kind::Mul:
    if (__builtin_mul_overflow(x, y, &result))
      return std::nullopt;
    break;
  case Kind::Min:
    return std::min(x, y);
  case Kind::Max:
    return std::max(x, y);
  default:
    if (y <= 0)
      return std::nullopt;
    result = x / y - (x % y < 0);
    if (kind == Kind::Mod)
      result = x - result * y;
  }
  return result > -limit && result < limit ? Number(result) : std::nullopt;
}

using Numbers = std::array<Number, points>;
using Assignment = std::array<int64_t, symbols>;

/// Evaluates the visited tree, as an emitter of code would.
struct TreeEvaluator : SymExpr::Visitor {
  explicit TreeEvaluator(const Assignment &values) : values(values) {}
  int64_t constant(int64_t value) override { return add(value); }
  int64_t symbol(std::string_view name) override { return add(values[name[0] - 'A']); }
  int64_t binary(Kind kind, int64_t a, int64_t b) override {
    check(kind != Kind::Constant && kind != Kind::Symbol);
    return add(apply(kind, numbers[a], numbers[b]));
  }
  int64_t add(Number number) {
    numbers.push_back(number);
    return int64_t(numbers.size()) - 1;
  }
  const Assignment &values;
  std::vector<Number> numbers;
};

namespace {
struct Value {
  SymExpr expr;
  Numbers numbers;
};

class Machine {
public:
  explicit Machine(FuzzedDataProvider &data) : data(data) {
    for (Assignment &assignment : assignments)
      for (int64_t &value : assignment)
        value = data.ConsumeIntegralInRange<int64_t>(0, data.ConsumeBool() ? 9 : INT64_MAX);
    assignments[0] = {};
  }

  void run() {
    for (int steps = 0; steps < 24 && !isSlow && data.remaining_bytes() > 0; ++steps)
      step(data.ConsumeIntegralInRange(0, 15));
    for (const Value &value : stack)
      checkText(value);
  }

private:
  void push(SymExpr expr, const Numbers &numbers) {
    Value value{std::move(expr), numbers};
    checkNumbers(value);
    isSlow = value.expr.str().size() > 1000;
    stack.push_back(std::move(value));
  }
  Value pop() {
    if (stack.empty())
      return {};
    Value value = std::move(stack.back());
    stack.pop_back();
    return value;
  }
  Numbers combine(Kind kind, const Numbers &a, const Numbers &b) {
    Numbers result;
    for (unsigned i = 0; i < points; ++i)
      result[i] = apply(kind, a[i], b[i]);
    return result;
  }

  void step(int op) {
    if (op < 4)
      return pushSymbol(op);
    if (op < 7) {
      int64_t value =
          op < 6 ? data.ConsumeIntegralInRange(-8, 17) : data.ConsumeIntegral<int64_t>();
      Numbers numbers;
      numbers.fill(value);
      return push(value, numbers);
    }
    Value b = pop(), a = pop();
    if (op == 7) { // keeps both below their sum
      stack.push_back(a);
      stack.push_back(b);
    }
    binary(op, a, b);
  }

  void pushSymbol(int index) {
    Numbers numbers;
    for (unsigned i = 0; i < points; ++i)
      numbers[i] = assignments[i][index];
    push(SymExpr::symbol(std::string(1, char('A' + index))), numbers);
  }

  void binary(int op, const Value &a, const Value &b) {
    const SymExpr &x = a.expr, &y = b.expr;
    switch (op) {
    case 7:
    case 8:
      check(x + y == y + x);
      return push(x + y, combine(Kind::Add, a.numbers, b.numbers));
    case 9:
      check(x * y == y * x);
      return push(x * y, combine(Kind::Mul, a.numbers, b.numbers));
    case 10:
      check(SymExpr::min(x, y) == SymExpr::min(y, x));
      return push(SymExpr::min(x, y), combine(Kind::Min, a.numbers, b.numbers));
    case 11:
      check(SymExpr::max(x, y) == SymExpr::max(y, x));
      return push(SymExpr::max(x, y), combine(Kind::Max, a.numbers, b.numbers));
    case 12:
      return push(x.floorDiv(y), combine(Kind::FloorDiv, a.numbers, b.numbers));
    case 13:
      return push(x.mod(y), combine(Kind::Mod, a.numbers, b.numbers));
    case 14: {
      Numbers minus;
      minus.fill(-1);
      return push(x - y, combine(Kind::Add, a.numbers, combine(Kind::Mul, b.numbers, minus)));
    }
    default:
      checkPair(a, b);
      stack.push_back(a);
    }
  }

  /// What is said of two expressions.
  void checkPair(const Value &a, const Value &b) {
    const SymExpr &x = a.expr, &y = b.expr;
    check((x < y) + (y < x) + (x == y) == 1);
    if (x.provablyGe(y))
      for (unsigned i = 0; i < points; ++i)
        check(!a.numbers[i] || !b.numbers[i] || *a.numbers[i] >= *b.numbers[i]);
    if (std::optional<SymExpr> quotient = x.exactDiv(y))
      check(*quotient * y == x);
    SymExpr replaced = x.substitute(
        [&](std::string_view name) { return name == "A" ? std::optional(y) : std::nullopt; });
    checkText({replaced, {}});
  }

  void checkNumbers(const Value &value) {
    std::optional<int64_t> low = value.expr.lowerBound(), high = value.expr.upperBound();
    for (unsigned i = 0; i < points; ++i) {
      std::optional<int64_t> got = value.expr.evaluate(
          [&](std::string_view name) { return std::optional(assignments[i][name[0] - 'A']); });
      const Number &expected = value.numbers[i];
      if (!expected)
        continue;
      check(!got || *got == *expected);
      check(!low || *low <= *expected);
      check(!high || *high >= *expected);
      TreeEvaluator tree(assignments[i]);
      Number visited = tree.numbers[value.expr.visit(tree)];
      check(!visited || *visited == *expected);
    }
  }

  void checkText(const Value &value) {
    std::string text = value.expr.str();
    std::optional<SymExpr> parsed = SymExpr::parse(text);
    check(parsed && *parsed == value.expr && parsed->str() == text);
    check(value.expr.substitute([](std::string_view) { return std::nullopt; }) == value.expr);
  }

  FuzzedDataProvider &data;
  std::array<Assignment, points> assignments;
  std::vector<Value> stack;
  bool isSlow = false; ///< one large expression is enough
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  Machine(data).run();
  // The rest as the name of a dimension, which a file may choose.
  std::string text = data.ConsumeRemainingBytesAsString();
  if (std::optional<SymExpr> parsed = SymExpr::parse(text))
    check(SymExpr::parse(parsed->str()) == parsed);
  return 0;
}
