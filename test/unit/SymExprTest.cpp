//===- SymExprTest.cpp - tests of symbolic dimensions ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/SymExpr.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <ostream>
#include <random>

using namespace dynac;

namespace dynac {
/// What gtest prints.
static void PrintTo(const SymExpr &expr, std::ostream *out) { *out << expr.str(); }
} // namespace dynac

namespace {

constexpr int64_t maxInt = std::numeric_limits<int64_t>::max();
constexpr int64_t minInt = std::numeric_limits<int64_t>::min();

/// Parses `text`, which must be well-formed.
SymExpr e(std::string_view text) {
  std::optional<SymExpr> result = SymExpr::parse(text);
  EXPECT_TRUE(result.has_value()) << text;
  return result.value_or(SymExpr());
}
SymExpr fd(const SymExpr &a, const SymExpr &b) { return a.floorDiv(b); }

using Values = std::map<std::string, int64_t, std::less<>>;
std::optional<int64_t> eval(const SymExpr &expr, const Values &values) {
  return expr.evaluate([&](std::string_view name) -> std::optional<int64_t> {
    auto found = values.find(name);
    if (found == values.end())
      return std::nullopt;
    return found->second;
  });
}

const SymExpr N = SymExpr::symbol("N"), S = SymExpr::symbol("S"), M = SymExpr::symbol("M");

TEST(SymExpr, Prints) {
  EXPECT_EQ(SymExpr().str(), "0");
  EXPECT_EQ(SymExpr(-7).str(), "-7");
  EXPECT_EQ((N + 1).str(), "N+1");
  EXPECT_EQ((SymExpr(3) - N).str(), "-N+3");
  EXPECT_EQ((S * N * 2 + fd(N + 3, 4) - 1).str(), "2*N*S+floordiv(N+3,4)-1");
  EXPECT_EQ(N.mod(4).str(), "mod(N,4)");
  EXPECT_EQ((S * N.mod(4) * 3 + N - 2).str(), "3*S*mod(N,4)+N-2");
  EXPECT_EQ(N.mod(S).str(), "mod(N,S)");
  EXPECT_EQ(SymExpr::min(N, 7).str(), SymExpr::min(7, N).str());
  EXPECT_EQ(SymExpr(minInt).str(), "-9223372036854775808");
}

TEST(SymExpr, SymbolNames) {
  EXPECT_EQ(SymExpr::symbol("batch size").str(), "batch_size");
  EXPECT_EQ(SymExpr::symbol("1d").str(), "_1d");
  EXPECT_EQ(SymExpr::symbol("").str(), "_");
  EXPECT_EQ(SymExpr::symbol("a.b_C9").str(), "a.b_C9");
  // A symbol may be called like a function.
  EXPECT_EQ(e("min*2+mod").str(), "2*min+mod");
  EXPECT_EQ((N * S + M).symbols(), (std::vector<std::string>{"M", "N", "S"}));
  EXPECT_EQ(fd(SymExpr::min(N, S), M).symbols(), (std::vector<std::string>{"M", "N", "S"}));
  EXPECT_TRUE((N - N).symbols().empty());
}

TEST(SymExpr, RefusesMalformedText) {
  for (const char *text :
       {"", " ", "N+", "*N", "(N", "N)", "min(N)", "min(N,S,M)", "foo(N,S)", "2N", "N S", "N//2",
        "9223372036854775808", "99999999999999999999999", "floordiv(N,)", "N--", "-", "é"})
    EXPECT_FALSE(SymExpr::parse(text).has_value()) << text;
  EXPECT_FALSE(SymExpr::parse(std::string(100000, '(')).has_value());
  EXPECT_EQ(e(" 2 * ( N + 1 ) - - 3"), N * 2 + 5);
  EXPECT_EQ(e("-9223372036854775808"), SymExpr(minInt));
  EXPECT_EQ(e("N-9223372036854775808").str(), "N-9223372036854775808");
}

TEST(SymExpr, SumsOfProducts) {
  EXPECT_EQ((N + 1) * (N - 1), N * N - 1);
  EXPECT_EQ(N * S, S * N);
  EXPECT_EQ((N + S) * (N + S), N * N + N * S * 2 + S * S);
  EXPECT_EQ(N * 0, SymExpr(0));
  EXPECT_NE(N, S);
  EXPECT_TRUE((N < S) != (S < N));
  EXPECT_FALSE(N < N);
}

TEST(SymExpr, FloorDivIdentities) {
  EXPECT_EQ(fd(N * 4, 4), N);
  EXPECT_EQ(fd(N * S * 64, S * 64), N);
  EXPECT_EQ(fd(N * 2 + 4, 2), N + 2);
  EXPECT_EQ(fd(N * 2 + 5, 2), N + 2);
  EXPECT_EQ(fd(fd(N, 2), 2), fd(N, 4));
  EXPECT_EQ(fd(fd(N, 2) + 1, 2), fd(N + 2, 4));
  EXPECT_EQ(fd(fd(N, S), M), fd(N, S * M));
  EXPECT_EQ(fd(N * 6 + 3, 4), N + fd(N * 2 + 3, 4));
  EXPECT_EQ(fd(N * 6, 8), fd(N * 3, 4));
  EXPECT_EQ(fd(N * 2 + 1, 4), fd(N, 2));
  EXPECT_EQ(fd(N - 1, 4), fd(N + 3, 4) - 1);
  EXPECT_EQ(N.ceilDiv(4), fd(N + 3, 4));
  EXPECT_EQ((N * 4).ceilDiv(4), N);
  EXPECT_EQ(N.ceilDiv(N), SymExpr(1));
  EXPECT_EQ(fd(N * N + N, N + 1), N);
  EXPECT_EQ(fd(N * S, S * 2), fd(N, 2));
  EXPECT_EQ(fd(N * 5 + 3, N), SymExpr(5) + fd(3, N));
  EXPECT_EQ(fd(N, 1), N);
  EXPECT_EQ(fd(0, N), SymExpr(0));
  EXPECT_EQ(fd(-7, 2), SymExpr(-4));
  EXPECT_EQ(fd(minInt, 2), SymExpr(minInt / 2));
  EXPECT_EQ(fd(N, N), SymExpr(1));
}

TEST(SymExpr, ModIdentities) {
  EXPECT_EQ((N * 4).mod(4), SymExpr(0));
  EXPECT_EQ((N * 4 + 3).mod(4), SymExpr(3));
  EXPECT_EQ((N * 5).mod(4), N.mod(4));
  EXPECT_EQ(N.mod(8).mod(4), N.mod(4));
  EXPECT_EQ(N.mod(4).mod(8), N.mod(4));
  EXPECT_EQ(fd(N, 4) * 4 + N.mod(4), N);
  EXPECT_EQ(fd(N, S) * S + N.mod(S), N);
  EXPECT_EQ((N * S).mod(S), SymExpr(0));
  EXPECT_EQ(N.mod(1), SymExpr(0));
  EXPECT_EQ(SymExpr(-7).mod(4), SymExpr(1));
  EXPECT_EQ(fd(N.mod(8), 8), SymExpr(0));
  EXPECT_EQ(fd(N.mod(8), 16), SymExpr(0));
}

TEST(SymExpr, MinMax) {
  EXPECT_EQ(SymExpr::min(N, N + 1), N);
  EXPECT_EQ(SymExpr::max(N, N + 1), N + 1);
  EXPECT_EQ(SymExpr::max(N, 0), N);
  EXPECT_EQ(SymExpr::min(N, -1), SymExpr(-1));
  EXPECT_EQ(SymExpr::min(3, 5), SymExpr(3));
  EXPECT_EQ(SymExpr::min(SymExpr::min(N, 8), 4), SymExpr::min(N, 4));
  EXPECT_EQ(SymExpr::min(SymExpr::min(N, S), N), SymExpr::min(N, S));
  EXPECT_EQ(SymExpr::min(N, SymExpr::min(S, M)), SymExpr::min(M, SymExpr::min(N, S)));
  EXPECT_EQ(SymExpr::max(SymExpr::min(N, 4), 4), SymExpr(4));
  EXPECT_EQ(SymExpr::min(SymExpr::max(N, 2), 2), SymExpr(2));
  EXPECT_EQ(SymExpr::min(N + 1, 5), SymExpr::min(N, 4) + 1);
  EXPECT_EQ(SymExpr::min(N * S + 3, N * S + M), N * S + SymExpr::min(M, 3));
  EXPECT_EQ(SymExpr::min(N * S + N, N * S), N * S);
  EXPECT_EQ(SymExpr::min(fd(N, 2), N), fd(N, 2));
  EXPECT_EQ(SymExpr::max(N - 3, N), N);
  EXPECT_EQ(SymExpr::min(N.mod(4), 3), N.mod(4));
}

TEST(SymExpr, Bounds) {
  EXPECT_EQ(N.lowerBound(), 0);
  EXPECT_EQ(N.upperBound(), std::nullopt);
  EXPECT_EQ((SymExpr(5) - N).upperBound(), 5);
  EXPECT_EQ((SymExpr(5) - N).lowerBound(), std::nullopt);
  EXPECT_EQ(N.mod(4).lowerBound(), 0);
  EXPECT_EQ(N.mod(4).upperBound(), 3);
  EXPECT_EQ(N.mod(S).lowerBound(), 0);
  EXPECT_EQ((S * N.mod(4) * -1).upperBound(), 0);
  EXPECT_EQ(SymExpr::min(N, 7).upperBound(), 7);
  EXPECT_EQ(SymExpr::max(N, 7).lowerBound(), 7);
  EXPECT_EQ((N * N - 1).lowerBound(), -1);
  EXPECT_TRUE(N.provablyGe(fd(N, 2)));
  EXPECT_TRUE((N + 1).provablyGt(N));
  EXPECT_TRUE((fd(N + 3, 4) * 4).provablyGe(N));
  EXPECT_TRUE((N + 3).provablyGe(fd(N + 3, 4) * 4));
  EXPECT_TRUE((N * S + S).provablyGe(S * fd(N, 2)));
  EXPECT_TRUE(N.provablyGe(N - SymExpr::max(S, 2)));
  EXPECT_TRUE(N.provablyGe(SymExpr::min(N, S)));
  EXPECT_TRUE(SymExpr::max(N, S).provablyGe(S));
  EXPECT_FALSE(N.provablyGt(0));
  EXPECT_FALSE(N.provablyGe(S));
  EXPECT_EQ(SymExpr(minInt).lowerBound(), minInt);
  EXPECT_EQ(SymExpr(minInt).upperBound(), minInt);
}

TEST(SymExpr, ExactDivision) {
  EXPECT_EQ((N * S * 2).exactDiv(N), S * 2);
  EXPECT_EQ((N * 4 + 8).exactDiv(4), N + 2);
  EXPECT_EQ((N * N - 1).exactDiv(N + 1), N - 1);
  EXPECT_EQ((N * S + N + S + 1).exactDiv(S + 1), N + 1);
  EXPECT_EQ((N * 4 + 2).exactDiv(4), std::nullopt);
  EXPECT_EQ(N.exactDiv(S), std::nullopt);
  EXPECT_EQ(N.exactDiv(0), std::nullopt);
  EXPECT_EQ(SymExpr(0).exactDiv(N), SymExpr(0));
  EXPECT_EQ((fd(N, 3) * S).exactDiv(fd(N, 3)), S);
  EXPECT_EQ(SymExpr(minInt).exactDiv(-1), std::nullopt);
  EXPECT_EQ((N * 4).exactDiv(-4), N * -1);
}

TEST(SymExpr, EvaluationFailures) {
  EXPECT_EQ(eval(N + S, {{"N", 1}}), std::nullopt);
  EXPECT_EQ(eval(fd(M, N), {{"M", 1}, {"N", 0}}), std::nullopt);
  EXPECT_EQ(eval(N * N, {{"N", maxInt}}), std::nullopt);
  EXPECT_EQ(eval(N + S - M, {{"N", maxInt}, {"S", maxInt}, {"M", maxInt}}), maxInt);
  EXPECT_EQ(eval(SymExpr(minInt) + N, {{"N", 5}}), minInt + 5);
  EXPECT_EQ(fd(N, 0).str(), "floordiv(N,0)");
  EXPECT_EQ(eval(fd(N, 0), {{"N", 1}}), std::nullopt);
  EXPECT_EQ(e("floordiv(N,0)"), fd(N, 0));
}

TEST(SymExpr, OverflowOfCoefficients) {
  SymExpr big = N * maxInt;
  for (const SymExpr &expr :
       {big + big, big * big, big * 2, -(N * minInt), SymExpr(minInt) * -1, SymExpr(minInt) - 1}) {
    EXPECT_TRUE(expr.isOverflow());
    EXPECT_EQ(expr.str(), "floordiv(0,0)");
    EXPECT_EQ(eval(expr, {{"N", 0}}), std::nullopt);
    EXPECT_FALSE(expr.isConstant());
    EXPECT_EQ(expr.lowerBound(), std::nullopt);
    EXPECT_EQ(expr + 1, expr);
    EXPECT_EQ(expr.floorDiv(2), expr);
    EXPECT_EQ(SymExpr::min(expr, 0), expr);
    EXPECT_EQ(e(expr.str()), expr);
  }
  EXPECT_EQ(big - big, SymExpr(0));
  EXPECT_FALSE(big.isOverflow() || fd(N, 0).isOverflow());
}

TEST(SymExpr, OverflowOfSize) {
  // Squaring twenty times would need 2^20 factors.
  SymExpr square = N + S + 1;
  for (int i = 0; i < 20; ++i)
    square = square * square;
  EXPECT_TRUE(square.isOverflow());
  SymExpr sum, least;
  int terms = 0, operands = 0;
  for (int i = 0; !sum.isOverflow(); ++i) {
    sum = sum + SymExpr::symbol("d" + std::to_string(i));
    terms += !sum.isOverflow();
  }
  EXPECT_GT(terms, 2000);
  for (least = SymExpr::symbol("d"); !least.isOverflow(); ++operands)
    least = SymExpr::min(least, SymExpr::symbol("d" + std::to_string(operands)));
  EXPECT_EQ(operands, 32);
  // What is printed can be parsed, however deep it is.
  SymExpr deep = N, last;
  for (int i = 0; !deep.isOverflow(); ++i) {
    last = deep;
    deep = fd(M, deep + i + 1);
  }
  EXPECT_EQ(e(last.str()), last);
}

TEST(SymExpr, DeepNestingIsCheap) {
  // Bounds of each level come from both bounds of the level below.
  SymExpr deep = N;
  for (int i = 0; i < 60; ++i)
    deep = fd(SymExpr::max(deep * 3 - M, S), 2);
  EXPECT_EQ(deep.lowerBound(), 0);
  EXPECT_EQ(e(deep.str()), deep);
}

TEST(SymExpr, Substitutes) {
  auto with = [](SymExpr n, SymExpr s) {
    return [=](std::string_view name) -> std::optional<SymExpr> {
      if (name == "N")
        return n;
      if (name == "S")
        return s;
      return std::nullopt;
    };
  };
  EXPECT_EQ(fd(N * S + M, 4).substitute(with(4, M * 2)), M * 2 + fd(M, 4));
  EXPECT_EQ((N + S).substitute(with(S, N)), N + S);
  EXPECT_EQ(fd(N, S).substitute(with(7, 2)), SymExpr(3));
  EXPECT_EQ(SymExpr::max(N, S).substitute(with(M, M + 1)), M + 1);
  EXPECT_EQ(N.mod(8).substitute(with(S * 8 + 3, S)), SymExpr(3));
}

/// Evaluates the visited tree, as an emitter of code would.
struct TreeEvaluator : SymExpr::Visitor {
  explicit TreeEvaluator(const Values &values) : values(values) {}
  int64_t constant(int64_t value) override { return value; }
  int64_t symbol(std::string_view name) override { return values.find(name)->second; }
  int64_t binary(SymExpr::Kind kind, int64_t a, int64_t b) override {
    kinds.insert({kind, 0}).first->second++;
    int64_t floor = b > 0 ? a / b - (a % b < 0) : 0;
    switch (kind) {
    case SymExpr::Kind::Add:
      return a + b;
    case SymExpr::Kind::Mul:
      return a * b;
    case SymExpr::Kind::FloorDiv:
      return floor;
    case SymExpr::Kind::Mod:
      return a - b * floor;
    case SymExpr::Kind::Min:
      return std::min(a, b);
    case SymExpr::Kind::Max:
      return std::max(a, b);
    default:
      ADD_FAILURE() << "leaf passed to binary";
      return 0;
    }
  }
  const Values &values;
  std::map<SymExpr::Kind, int> kinds;
};

TEST(SymExpr, VisitsModAsMod) {
  Values values{{"N", 11}, {"S", 3}};
  TreeEvaluator visitor(values);
  EXPECT_EQ(N.mod(4).visit(visitor), 3);
  EXPECT_EQ(visitor.kinds, (std::map<SymExpr::Kind, int>{{SymExpr::Kind::Mod, 1}}));
}

//===----------------------------------------------------------------------===//
// Properties of random expressions
//===----------------------------------------------------------------------===//

/// A random expression beside the value that plain arithmetic gives it. Divisors are positive.
struct Sample {
  SymExpr expr;
  std::vector<int64_t> values;
};

class RandomExpressions : public ::testing::TestWithParam<int> {
protected:
  static constexpr int points = 12;
  std::mt19937 random{static_cast<unsigned>(GetParam())};
  std::vector<Values> assignments;

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  void SetUp() override {
    for (int i = 0; i < points; ++i)
      assignments.push_back({{"A", pick(0, 9)}, {"B", pick(0, 40)}, {"C", pick(0, 1000)}});
  }

