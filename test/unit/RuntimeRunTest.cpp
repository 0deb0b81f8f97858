//===- RuntimeRunTest.cpp - running models through the C API ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace dynac::test;

namespace {

/// buffers: x, y. y = x + 1.
int32_t addOne(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  const auto *x = static_cast<const float *>(args->buffers[0]);
  auto *y = static_cast<float *>(args->buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] + 1;
  return 0;
}

/// buffers: x, w, y; dims: columns. y[r, c] = x[r, c] * w[c], a row per unit.
int32_t scaleRows(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  const auto *x = static_cast<const float *>(args->buffers[0]);
  const auto *w = static_cast<const float *>(args->buffers[1]);
  auto *y = static_cast<float *>(args->buffers[2]);
  const int64_t columns = args->dims[0];
  auto *scratch = static_cast<float *>(args->scratch);
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t c = 0; c < columns; ++c) // through scratch, to see that threads do not share it
      scratch[c] = x[row * columns + c] * w[c];
    std::memcpy(y + row * columns, scratch, size_t(columns) * sizeof(float));
  }
  return 0;
}

int32_t failAtSeven(const dynac_kernel_args_t *, int64_t begin, int64_t end) {
  return begin <= 7 && 7 < end ? 1 : 0;
}

int32_t unknownResult(const dynac_kernel_args_t *, int64_t, int64_t) { return 99; }

/// x[N, 3] -> t = x * w -> u = t + 1 -> y = u + 1.
ArtifactBuilder dynamicModel(int64_t grain = 1) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("batch", 0, 4096), three = b.constant(3), total = b.count({n, three});
  const int32_t x = b.input("x", DYNAC_F32, {n, three}), w = b.weight("w", {1, 10, 100});
  const int32_t y = b.output("y", DYNAC_F32, {n, three});
  const int32_t t = b.arena(DYNAC_F32, {n, three}, 0, 1), u = b.arena(DYNAC_F32, {n, three}, 1, 2);
  b.call("scale", scaleRows, n, {x, w, t}, {three}, grain, 64);
  b.call("first", addOne, total, {t, u}, {}, grain);
  b.call("second", addOne, total, {u, y}, {}, grain);
  return b;
}

std::vector<float> dynamicResult(const std::vector<float> &x) {
  std::vector<float> y;
  const float w[] = {1, 10, 100};
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(x[i] * w[i % 3] + 2);
  return y;
}

} // namespace

TEST(RuntimeRun, StaticShapes) {
  ArtifactBuilder b;
  const int32_t four = b.constant(4);
  b.call("add", addOne, four, {b.input("x", DYNAC_F32, {four}), b.output("y", DYNAC_F32, {four})});
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  Array<float> x({4}, 1, 1);
  std::vector<dynac_value_t> out(1);
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{4}));
  EXPECT_EQ(out[0].as.tensor.dtype, DYNAC_F32);
  EXPECT_EQ(out[0].as.tensor.bytes, 16);
}

TEST(RuntimeRun, CallersOutput) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  Array<float> x({2, 3}, 0, 1), y({2, 3});
  std::vector<dynac_value_t> out = {y.value()};
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(out[0].as.tensor.data, y.data.data());
  EXPECT_EQ(y.data, dynamicResult(x.data));
  out[0].as.tensor.shape = nullptr; // the context tells the shape then
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{2, 3}));
}

TEST(RuntimeRun, DynamicShapesAndPlanCache) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  for (int round = 0; round < 3; ++round)
    for (int64_t n : {1, 5, 2, 0, 33, 7, 100, 8, 9, 10, 11, 1}) {
      Array<float> x({n, 3}, float(round), 0.5f);
      std::vector<dynac_value_t> out(1);
      ASSERT_EQ(take(m.run({x.value()}, out)), "");
      EXPECT_EQ(elements<float>(out[0]), dynamicResult(x.data)) << n;
      EXPECT_EQ(shapeOf(out[0]), (std::vector<int64_t>{n, 3}));
      EXPECT_GE(dynac_context_arena_bytes(m.context), (n * 12 + 63) / 64 * 64 * 2);
    }
}

