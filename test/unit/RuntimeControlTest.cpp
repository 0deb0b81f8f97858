//===- RuntimeControlTest.cpp - sizes from data, control flow, state --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace dynac::test;

namespace {

template <typename T> T *at(const dynac_kernel_args_t *args, int i) {
  return static_cast<T *>(args->buffers[i]);
}

/// buffers: x, count; dims: n. count[1] = how many x are not zero.
int32_t countNonZero(const dynac_kernel_args_t *args, int64_t, int64_t) {
  int64_t found = 0;
  for (int64_t i = 0; i < args->dims[0]; ++i)
    found += at<float>(args, 0)[i] != 0;
  at<int64_t>(args, 1)[1] = found;
  return 0;
}

/// buffers: x, positions; dims: n.
int32_t nonZero(const dynac_kernel_args_t *args, int64_t, int64_t) {
  int64_t *to = at<int64_t>(args, 1);
  for (int64_t i = 0; i < args->dims[0]; ++i)
    if (at<float>(args, 0)[i] != 0)
      *to++ = i;
  return 0;
}

/// buffers: from, to. to = from * 2.
int32_t twice(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<int64_t>(args, 1)[i] = at<int64_t>(args, 0)[i] * 2;
  return 0;
}

/// x[N] -> positions of non-zeros [K] -> doubled -> y[K].
struct NonZeroModel : ArtifactBuilder {
  explicit NonZeroModel(int64_t most = INT64_MAX) {
    const int32_t n = symbol("N", 0), k = symbol("K", 0, most, 1, true);
    const int32_t one = constant(1), two = constant(2);
    const int32_t x = input("x", DYNAC_F32, {n}), count = arena(DYNAC_I64, {two}, 0, 1);
    const int32_t positions = arena(DYNAC_I64, {k}, 2, 3), y = output("y", DYNAC_I64, {k});
    call("count", countNonZero, one, {x, count}, {n});
    step("NonZero_5", DYNAC_STEP_BIND_DIM, 1, {count}, {one});
    call("find", nonZero, one, {x, positions}, {n});
    call("double", twice, k, {positions, y});
  }
};

} // namespace

TEST(RuntimeDynamic, SizesFromData) {
  NonZeroModel b;
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  std::vector<dynac_value_t> out(1);
  Array<float> x({5});
  x.data = {1, 0, 2, 0, 3};
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(elements<int64_t>(out[0]), (std::vector<int64_t>{0, 4, 8}));
  x.data = {0, 0, 0, 0, 0};
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{0}));
  x.data = {0, 1, 1, 1, 1};
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(elements<int64_t>(out[0]), (std::vector<int64_t>{2, 4, 6, 8}));
  dynac_value_t in = x.value();
  ASSERT_EQ(take(dynac_context_infer(m.context, &in, 1, out.data(), 1)), "");
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{-1}));
  EXPECT_EQ(out[0].as.tensor.bytes, -1);
}

TEST(RuntimeDynamic, CallersMemory) {
  NonZeroModel b;
  Loaded m(b.build());
  Array<float> x({5}, 1);
  Array<int64_t> y({4});
  std::vector<dynac_value_t> out = {y.value()};
  out[0].as.tensor.shape = nullptr;
  EXPECT_EQ(takeCoded(m.run({x.value()}, out)),
            "5: step \"double\": output \"y\": got memory of 32 bytes, this run needs 40");
  x.data[2] = 0;
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(y.data, (std::vector<int64_t>{0, 2, 6, 8}));
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{4}));
}

TEST(RuntimeDynamic, Range) {
  NonZeroModel b(2);
  Loaded m(b.build());
  Array<float> x({5}, 1);
  std::vector<dynac_value_t> out(1);
  EXPECT_EQ(takeCoded(m.run({x.value()}, out)), "5: step \"NonZero_5\": got 5, allowed: K in 0..2");
}

TEST(RuntimeDynamic, MemoryStaysFlat) {
  NonZeroModel b;
  Loaded m(b.build());
  std::vector<dynac_value_t> out(1);
  Array<float> x({20000});
  int64_t held = 0;
  for (int run = 0; run < 200; ++run) {
    for (int64_t i = 0; i < 20000; ++i)
      x.data[size_t(i)] = i % (1 + run % 5) == 0;
    ASSERT_EQ(take(m.run({x.value()}, out)), "");
    ASSERT_EQ(shapeOf(out[0])[0], (19999 / (1 + run % 5)) + 1);
    if (run == 50)
      held = dynac_context_total_bytes(m.context);
    else if (run > 50)
      ASSERT_EQ(dynac_context_total_bytes(m.context), held) << run;
  }
}