  Sample leaf() {
    if (pick(0, 2) == 0) {
      int64_t value = pick(-9, 17);
      return {SymExpr(value), std::vector<int64_t>(points, value)};
    }
    std::string name(1, static_cast<char>('A' + pick(0, 2)));
    Sample result{SymExpr::symbol(name), {}};
    for (const Values &values : assignments)
      result.values.push_back(values.at(name));
    return result;
  }

  template <typename F> Sample combine(SymExpr expr, const Sample &a, const Sample &b, F op) {
    Sample result{std::move(expr), {}};
    for (int i = 0; i < points; ++i)
      result.values.push_back(op(a.values[i], b.values[i]));
    return result;
  }

  Sample positive(int depth) {
    Sample one{SymExpr(1), std::vector<int64_t>(points, 1)};
    if (pick(0, 2)) {
      int64_t value = pick(1, 12);
      return {SymExpr(value), std::vector<int64_t>(points, value)};
    }
    Sample a = generate(depth - 1);
    return combine(SymExpr::max(a.expr, 1), a, one,
                   [](int64_t x, int64_t y) { return std::max(x, y); });
  }

  Sample generate(int depth) {
    if (depth <= 0 || pick(0, 7) == 0)
      return leaf();
    auto floorDiv = [](int64_t x, int64_t y) { return x / y - (x % y < 0); };
    Sample a = generate(depth - 1);
    switch (pick(0, 7)) {
    case 0: {
      Sample b = positive(depth - 1);
      return combine(a.expr.floorDiv(b.expr), a, b, floorDiv);
    }
    case 1: {
      Sample b = positive(depth - 1);
      return combine(a.expr.mod(b.expr), a, b,
                     [&](int64_t x, int64_t y) { return x - y * floorDiv(x, y); });
    }
    default:
      break;
    }
    Sample b = generate(depth - 1);
    switch (pick(0, 4)) {
    case 0:
      return combine(a.expr * b.expr, a, b, [](int64_t x, int64_t y) {
        return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
      });
    case 1:
      return combine(a.expr - b.expr, a, b, std::minus<int64_t>());
    case 2:
      return combine(SymExpr::min(a.expr, b.expr), a, b,
                     [](int64_t x, int64_t y) { return std::min(x, y); });
    case 3:
      return combine(SymExpr::max(a.expr, b.expr), a, b,
                     [](int64_t x, int64_t y) { return std::max(x, y); });
    default:
      return combine(a.expr + b.expr, a, b, std::plus<int64_t>());
    }
  }
};

TEST_P(RandomExpressions, KeepTheirValue) {
  for (int round = 0; round < 40; ++round) {
    Sample sample = generate(4);
    std::string text = sample.expr.str();
    std::optional<SymExpr> parsed = SymExpr::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, sample.expr) << text << " became " << parsed->str();
    EXPECT_EQ(parsed->str(), text);
    std::optional<int64_t> low = sample.expr.lowerBound(), high = sample.expr.upperBound();
    for (int i = 0; i < points; ++i) {
      std::optional<int64_t> value = eval(sample.expr, assignments[i]);
      ASSERT_TRUE(value.has_value()) << text;
      ASSERT_EQ(*value, sample.values[i]) << text;
      TreeEvaluator tree(assignments[i]);
      ASSERT_EQ(sample.expr.visit(tree), *value) << text;
      ASSERT_TRUE(!low || *low <= *value) << text << " >= " << *low;
      ASSERT_TRUE(!high || *high >= *value) << text << " <= " << *high;
    }
    EXPECT_EQ(sample.expr - sample.expr, SymExpr(0)) << text;
  }
}