TEST(RuntimeRun, LayoutsServeSmallerShapesAndGrow) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  std::vector<int64_t> sizes;
  for (int64_t n = 100; n < 400; ++n) {
    Array<float> x({n, 3}, 0, 1);
    std::vector<dynac_value_t> out(1);
    ASSERT_EQ(take(m.run({x.value()}, out)), "");
    ASSERT_EQ(elements<float>(out[0]), dynamicResult(x.data));
    if (sizes.empty() || sizes.back() != dynac_context_arena_bytes(m.context))
      sizes.push_back(dynac_context_arena_bytes(m.context));
  }
  EXPECT_EQ(sizes[0], 2 * 1216); // as much as the first shape needs
  EXPECT_LE(sizes.size(), 14u);
  EXPECT_LE(sizes.back(), 2 * 4800 * 9 / 8 + 128);
}

TEST(RuntimeRun, MemoryStaysFlat) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  int64_t held = 0;
  for (int round = 0; round < 50; ++round)
    for (int64_t n : {100, 1, 4000}) {
      Array<float> x({n, 3});
      std::vector<dynac_value_t> out(1);
      ASSERT_EQ(take(m.run({x.value()}, out)), "");
      if (round == 1)
        held = dynac_context_total_bytes(m.context);
      else if (round > 1)
        ASSERT_EQ(dynac_context_total_bytes(m.context), held);
    }
}

TEST(RuntimeRun, ArenaIsReused) {
  ArtifactBuilder b;
  const int32_t n = b.constant(1000);
  int32_t last = b.input("x", DYNAC_F32, {n});
  for (int i = 0; i < 9; ++i) {
    const int32_t next = b.arena(DYNAC_F32, {n}, i, i + 1);
    b.call("add", addOne, n, {last, next});
    last = next;
  }
  b.call("last", addOne, n, {last, b.output("y", DYNAC_F32, {n})});
  Loaded m(b.build());
  Array<float> x({1000}, 0, 1);
  std::vector<dynac_value_t> out(1);
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(elements<float>(out[0])[999], 1009);
  EXPECT_EQ(dynac_context_arena_bytes(m.context), 2 * 4032);
}

TEST(RuntimeRun, ReshapeAndPassedThroughValues) {
  ArtifactBuilder b;
  const int32_t two = b.constant(2), three = b.constant(3), six = b.constant(6);
  const int32_t x = b.input("x", DYNAC_F32, {two, three}), w = b.weight("w", {5, 6});
  const int32_t t = b.arena(DYNAC_F32, {six}, 0, 0), y = b.output("y", DYNAC_F32, {six});
  b.call("add", addOne, six, {b.alias(x, {six}), t});
  b.step("copy", DYNAC_STEP_COPY, 0, {t, y});
  b.buffers[t].last_step = 1;
  b.outputOf("same", x, {two, three});
  b.outputOf("flat", b.alias(x, {six}), {six});
  b.outputOf("weight", w, {two});
  b.outputOf("inner", t, {six});
  b.outputOf("again", y, {six});
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  Array<float> in({2, 3}, 0, 1), own({6});
  std::vector<dynac_value_t> out(6);
  out[2] = own.value();
  ASSERT_EQ(take(m.run({in.value()}, out)), "");
  const std::vector<float> plus = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(elements<float>(out[0]), plus);
  EXPECT_EQ(elements<float>(out[1]), in.data);
  EXPECT_NE(out[1].as.tensor.data, in.data.data());
  EXPECT_EQ(own.data, in.data);
  EXPECT_EQ(elements<float>(out[3]), (std::vector<float>{5, 6}));
  EXPECT_EQ(elements<float>(out[4]), plus);
  EXPECT_EQ(elements<float>(out[5]), plus);
}

