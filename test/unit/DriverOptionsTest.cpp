//===- DriverOptionsTest.cpp - the grammar of compile's options -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/Options.h"
#include "gtest/gtest.h"

using namespace dynac;

namespace {

template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

TEST(DriverOptionsTest, Shape) {
  auto shape = parseShapeOption("in=put=1x?x224");
  ASSERT_TRUE(static_cast<bool>(shape));
  EXPECT_EQ(shape->input, "in=put");
  EXPECT_EQ(shape->extents, (std::vector<std::optional<int64_t>>{1, std::nullopt, 224}));
  auto scalar = parseShapeOption("s=");
  ASSERT_TRUE(static_cast<bool>(scalar));
  EXPECT_TRUE(scalar->extents.empty());
  for (const char *text : {"1x3", "=1x3", "x=1x", "x=1xa", "x=-1", "x=99999999999999999999"})
    EXPECT_EQ(messageOf(parseShapeOption(text)),
              std::string("--shape '") + text +
                  "': expected NAME=SIZExSIZEx..., such as input=1x3x224x224, with ? for a size to "
                  "be left as it is");
}

TEST(DriverOptionsTest, Dim) {
  auto check = [](const char *text, int64_t min, int64_t max, int64_t multiple,
                  std::optional<int64_t> hint) {
    auto dim = parseDimOption(text);
    ASSERT_TRUE(static_cast<bool>(dim)) << text;
    EXPECT_EQ(dim->name, "n");
    EXPECT_EQ(dim->min, min) << text;
    EXPECT_EQ(dim->max, max) << text;
    EXPECT_EQ(dim->multipleOf, multiple) << text;
    EXPECT_EQ(dim->hint, hint) << text;
  };
  check("n=8", 8, 8, 1, std::nullopt);
  check("n=1..64", 1, 64, 1, std::nullopt);
  check("n=1..", 1, INT64_MAX, 1, std::nullopt);
  check("n=1..64*16:32", 1, 64, 16, 32);
  check("n=*16", 0, INT64_MAX, 16, std::nullopt);
  check("n=:32", 0, INT64_MAX, 1, 32);
  EXPECT_EQ(messageOf(parseDimOption("n=64..1")), "--dim 'n=64..1': the range is empty");
  EXPECT_EQ(messageOf(parseDimOption("n=17..31*16")),
            "--dim 'n=17..31*16': no multiple lies in the range");
  EXPECT_EQ(messageOf(parseDimOption("n=1..4:5")),
            "--dim 'n=1..4:5': the usual size is not one of the allowed ones");
  for (const char *text : {"n", "n=", "=8", "n=a", "n=1..2..3", "n=8*0", "n=8:"})
    EXPECT_NE(messageOf(parseDimOption(text)).find("expected NAME=8, NAME=1..64, NAME=1.."),
              std::string::npos)
        << text;
}

TEST(DriverOptionsTest, Alias) {
  auto plain = parseAliasOption("past=present:0");
  ASSERT_TRUE(static_cast<bool>(plain));
  EXPECT_EQ(plain->input, "past");
  EXPECT_EQ(plain->output, "present:0");
  EXPECT_FALSE(plain->capacity);
  auto growing = parseAliasOption("past_*=present_*:capacity=1024");
  ASSERT_TRUE(static_cast<bool>(growing));
  EXPECT_EQ(growing->input, "past_*");
  EXPECT_EQ(growing->output, "present_*");
  EXPECT_EQ(growing->capacity, 1024);
  for (const char *text : {"a=b:capacity=", "a=b:capacity=0", "a=b:capacity=-4", "a=b:capacity=4k"})
    EXPECT_EQ(messageOf(parseAliasOption(text)),
              std::string("--alias '") + text + "': expected a capacity of at least 1");
  for (const char *text : {"a", "=b", "a=", "a=:capacity=4"})
    EXPECT_EQ(messageOf(parseAliasOption(text)),
              std::string("--alias '") + text +
                  "': expected INPUT=OUTPUT or INPUT=OUTPUT:capacity=N");
}

TEST(DriverOptionsTest, March) {
  auto all = parseMarchOption("");
  ASSERT_TRUE(static_cast<bool>(all));
  EXPECT_EQ(all->front(), DYNAC_CPU_V3);
  auto two = parseMarchOption("x86-64-v4,x86-64-v2,x86-64-v4");
  ASSERT_TRUE(static_cast<bool>(two));
  EXPECT_EQ(*two, (std::vector<dynac_cpu_level_t>{DYNAC_CPU_V2, DYNAC_CPU_V4}));
  EXPECT_EQ(messageOf(parseMarchOption("pentium"))
                .find("--march 'pentium': expected some of native, x86-64-v2"),
            0u);
}

TEST(DriverOptionsTest, WeightsPrecision) {
  auto check = [](const char *text, WeightsPrecision::Kind kind, int64_t block) {
    auto precision = parseWeightsPrecision(text);
    ASSERT_TRUE(static_cast<bool>(precision)) << text;
    EXPECT_EQ(precision->kind, kind) << text;
    EXPECT_EQ(precision->block, block) << text;
  };
  check("f32", WeightsPrecision::F32, 0);
  check("bf16", WeightsPrecision::Bf16, 0);
  check("int8", WeightsPrecision::Int8, 0);
  check("int4", WeightsPrecision::Int4, 32);
  check("int4:block=16", WeightsPrecision::Int4, 16);
  check("int4:block=256", WeightsPrecision::Int4, 256);
  for (const char *text :
       {"", "int2", "int4:", "int4:block=", "int4:block=7", "int4:block=0", "int4:block=-32",
        "int4:block=32x", "int4:block=512", "int4:32", "int8:block=32", "bf16 ", "INT8"})
    EXPECT_EQ(messageOf(parseWeightsPrecision(text)),
              std::string("--weights-precision '") + text +
                  "': expected f32, bf16, int8 or int4:block=N with N of 16, 32, 64, 128 or 256");
}

TEST(DriverOptionsTest, Weights) {
  CompileOptions options;
  options.output = "out/m.so";
  auto name = [&](const char *weights) {
    options.weights = weights;
    auto result = externalWeightsName(options);
    return result ? *result : llvm::toString(result.takeError());
  };
  EXPECT_EQ(name("embed"), "");
  EXPECT_EQ(name("external"), "m.safetensors");
  EXPECT_EQ(name("w.safetensors"), "w.safetensors");
  EXPECT_EQ(name("out/w.safetensors"), "w.safetensors");
  EXPECT_EQ(name("other/w.safetensors"),
            "--weights 'other/w.safetensors': the file has to be in the folder of the "
            "output, where the artifact will look for it");
  EXPECT_EQ(name("w.bin"), "--weights 'w.bin': expected embed, external or FILE.safetensors");
}

TEST(DriverOptionsTest, Phases) {
  std::string text;
  for (Phase phase : allPhases())
    text += phaseName(phase).str() + " ";
  EXPECT_EQ(text, "import decompose raise simplify fuse schedule codegen link ");
  EXPECT_EQ(
      messageOf(parsePhase("frob")).find("'frob' is no phase: expected one of import, decompose"),
      0u);
}

} // namespace
