//===- TuningTest.cpp - the text of measured choices ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Tuning.h"

#include "dynac/Support/Diagnostic.h"
#include "gtest/gtest.h"

using namespace dynac;

namespace {

TuningCache parsed(llvm::StringRef text) {
  auto cache = TuningCache::parse(text, "t.txt");
  EXPECT_TRUE(bool(cache));
  return cache ? std::move(*cache) : TuningCache();
}

std::string refusal(llvm::StringRef text) {
  auto cache = TuningCache::parse(text, "t.txt");
  if (cache)
    return "accepted";
  auto diagnostics = takeDiagnostics(cache.takeError());
  EXPECT_EQ(diagnostics.front().code, ExitCode::Usage);
  return diagnostics.front().message;
}

TEST(TuningTest, TextIsSortedAndReadsBack) {
  TuningCache cache = parsed("# a comment\n"
                             "gemm:m=2 v4 znver4 0.9314 rows=24 panel=64\r\n"
                             "\n"
                             "  conv:c=3 v4 znver4 1\n");
  const std::string text = cache.text();
  EXPECT_EQ(text.substr(text.find('\n') + 1), "conv:c=3 v4 znver4 1.000\n"
                                              "gemm:m=2 v4 znver4 0.931 panel=64 rows=24\n");
  EXPECT_EQ(parsed(text).text(), text);
  EXPECT_TRUE(parsed("").empty());
}

TEST(TuningTest, TheFasterOfTwoLinesCounts) {
  const std::string slow = "gemm:m=2 v4 znver4 0.950 panel=32\n",
                    fast = "gemm:m=2 v4 znver4 0.900 panel=64\n",
                    other = "gemm:m=2 v4 znver4 0.900 panel=48\n";
  EXPECT_EQ(parsed(slow + fast).text(), parsed(fast).text());
  EXPECT_EQ(parsed(fast + slow).text(), parsed(fast).text());
  EXPECT_EQ(parsed(fast + other).text(), parsed(other + fast).text());
  TuningCache merged = parsed(slow);
  merged.merge(parsed(fast + "a v3 b 1.000\n"));
  EXPECT_EQ(merged.text(), parsed("a v3 b 1.000\n" + fast).text());
}

TEST(TuningTest, RefusesLinesThatAreNone) {
  const char *lines[] = {"gemm v4 znver4",          "gemm v4 znver4 0",
                         "gemm v4 znver4 1.5",      "gemm v4 znver4 nan",
                         "gemm v4 znver4 0.9 x",    "gemm v4 znver4 0.9 x=",
                         "gemm v4 znver4 0.9 x=1a", "gemm v4 znver4 0.9 X=1",
                         "gemm v4 znver4 0.9 x=-1", "gemm v4 znver4 0.9 x=1 x=2"};
  for (llvm::StringRef line : lines)
    EXPECT_EQ(refusal("a b c 1\n" + line.str() + "\n"),
              "t.txt:2: expected KERNEL LEVEL CPU SHARE NAME=NUMBER..., found '" + line.str() +
                  "'");
}

TEST(TuningTest, FindsTheHighestLevelThenTheCpuThenTheGain) {
  TuningCache cache = parsed("k v3 a 0.5 x=1\n"
                             "k v4 a 0.9 x=2\n"
                             "k v4 b 0.8 x=3\n"
                             "kk v4 b 0.1 x=4\n");
  auto x = [&](llvm::ArrayRef<std::string> levels, llvm::StringRef cpu) {
    const TuningEntry *entry = cache.find("k", levels, cpu);
    return entry ? entry->values.at("x") : 0;
  };
  EXPECT_EQ(x({"v3", "v4"}, ""), 3);
  EXPECT_EQ(x({"v3", "v4"}, "a"), 2);
  EXPECT_EQ(x({"v3"}, "b"), 1);
  EXPECT_EQ(x({"v3", "v5"}, ""), 1);
  EXPECT_EQ(x({"v2"}, "a"), 0);
  EXPECT_EQ(cache.findExact("k", "v3", "b"), nullptr);
}

TEST(TuningTest, AChoiceIsOneThatTheKernelHas) {
  OpenKernel kernel{"k", {}};
  kernel.add("panel", 48, {16, 32});
  kernel.add("rows", 24, {24, 48});
  EXPECT_EQ(kernel.preferred(), Choice({48, 24}));
  auto choice = [&](std::map<std::string, int64_t> values) {
    return choiceOf(kernel, {0.5, std::move(values)});
  };
  EXPECT_EQ(choice({}), kernel.preferred());
  EXPECT_EQ(choice({{"panel", 16}}), Choice({16, 24}));
  EXPECT_EQ(choice({{"panel", 48}, {"rows", 48}}), Choice({48, 48}));
  EXPECT_FALSE(choice({{"panel", 64}}));
  EXPECT_FALSE(choice({{"tile", 16}}));
}

} // namespace