TEST(RuntimeRun, StridedAndMisalignedViews) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  Array<float> wide({2, 8}, 0, 1), y({3, 2});
  dynac_value_t x = wide.value();
  const int64_t shape[] = {2, 3}, strides[] = {32, 8}, negative[] = {32, -4}, columns[] = {4, 8};
  x.as.tensor.shape = shape;
  x.as.tensor.strides = strides;
  std::vector<dynac_value_t> out(1);
  ASSERT_EQ(take(m.run({x}, out)), "");
  EXPECT_EQ(elements<float>(out[0]), dynamicResult({0, 2, 4, 8, 10, 12}));

  x.as.tensor.strides = negative;
  x.as.tensor.data = wide.data.data() + 2;
  out[0] = y.value();
  out[0].as.tensor.shape = shape; // column-major memory
  out[0].as.tensor.strides = columns;
  ASSERT_EQ(take(m.run({x}, out)), "");
  const std::vector<float> e = dynamicResult({2, 1, 0, 10, 9, 8});
  EXPECT_EQ(y.data, (std::vector<float>{e[0], e[3], e[1], e[4], e[2], e[5]}));

  std::vector<char> raw(25);
  std::memcpy(raw.data() + 1, wide.data.data(), 24);
  x = wide.value();
  x.as.tensor = {raw.data() + 1, DYNAC_F32, 2, shape, nullptr, 0, DYNAC_DEVICE_CPU, 0};
  out[0] = {};
  ASSERT_EQ(take(m.run({x}, out)), "");
  EXPECT_EQ(elements<float>(out[0]), dynamicResult({0, 1, 2, 3, 4, 5}));
}

TEST(RuntimeRun, OutputOverInput) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  Array<float> x({4, 3}, 0, 1);
  const std::vector<float> expected = dynamicResult(x.data);
  std::vector<dynac_value_t> out = {x.value()};
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(x.data, expected);
}

TEST(RuntimeRun, KernelFailures) {
  ArtifactBuilder b;
  const int32_t ten = b.constant(10);
  const int32_t y = b.output("y", DYNAC_F32, {ten});
  b.call("Gather_3", failAtSeven, ten, {y});
  b.message("index out of range");
  for (int threads : {1, 4}) {
    Loaded m(b.build(), threads);
    std::vector<dynac_value_t> out(1);
    EXPECT_EQ(takeCoded(m.run({}, out)), "5: step \"Gather_3\": index out of range");
  }
  b.bodies[0] = {unknownResult};
  Loaded m(b.build());
  std::vector<dynac_value_t> out(1);
  EXPECT_EQ(takeCoded(m.run({}, out)),
            "8: step \"Gather_3\": kernel Gather_3 returned the unknown result 99");
}

TEST(RuntimeRun, ThreadsGiveTheSameResult) {
  ArtifactBuilder b = dynamicModel(4);
  const dynac_artifact_t *artifact = b.build();
  for (int threads : {1, 2, 7}) {
    Loaded m(artifact, threads);
    EXPECT_EQ(dynac_model_threads(m.model), threads);
    for (int64_t n : {1, 3, 4, 100}) {
      Array<float> x({n, 3}, 1, 0.25f);
      std::vector<dynac_value_t> out(1);
      ASSERT_EQ(take(m.run({x.value()}, out)), "");
      ASSERT_EQ(elements<float>(out[0]), dynamicResult(x.data));
    }
  }
}