TEST_P(RandomExpressions, AreCanonicalSums) {
  for (int round = 0; round < 20; ++round) {
    SymExpr a = generate(3).expr, b = generate(3).expr, c = generate(2).expr;
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ(a * b, b * a);
    EXPECT_EQ((a + b) + c, a + (b + c));
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ(a + b - b, a);
    EXPECT_EQ(SymExpr::min(a, b), SymExpr::min(b, a));
    EXPECT_EQ(SymExpr::max(a, b), SymExpr::max(b, a));
    EXPECT_EQ(SymExpr::max(a, a), a);
    SymExpr d = SymExpr(pick(1, 9));
    EXPECT_EQ((a * d).floorDiv(d), a);
    // With a floordiv in b its bounds may prove more than those of the sum.
    SymExpr p =
        SymExpr::symbol("A") * pick(-20, 20) + SymExpr::symbol("B") * pick(-20, 20) + pick(-20, 20);
    EXPECT_EQ((a * d + p).mod(d), p.mod(d));
    EXPECT_EQ(a.floorDiv(d) * d + a.mod(d), a);
    EXPECT_EQ((a < b) + (b < a) + (a == b), 1);
    if (std::optional<SymExpr> quotient = (a * b).exactDiv(b))
      EXPECT_EQ(*quotient * b, a * b);
    else
      EXPECT_TRUE(b.isZero()) << a.str() << " times " << b.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExpressions, ::testing::Range(0, 40));

} // namespace
