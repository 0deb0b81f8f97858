//===- RuntimeEntryTest.cpp - refused inputs and outputs, exact messages ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

using namespace dynac::test;

namespace {

int32_t fillOnes(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args->buffers[0])[i] = 1;
  return 0;
}

/// a[N, 4], b[N, N*2], c[S] with S in 2..8 even, N in 1..16; y[N].
class RuntimeEntry : public testing::Test {
protected:
  RuntimeEntry() {
    const int32_t n = b.symbol("N", 1, 16), s = b.symbol("S", 2, 8, 2);
    const int32_t twice = b.mul(n, b.constant(2));
    b.input("a", DYNAC_F32, {n, b.constant(4)});
    b.input("b", DYNAC_F32, {n, twice});
    b.input("c", DYNAC_I64, {s});
    b.call("fill", fillOnes, n, {b.output("y", DYNAC_F32, {n})});
  }

  /// Runs with these shapes into memory that must stay as it was.
  std::string refused(std::vector<int64_t> as, std::vector<int64_t> bs, std::vector<int64_t> cs) {
    Array<float> a(as), second(bs), y({64}, 7);
    Array<int64_t> c(cs);
    return refused({a.value(), second.value(), c.value()});
  }
  std::string refused(const std::vector<dynac_value_t> &in) {
    Loaded m(b.build());
    EXPECT_EQ(m.error, "");
    Array<float> y({64}, 7);
    std::vector<dynac_value_t> out = {y.value()};
    out[0].as.tensor.shape = nullptr;
    const std::string message = takeCoded(m.run(in, out));
    if (message != "0: ")
      EXPECT_EQ(y.data, std::vector<float>(64, 7)) << "a refused run wrote its output";
    return message;
  }

  ArtifactBuilder b;
};

} // namespace

TEST_F(RuntimeEntry, Fits) { EXPECT_EQ(refused({3, 4}, {3, 6}, {8}), "0: "); }

TEST_F(RuntimeEntry, Constant) {
  EXPECT_EQ(refused({3, 5}, {3, 6}, {8}), "5: input \"a\" axis 1: got 5, expected 4");
}

TEST_F(RuntimeEntry, SecondUseOfASymbol) {
  EXPECT_EQ(refused({3, 4}, {4, 6}, {8}),
            "5: input \"b\" axis 0: got 4, expected N = 3 (from input \"a\" axis 0)");
}

TEST_F(RuntimeEntry, Expression) {
  EXPECT_EQ(refused({3, 4}, {3, 5}, {8}),
            "5: input \"b\" axis 1: got 5, expected N*2 = 6 (N = 3 from input \"a\" axis 0)");
}

TEST_F(RuntimeEntry, RangeAndMultiple) {
  EXPECT_EQ(refused({17, 4}, {17, 34}, {8}), "5: input \"a\" axis 0: got 17, allowed: N in 1..16");
  EXPECT_EQ(refused({3, 4}, {3, 6}, {5}),
            "5: input \"c\" axis 0: got 5, allowed: S a multiple of 2");
  b.symbols[0].max = INT64_MAX;
  EXPECT_EQ(refused({0, 4}, {0, 0}, {8}), "5: input \"a\" axis 0: got 0, allowed: N >= 1");
  b.symbols[0].min = b.symbols[0].max = 2;
  EXPECT_EQ(refused({3, 4}, {3, 6}, {8}), "5: input \"a\" axis 0: got 3, allowed: N = 2");
}

TEST_F(RuntimeEntry, RankAndDtypeAndCount) {
  EXPECT_EQ(refused({3, 4, 1}, {3, 6}, {8}),
            "5: input \"a\": got rank 3 [3, 4, 1], expected rank 2 [N, 4]");
  Array<float> a({3, 4}), c({8});
  Array<double> d({3, 6});
  EXPECT_EQ(refused({a.value(), d.value(), c.value()}), "5: input \"b\": got f64, expected f32");
  EXPECT_EQ(refused({a.value()}), "5: got 1 input, expected 3 (a, b, c)");
  Loaded m(b.build());
  std::vector<dynac_value_t> none;
  EXPECT_EQ(takeCoded(m.run({a.value(), a.value(), a.value()}, none)),
            "5: got room for 0 outputs, expected 1 (y)");
}