namespace {

int32_t addOne(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<float>(args, 1)[i] = at<float>(args, 0)[i] + 1;
  return 0;
}

/// buffers: state, flag. flag = state[0] < 10.
int32_t below10(const dynac_kernel_args_t *args, int64_t, int64_t) {
  *at<uint8_t>(args, 1) = at<float>(args, 0)[0] < 10;
  return 0;
}

} // namespace

TEST(RuntimeControl, If) {
  ArtifactBuilder b;
  const int32_t one = b.constant(1), three = b.constant(3);
  const int32_t flag = b.input("flag", DYNAC_BOOL, {}), x = b.input("x", DYNAC_F32, {three});
  const int32_t y = b.output("y", DYNAC_F32, {three});
  const int32_t before = b.arena(DYNAC_F32, {three}, 0, 2); // live over the step with the blocks
  const int32_t inner = b.arena(DYNAC_F32, {three}, 3, 4);  // only within one block
  b.call("before", addOne, three, {x, before});
  b.step("If_1", DYNAC_STEP_IF, 1, {flag}, {}, 2);
  b.call("after", addOne, three, {before, y}, {}, 1);
  b.steps[2] = b.steps[0];
  b.steps[2].name = "after";
  const int32_t copyBack[] = {before, y};
  b.steps[2].buffers = copyBack;
  b.block(); // 1: before += 1, twice
  b.call("then", addOne, three, {before, inner});
  b.call("then", addOne, three, {inner, before});
  b.block(); // 2
  b.call("else", addOne, three, {before, before});
  (void)one;
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  Array<float> in({3}, 0, 1);
  std::vector<dynac_value_t> out(1);
  for (uint8_t value : {1, 0, 1}) {
    Array<uint8_t> condition({}, value);
    dynac_value_t c = condition.value();
    c.as.tensor.dtype = DYNAC_BOOL;
    ASSERT_EQ(take(m.run({c, in.value()}, out)), "");
    const float first = value ? 4 : 3;
    EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{first, first + 1, first + 2}));
  }
  // `before` and `inner` are alive at the same time, though their step ranges do not meet.
  EXPECT_EQ(dynac_context_arena_bytes(m.context), 128);
}

TEST(RuntimeControl, While) {
  ArtifactBuilder b;
  const int32_t one = b.constant(1), three = b.constant(3);
  const int32_t x = b.input("x", DYNAC_F32, {three}), y = b.output("y", DYNAC_F32, {three});
  const int32_t state = b.arena(DYNAC_F32, {three}, 0, 3), flag = b.arena(DYNAC_BOOL, {}, 1, 2);
  const int32_t next = b.arena(DYNAC_F32, {three}, 4, 5);
  b.step("init", DYNAC_STEP_COPY, 0, {x, state});
  b.call("test", below10, one, {state, flag});
  b.step("Loop_2", DYNAC_STEP_WHILE, 1, {flag});
  b.step("done", DYNAC_STEP_COPY, 0, {state, y});
  b.block();
  b.call("body", addOne, three, {state, next});
  b.step("carry", DYNAC_STEP_COPY, 0, {next, state});
  b.call("again", below10, one, {state, flag});
  Loaded m(b.build(), 2);
  ASSERT_EQ(m.error, "");
  std::vector<dynac_value_t> out(1);
  for (float start : {0.f, 9.5f, 20.f}) {
    Array<float> in({3}, start, 1);
    ASSERT_EQ(take(m.run({in.value()}, out)), "");
    float end = start;
    while (end < 10)
      ++end;
    EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{end, end + 1, end + 2}));
  }
}

namespace {

/// buffers: log. No units yet.
int32_t clearLog(const dynac_kernel_args_t *args, int64_t, int64_t) {
  at<int64_t>(args, 0)[0] = 0;
  return 0;
}

/// buffers: weight, log. Adds the units in the order in which they are done.
int32_t logUnits(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  int64_t *log = at<int64_t>(args, 1);
  for (int64_t unit = begin; unit < end; ++unit)
    log[++log[0]] = unit;
  return 0;
}

} // namespace