TEST(RuntimeRun, EightThreadsOneModel) {
  ArtifactBuilder b = dynamicModel(4);
  for (int poolThreads : {1, 3}) {
    Loaded m(b.build(), poolThreads);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        dynac_context_t *context = nullptr;
        if (dynac_context_create(m.model, &context))
          return void(++wrong);
        for (int round = 0; round < 40; ++round) {
          Array<float> x({1 + (round * 7 + t) % 50, 3}, float(t), 0.5f);
          dynac_value_t in = x.value(), out = {};
          if (take(dynac_context_run(context, &in, 1, &out, 1)) != "" ||
              elements<float>(out) != dynamicResult(x.data))
            ++wrong;
        }
        dynac_context_free(context);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

namespace {
struct Host {
  int loops = 0, allocations = 0, frees = 0;
  std::string log;

  static void parallelFor(void *user, int64_t count, void (*body)(void *, int64_t), void *arg) {
    ++static_cast<Host *>(user)->loops;
    for (int64_t i = count; i-- > 0;)
      body(arg, i);
  }
  static void *allocate(void *user, size_t bytes, size_t alignment) {
    ++static_cast<Host *>(user)->allocations;
    return std::aligned_alloc(alignment, bytes);
  }
  static void deallocate(void *user, void *memory, size_t) {
    ++static_cast<Host *>(user)->frees;
    std::free(memory);
  }
  static void logLine(void *user, int32_t, const char *message) {
    static_cast<Host *>(user)->log += message;
  }
};
} // namespace

TEST(RuntimeRun, HostCallbacks) {
  ArtifactBuilder b = dynamicModel();
  Host host;
  const dynac_callbacks_t callbacks = {
      sizeof(callbacks), 0, &host, Host::parallelFor, Host::allocate, Host::deallocate,
      Host::logLine};
  {
    Loaded m(b.build(), 3, &callbacks);
    Array<float> x({20, 3}, 1, 1);
    std::vector<dynac_value_t> out(1);
    ASSERT_EQ(take(m.run({x.value()}, out)), "");
    EXPECT_EQ(elements<float>(out[0]), dynamicResult(x.data));
    EXPECT_EQ(host.loops, 3);
    EXPECT_GT(host.allocations, 2);
  }
  EXPECT_EQ(host.allocations, host.frees);
  EXPECT_EQ(host.log, "linked model \"test\": target x86-64-v2, 3 threads");
}

TEST(RuntimeRun, OutOfMemoryIsAStatus) {
  ArtifactBuilder b = dynamicModel();
  dynac_callbacks_t callbacks = {};
  callbacks.struct_size = sizeof(callbacks);
  callbacks.allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  Loaded m(b.build(), 1, &callbacks);
  Array<float> x({20, 3}, 1, 1);
  std::vector<dynac_value_t> out(1);
  EXPECT_EQ(takeCoded(m.run({x.value()}, out)), "7: out of memory: cannot allocate 512 bytes");
}

TEST(RuntimeRun, StepCallback) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build(), 2);
  std::string seen;
  dynac_context_set_step_callback(
      m.context,
      [](void *user, const dynac_step_event_t *event) {
        EXPECT_LE(event->begin_ns, event->end_ns);
        *static_cast<std::string *>(user) +=
            std::to_string(event->step) + ":" + std::to_string(event->extent) + "/" +
            std::to_string(event->pieces) + "/" + std::to_string(event->buffer_bytes[0]) + " ";
      },
      &seen);
  Array<float> x({20, 3}, 1, 1);
  std::vector<dynac_value_t> out(1);
  ASSERT_EQ(take(m.run({x.value()}, out)), "");
  EXPECT_EQ(seen, "0:20/2/240 1:60/2/240 2:60/2/240 ");
}