TEST_F(RuntimeEntry, OtherValues) {
  Array<float> a({3, 4}), second({3, 6});
  Array<int64_t> c({8});
  dynac_value_t value = c.value();
  for (const auto &[kind, text] : {std::pair<int, const char *>{DYNAC_VALUE_NONE, "no value"},
                                   {DYNAC_VALUE_STRINGS, "a string tensor"},
                                   {DYNAC_VALUE_SEQUENCE, "a sequence"},
                                   {DYNAC_VALUE_OPTIONAL, "an optional value"},
                                   {DYNAC_VALUE_MAP, "a map"}}) {
    value.kind = kind;
    EXPECT_EQ(refused({a.value(), second.value(), value}),
              std::string("5: input \"c\": got ") + text + ", expected a tensor of i64");
  }
  value = c.value();
  value.as.tensor.device = DYNAC_DEVICE_CUDA;
  EXPECT_EQ(refused({a.value(), second.value(), value}),
            "6: input \"c\": is on device 2, the model runs on the CPU");
  value = c.value();
  value.as.tensor.bytes = 63;
  EXPECT_EQ(refused({a.value(), second.value(), value}),
            "5: input \"c\": its memory has 63 bytes, shape [8] needs 64");
  value.as.tensor.data = nullptr;
  EXPECT_EQ(refused({a.value(), second.value(), value}), "2: input \"c\": data is NULL");
  value = c.value();
  const int64_t negative[] = {-1}, huge[] = {INT64_MAX};
  value.as.tensor.shape = negative;
  EXPECT_EQ(refused({a.value(), second.value(), value}),
            "5: input \"c\" axis 0: got -1, expected S");
  value.as.tensor.shape = huge;
  EXPECT_EQ(refused({a.value(), second.value(), value}),
            "5: input \"c\": shape [9223372036854775807] is too large");
}

TEST_F(RuntimeEntry, Outputs) {
  Loaded m(b.build());
  Array<float> a({3, 4}), second({3, 6}), y({2});
  Array<double> wrong({3});
  Array<int64_t> c({8});
  const std::vector<dynac_value_t> in = {a.value(), second.value(), c.value()};
  std::vector<dynac_value_t> out = {y.value()};
  EXPECT_EQ(takeCoded(m.run(in, out)), "5: output \"y\": got memory of shape [2], expected [3]");
  out[0].as.tensor.shape = nullptr;
  EXPECT_EQ(takeCoded(m.run(in, out)),
            "5: output \"y\": got memory of 8 bytes, shape [3] needs 12");
  out[0] = wrong.value();
  EXPECT_EQ(takeCoded(m.run(in, out)), "5: output \"y\": got memory for f64, expected f32");
}

/// A tensor without elements may have any other extents, and any strides.
TEST(RuntimeEntryStrides, OfNoElements) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("N", 0), m = b.symbol("M", 0), k = b.symbol("K", 0);
  b.input("x", DYNAC_F32, {n, m, k});
  b.call("fill", fillOnes, b.constant(2), {b.output("y", DYNAC_F32, {b.constant(2)})});
  Loaded model(b.build());
  ASSERT_EQ(model.error, "");
  const int64_t large = int64_t(1) << 40, strides[] = {INT64_MIN, INT64_MAX, -1};
  for (std::vector<int64_t> shape : {std::vector<int64_t>{large, large, 0}, {0, large, large}}) {
    Array<float> x({0});
    dynac_value_t in = x.value();
    in.as.tensor.rank = 3;
    in.as.tensor.shape = shape.data();
    in.as.tensor.strides = strides;
    std::vector<dynac_value_t> out(1);
    EXPECT_EQ(takeCoded(model.run({in}, out)), "0: ");
    EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{1, 1}));
  }
}

TEST(RuntimeEntrySolve, SymbolOnlyInsideAnExpression) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("N", 1, 16), two = b.constant(2);
  const int32_t dim = b.expr(DYNAC_EXPR_SUB, b.mul(n, two), b.constant(1));
  b.input("x", DYNAC_F32, {dim});
  b.call("fill", fillOnes, n, {b.output("y", DYNAC_F32, {n})});
  Loaded m(b.build());
  Array<float> x({9}), even({8});
  std::vector<dynac_value_t> out(1);
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{5}));
  EXPECT_EQ(takeCoded(m.run({even.value()}, out)),
            "5: input \"x\" axis 0: got 8, which does not fit N*2-1");
}

TEST(RuntimeEntryContext, OneThreadAtATime) {
  static dynac_context_t *inner;
  static std::string message;
  ArtifactBuilder b;
  const int32_t one = b.constant(1);
  b.call("reenter",
         [](const dynac_kernel_args_t *, int64_t, int64_t) -> int32_t {
           dynac_value_t out = {};
           message = takeCoded(dynac_context_run(inner, nullptr, 0, &out, 1));
           return 0;
         },
         one, {b.output("y", DYNAC_F32, {one})});
  Loaded m(b.build());
  inner = m.context;
  std::vector<dynac_value_t> out(1);
  EXPECT_EQ(take(m.run({}, out)), "");
  EXPECT_EQ(message, "2: the context is in use by another thread; create one per thread");
}