TEST(RuntimeControl, LargeWeightsAreReadToAndFro) {
  ArtifactBuilder b;
  const int32_t one = b.constant(1), units = b.constant(6), length = b.constant(13);
  const int32_t small = b.weight("w", std::vector<float>(100 << 10, 1.f));
  const int32_t large = b.weight("v", std::vector<float>(150 << 10, 1.f));
  const int32_t y = b.output("y", DYNAC_I64, {length}), z = b.output("z", DYNAC_I64, {length});
  b.call("clear", clearLog, one, {y});
  b.call("clear", clearLog, one, {z});
  for (int32_t trip = 0; trip < 2; ++trip) {
    b.call("small", logUnits, units, {small, y});
    b.call("large", logUnits, units, {large, z});
  }
  Loaded m(b.build(), 1);
  ASSERT_EQ(m.error, "");
  std::vector<dynac_value_t> out(2);
  ASSERT_EQ(take(m.run({}, out)), "");
  EXPECT_EQ(elements<int64_t>(out[0]),
            (std::vector<int64_t>{12, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(elements<int64_t>(out[1]),
            (std::vector<int64_t>{12, 0, 1, 2, 3, 4, 5, 4, 5, 2, 3, 0, 1}));
}

namespace {

/// buffers: list; dims: length. Writes the last element of a list that grows in a loop.
int32_t append(const dynac_kernel_args_t *args, int64_t, int64_t) {
  at<int64_t>(args, 0)[args->dims[0] - 1] = args->dims[0] * 10;
  return 0;
}

/// buffers: counter, flag. ++counter; flag = counter < 20.
int32_t countUp(const dynac_kernel_args_t *args, int64_t, int64_t) {
  *at<uint8_t>(args, 1) = ++*at<int64_t>(args, 0) <= 20;
  return 0;
}

} // namespace

TEST(RuntimeControl, BufferThatGrowsInALoop) {
  ArtifactBuilder b;
  const int32_t one = b.constant(1), zero = b.constant(0), k = b.symbol("K", 0, 1000, 1, true);
  const int32_t start = b.input("start", DYNAC_I64, {}), y = b.output("y", DYNAC_I64, {k});
  const int32_t counter = b.arena(DYNAC_I64, {}, 0, 2), flag = b.arena(DYNAC_BOOL, {}, 1, 2);
  const int32_t list = b.arena(DYNAC_I64, {k}, 2, 3);
  b.step("init", DYNAC_STEP_COPY, 0, {start, counter});
  b.call("first", countUp, one, {counter, flag});
  b.step("Loop", DYNAC_STEP_WHILE, 1, {flag});
  b.step("out", DYNAC_STEP_COPY, 0, {list, y});
  b.block();
  b.step("bind", DYNAC_STEP_BIND_DIM, 0, {counter}, {zero});
  b.call("append", append, one, {list}, {k});
  b.call("next", countUp, one, {counter, flag});
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  std::vector<dynac_value_t> out(1);
  Array<int64_t> in({}, 0);
  ASSERT_EQ(take(m.run({in.value()}, out)), "");
  std::vector<int64_t> expected;
  for (int64_t i = 1; i <= 20; ++i)
    expected.push_back(i * 10);
  EXPECT_EQ(elements<int64_t>(out[0]), expected);
  in.data[0] = 100; // the loop does not run: K stays unknown
  EXPECT_EQ(takeCoded(m.run({in.value()}, out)),
            "5: step \"out\": the size 8*1*K of buffer 4 cannot be computed or is too large");
}

TEST(RuntimeControl, CheckAndHostSteps) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("N", 0), three = b.constant(3);
  const int32_t x = b.input("x", DYNAC_F32, {n}), y = b.output("y", DYNAC_F32, {n});
  b.message("N is a multiple of 3, which Reshape cannot split");
  b.step("Reshape_1", DYNAC_STEP_CHECK, 0, {}, {b.expr(DYNAC_EXPR_MOD, n, three)});
  b.step("copy", DYNAC_STEP_HOST, b.hostKernel("copy@1"), {x, y});
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  std::vector<dynac_value_t> out(1);
  Array<float> four({4}, 0, 1), six({6});
  ASSERT_EQ(take(m.run({four.value()}, out)), "");
  EXPECT_EQ(elements<float>(out[0]), four.data);
  EXPECT_EQ(takeCoded(m.run({six.value()}, out)),
            "5: step \"Reshape_1\": N is a multiple of 3, which Reshape cannot split");
}

namespace {

/// buffers: cache, token; dims: position's capacity. cache[token[0]] = token[1].
int32_t writeOne(const dynac_kernel_args_t *args, int64_t, int64_t) {
  const float *token = at<float>(args, 1);
  at<float>(args, 0)[int64_t(token[0])] = token[1];
  return 0;
}

/// past[C], token[2] -> present[C], which updates past; the kernel writes one element only.
ArtifactBuilder cacheModel(bool throughInput) {
  ArtifactBuilder b;
  const int32_t c = b.symbol("C"), one = b.constant(1), two = b.constant(2);
  const int32_t past = b.input("past", DYNAC_F32, {c}), token = b.input("token", DYNAC_F32, {two});
  int32_t present = past;
  if (throughInput)
    b.outputOf("present", past, {c}, 0);
  else
    present = b.output("present", DYNAC_F32, {c}, 0);
  b.call("update", writeOne, one, {present, token});
  return b;
}

} // namespace

class RuntimeAlias : public testing::TestWithParam<bool> {};

TEST_P(RuntimeAlias, InPlaceAndApart) {
  ArtifactBuilder b = cacheModel(GetParam());
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  Array<float> cache({4}, 1, 1), token({2}, 2, 7), other({4});
  std::vector<dynac_value_t> out = {cache.value()};
  ASSERT_EQ(take(m.run({cache.value(), token.value()}, out)), "");
  EXPECT_EQ(cache.data, (std::vector<float>{1, 2, 9, 4}));

  token.data = {0, 5};
  out = {other.value()};
  ASSERT_EQ(take(m.run({cache.value(), token.value()}, out)), "");
  EXPECT_EQ(cache.data, (std::vector<float>{1, 2, 9, 4})) << "the input must stay";
  EXPECT_EQ(other.data, (std::vector<float>{5, 2, 9, 4}));

  out = {dynac_value_t{}};
  ASSERT_EQ(take(m.run({cache.value(), token.value()}, out)), "");
  EXPECT_EQ(elements<float>(out[0]), other.data);
  dynac_value_desc_t desc;
  ASSERT_EQ(take(dynac_model_output(m.model, 0, &desc)), "");
  EXPECT_EQ(desc.alias_input, 0);
}

INSTANTIATE_TEST_SUITE_P(Buffers, RuntimeAlias, testing::Bool());

TEST(RuntimeAliases, OutputsThatSwapTheirInputs) {
  ArtifactBuilder b;
  const int32_t two = b.constant(2);
  b.input("p", DYNAC_F32, {two});
  b.input("q", DYNAC_F32, {two});
  b.output("a", DYNAC_F32, {two}, 0);
  b.output("b", DYNAC_F32, {two}, 1);
  Loaded m(b.build());
  Array<float> p({2}, 1, 1), q({2}, 3, 1);
  std::vector<dynac_value_t> out = {q.value(), p.value()};
  ASSERT_EQ(take(m.run({p.value(), q.value()}, out)), "");
  EXPECT_EQ(q.data, (std::vector<float>{1, 2}));
  EXPECT_EQ(p.data, (std::vector<float>{3, 4}));
  out = {q.value(), q.value()};
  EXPECT_EQ(takeCoded(m.run({p.value(), q.value()}, out)),
            "2: outputs \"a\" and \"b\" share memory");
}

TEST(RuntimeAliases, OutputsThatGrow) {
  ArtifactBuilder b = growingModel();
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  Array<float> token({2}, 7, 1), kept({2, 4}, 0);
  kept.data = {1, 2, -1, -1, 3, 4, -1, -1};
  const int64_t before[] = {2, 2}, after[] = {2, 3}, strides[] = {16, 4};
  auto part = [&](const int64_t *shape) {
    dynac_value_t value = kept.value();
    value.as.tensor.shape = shape;
    value.as.tensor.strides = strides;
    return value;
  };
  std::vector<dynac_value_t> out = {part(after)};
  ASSERT_EQ(take(m.run({part(before), token.value()}, out)), "");
  EXPECT_EQ(kept.data, (std::vector<float>{1, 2, 7, -1, 3, 4, 8, -1}));
  EXPECT_EQ(out[0].as.tensor.data, kept.data.data());

  // Without strides both are copied, and the input stays.
  Array<float> past({2, 2}, 1, 1), present({2, 3}, 0);
  out = {present.value()};
  ASSERT_EQ(take(m.run({past.value(), token.value()}, out)), "");
  EXPECT_EQ(present.data, (std::vector<float>{1, 2, 7, 3, 4, 8}));
  EXPECT_EQ(past.data, (std::vector<float>{1, 2, 3, 4}));

  // The context's own, from nothing on. Its shape and strides are the next run's input.
  Array<float> nothing({2, 0}, 0);
  out = {dynac_value_t{}};
  ASSERT_EQ(take(m.run({nothing.value(), token.value()}, out)), "");
  const void *memory = out[0].as.tensor.data;
  for (int run = 0; run < 3; ++run) {
    const dynac_value_t last = out[0];
    ASSERT_EQ(take(m.run({last, token.value()}, out)), "");
  }
  EXPECT_EQ(out[0].as.tensor.data, memory);
  EXPECT_EQ(out[0].as.tensor.bytes, 32);
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{7, 7, 7, 7, 8, 8, 8, 8}));
  const dynac_value_t full = out[0];
  EXPECT_EQ(takeCoded(m.run({full, token.value()}, out)),
            "5: input \"past\" axis 1: got 4, output \"present\" would have 5 there and was "
            "compiled with a capacity of 4");

  dynac_value_t inferred = {};
  const dynac_value_t in[] = {past.value(), token.value()};
  ASSERT_EQ(take(dynac_context_infer(m.context, in, 2, &inferred, 1)), "");
  EXPECT_EQ(inferred.as.tensor.bytes, 32);
  EXPECT_EQ(inferred.as.tensor.strides[0], 16);
  int32_t axis = -1;
  int64_t capacity = 0;
  ASSERT_EQ(take(dynac_model_output_capacity(m.model, 0, &axis, &capacity)), "");
  EXPECT_EQ(axis, 1);
  EXPECT_EQ(capacity, 4);
  EXPECT_EQ(takeCoded(dynac_model_output_capacity(m.model, 1, &axis, &capacity)),
            "2: output 1 of 1");
}