TEST(RuntimeRun, StepWork) {
  ArtifactBuilder b = dynamicModel();
  const int32_t six = b.constant(6), batch = b.symbols[0].slot, product = b.mul(six, batch);
  b.work = {{product, batch, six, DYNAC_F32, 2, 1},
            {-1, -1, -1, DYNAC_DTYPE_INVALID, 1, 1},
            {six, six, six, DYNAC_F32, 1, 1}};
  std::string seen;
  auto run = [&] {
    Loaded m(b.build(), 1);
    ASSERT_EQ(m.error, "");
    dynac_context_set_step_callback(
        m.context,
        [](void *user, const dynac_step_event_t *event) {
          *static_cast<std::string *>(user) += std::to_string(event->flops) + "/" +
                                               std::to_string(event->bytes) + "/" +
                                               std::to_string(event->weight_bytes) + " ";
          if (event->step == 2) { // its operand and its result, which are 1 apart
            EXPECT_EQ(static_cast<const float *>(event->buffers[0])[5] + 1,
                      static_cast<const float *>(event->buffers[1])[5]);
          }
        },
        &seen);
    Array<float> x({20, 3}, 1, 1);
    std::vector<dynac_value_t> out(1);
    ASSERT_EQ(take(m.run({x.value()}, out)), "");
  };
  run();
  EXPECT_EQ(seen, "120/20/6 -1/-1/-1 6/6/6 ");
  // The first ABI has no such table, whatever lies behind its header.
  seen.clear();
  b.artifact.abi = b.artifact.min_runtime_abi = 1;
  b.artifact.struct_size = offsetof(dynac_artifact_t, work);
  run();
  EXPECT_EQ(seen, "-1/-1/-1 -1/-1/-1 -1/-1/-1 ");
}

TEST(RuntimeRun, Infer) {
  ArtifactBuilder b = dynamicModel();
  Loaded m(b.build());
  Array<float> x({20, 3});
  dynac_value_t in = x.value(), out = {};
  ASSERT_EQ(take(dynac_context_infer(m.context, &in, 1, &out, 1)), "");
  EXPECT_EQ(shapeOf(out), (std::vector<int64_t>{20, 3}));
  EXPECT_EQ(out.as.tensor.bytes, 240);
  EXPECT_EQ(out.as.tensor.data, nullptr);
}

TEST(RuntimeRun, Signature) {
  ArtifactBuilder b;
  const int32_t n = b.symbol("batch", 1, 64, 2), s = b.symbol("seq");
  const int32_t two = b.constant(2), one = b.constant(1);
  const int32_t twice = b.mul(s, two), sum = b.expr(DYNAC_EXPR_ADD, s, n);
  const int32_t half = b.expr(DYNAC_EXPR_FLOORDIV, sum, two), less = b.expr(DYNAC_EXPR_SUB, n, sum);
  const int32_t least = b.expr(DYNAC_EXPR_MIN, less, one);
  b.input("x", DYNAC_BF16, {n, s, two});
  b.output("y", DYNAC_BOOL, {twice, half, less, least});
  Loaded m(b.build());
  ASSERT_EQ(m.error, "");
  dynac_value_desc_t x, y;
  ASSERT_EQ(take(dynac_model_input(m.model, 0, &x)), "");
  ASSERT_EQ(take(dynac_model_output(m.model, 0, &y)), "");
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.dtype, DYNAC_BF16);
  EXPECT_EQ(std::string(x.dims[0]) + "|" + x.dims[1] + "|" + x.dims[2], "batch|seq|2");
  EXPECT_EQ(x.extents[0], -1);
  EXPECT_EQ(x.extents[2], 2);
  EXPECT_EQ(std::string(y.dims[0]) + "|" + y.dims[1] + "|" + y.dims[2] + "|" + y.dims[3],
            "seq*2|(seq+batch)//2|batch-(seq+batch)|min(batch-(seq+batch), 1)");
  dynac_symbol_desc_t symbol;
  ASSERT_EQ(take(dynac_model_symbol(m.model, 0, &symbol)), "");
  EXPECT_EQ(symbol.max, 64);
  EXPECT_EQ(symbol.multiple_of, 2);
  EXPECT_EQ(dynac_model_find_input(m.model, "x"), 0u);
  EXPECT_EQ(dynac_model_find_input(m.model, "nothing"), SIZE_MAX);
  EXPECT_EQ(takeCoded(dynac_model_input(m.model, 1, &x)), "2: input 1 of 1");
}