TEST(RuntimeAliases, OutputsFedBack) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("N"), grown = b.mul(n, b.constant(2));
  const int32_t x = b.input("x", DYNAC_F32, {n}), y = b.output("y", DYNAC_F32, {grown});
  b.call("repeat",
         [](const dynac_kernel_args_t *args, int64_t, int64_t) -> int32_t {
           for (int64_t i = 0; i < args->dims[0]; ++i)
             at<float>(args, 1)[i] = at<float>(args, 1)[i + args->dims[0]] =
                 at<float>(args, 0)[i] + 1;
           return 0;
         },
         b.constant(1), {x, y}, {n});
  Loaded m(b.build());
  Array<float> start({1}, 0);
  std::vector<dynac_value_t> in = {start.value()}, out(1);
  for (int round = 0; round < 12; ++round) { // the context's memory grows under its own input
    ASSERT_EQ(take(m.run(in, out)), "");
    in = out;
  }
  EXPECT_EQ(elements<float>(out[0]), std::vector<float>(4096, 12));

  ArtifactBuilder cache = cacheModel(false);
  Loaded c(cache.build());
  Array<float> past({4}, 1, 1), token({2}, 2, 7);
  in = {past.value(), token.value()};
  out = {dynac_value_t{}};
  ASSERT_EQ(take(c.run(in, out)), "");
  void *memory = out[0].as.tensor.data;
  in[0] = out[0];
  token.data = {3, 8};
  ASSERT_EQ(take(c.run(in, out)), "");
  EXPECT_EQ(out[0].as.tensor.data, memory);
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{1, 2, 9, 8}));
  // In the arena, scratch and one output: no copy of the cache.
  EXPECT_LE(dynac_context_total_bytes(c.context), 3 * 64);
}
