//===- RuntimeEntryFuzzer.cpp - any values to a model's entry -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One context is called a few times with values that the input makes up. Each
// keeps the caller's side of dynac.h: memory is as large as the value says.
// Kernels touch every byte that their dimensions promise them.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "RuntimeArtifact.h"

#include <cstring>
#include <memory>
#include <optional>

using namespace dynac::test;

//===----------------------------------------------------------------------===//
// The artifact
//===----------------------------------------------------------------------===//

static unsigned sumOf(const void *data, int64_t bytes) {
  unsigned sum = 0;
  for (int64_t i = 0; i < bytes; ++i)
    sum += static_cast<const unsigned char *>(data)[i];
  return sum;
}

/// Reads buffers[0] of dims[0] bytes, writes buffers[1] of dims[1].
static int32_t touch(const dynac_kernel_args_t *args, int64_t, int64_t) {
  unsigned sum = sumOf(args->buffers[0], args->dims[0]);
  if (args->dims[1] > 0)
    std::memset(args->buffers[1], int(sum), size_t(args->dims[1]));
  return 0;
}

/// buffers[1] = number of elements that are not 0 in buffers[0] of dims[0] bytes.
static int32_t count(const dynac_kernel_args_t *args, int64_t, int64_t) {
  int64_t found = 0;
  for (int64_t i = 0; i < args->dims[0]; ++i)
    found += static_cast<const unsigned char *>(args->buffers[0])[i] != 0;
  std::memcpy(args->buffers[1], &found, sizeof(found));
  return 0;
}

/// Dynamic, solved, packed, string and data-dependent dimensions, and a state updated in place.
static ArtifactBuilder makeArtifact() {
  ArtifactBuilder b;
  const int32_t n = b.symbol("n", 0), m = b.symbol("m", 0, INT64_MAX, 2);
  const int32_t k = b.symbol("k", 0), u = b.symbol("u", 0, 1 << 24, 1, true);
  const int32_t one = b.constant(1);
  const int32_t odd = b.expr(DYNAC_EXPR_ADD, b.mul(b.constant(2), k), one);
  const int32_t total = b.expr(DYNAC_EXPR_ADD, n, k);
  const int32_t x = b.input("x", DYNAC_F32, {n, m, k}), i = b.input("i", DYNAC_I64, {odd});
  const int32_t p = b.input("p", DYNAC_U8, {total}), s = b.input("s", DYNAC_F64, {k});
  b.input("text", DYNAC_STRING, {n, one});
  const int32_t y = b.output("y", DYNAC_F32, {n, m, k});
  const int32_t state = b.output("state", DYNAC_F64, {k}, 3);
  const int32_t found = b.output("found", DYNAC_I64, {u, n});
  const int32_t sizes = b.arena(DYNAC_I64, {one}, 2, 3);
  const auto run = [&](const char *name, dynac_kernel_fn body, int32_t from, int32_t to) {
    b.call(name, body, one, {from, to}, {b.buffers[from].bytes_slot, b.buffers[to].bytes_slot});
  };
  run("x to y", touch, x, y);
  run("i to state", touch, i, state);
  run("count", count, p, sizes);
  b.step("bind", DYNAC_STEP_BIND_DIM, 3, {sizes}, {b.constant(0)});
  run("s to found", touch, s, found);
  return b;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t mostBytes = 1 << 20;

/// Values of one call, with their memory and shapes.
class Caller {
public:
  explicit Caller(FuzzedDataProvider &data) : data(data) {}

  dynac_value_t input(const dynac_value_info_t &info) {
    dynac_value_t value = {};
    value.kind =
        mostly<int32_t>(info.dtype == DYNAC_STRING ? DYNAC_VALUE_STRINGS : DYNAC_VALUE_TENSOR, 7);
    value.borrowed = mostly(0, 1);
    const int32_t dtype = mostly(info.dtype, 40), rank = mostly(info.rank, 70);
    const int64_t *shape = extents(rank);
    if (value.kind == DYNAC_VALUE_STRINGS) {
      const int64_t need = bytesOf(DYNAC_STRING, rank, shape);
      value.as.strings = {static_cast<const dynac_string_t *>(memory(need, 8)), rank, 0, shape};
      return value;
    }
    const int64_t *strides = odds(4) ? steps(dtype, rank, shape) : nullptr;
    const int64_t need = strides ? -1 : bytesOf(dtype, rank, shape);
    const int64_t bytes = odds(2) ? 0 : mostly(need, INT64_MAX);
    value.as.tensor = {strides ? strided(dtype, rank, shape, strides)
                               : memory(bytes != 0 && bytes < need ? bytes : need, 1),
                       dtype,
                       rank,
                       shape,
                       strides,
                       bytes,
                       mostly(0, 3),
                       mostly(0, 3)};
    return value;
  }

  dynac_value_t output(const dynac_value_info_t &info) {
    dynac_value_t value = {};
    value.kind = odds(2) ? DYNAC_VALUE_NONE : mostly<int32_t>(DYNAC_VALUE_TENSOR, 7);
    value.borrowed = mostly(0, 1);
    if (value.kind == DYNAC_VALUE_NONE)
      return value;
    const int32_t dtype = mostly(info.dtype, 40), rank = mostly(info.rank, 70);
    const int64_t *shape = odds(2) ? extents(rank) : nullptr;
    const int64_t *strides = shape && odds(4) ? steps(dtype, rank, shape) : nullptr;
    const int64_t bytes = data.ConsumeIntegralInRange<int64_t>(-1, odds(2) ? 400 : mostBytes);
    void *place = strides ? strided(dtype, rank, shape, strides) : memory(bytes, 1);
    if (!strides && odds(8) && lastBytes >= bytes)
      place = last; // shares the memory of another value
    value.as.tensor = {place, dtype, rank, shape, strides, bytes, mostly(0, 3), mostly(0, 3)};
    return value;
  }

  bool odds(int of) { return data.ConsumeIntegralInRange(1, of) == 1; }

private:
  template <typename T> T mostly(T usual, T limit) {
    return odds(16) ? data.ConsumeIntegralInRange<T>(T(-1), limit) : usual;
  }

  /// Small, so that they often fit each other.
  const int64_t *extents(int32_t rank) {
    if (odds(32))
      return nullptr;
    lists.emplace_back(size_t(std::max(rank, 0)) + 1);
    static constexpr int64_t large[] = {-1, 1 << 20, int64_t(1) << 40, int64_t(1) << 62, INT64_MAX};
    for (int64_t &extent : lists.back())
      extent = odds(16) ? data.PickValueInArray(large) : data.ConsumeIntegralInRange(0, 4);
    return lists.back().data();
  }

  const int64_t *steps(int32_t dtype, int32_t rank, const int64_t *shape) {
    int64_t dense = std::max<int64_t>(dynac_dtype_bytes(dtype, 1), 1);
    lists.emplace_back(size_t(std::max(rank, 0)) + 1);
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
      int64_t &step = lists.back()[size_t(axis)];
      step = odds(3)    ? data.ConsumeIntegralInRange(-40, 40)
             : odds(24) ? data.ConsumeIntegral<int64_t>()
                        : dense;
      if (shape && shape[axis] > 0 && shape[axis] < 1000)
        dense = std::min<int64_t>(dense * shape[axis], mostBytes);
    }
    return lists.back().data();
  }

  /// -1 if it is no size that there could be memory of.
  static int64_t bytesOf(int32_t dtype, int32_t rank, const int64_t *shape) {
    __int128 elements = 1;
    for (int32_t axis = 0; axis < rank && shape; ++axis)
      elements = shape[axis] < 0 || elements > mostBytes ? mostBytes + 1 : elements * shape[axis];
    for (int32_t axis = 0; axis < rank && shape; ++axis)
      if (shape[axis] == 0)
        elements = 0;
    return elements > mostBytes ? -1 : dynac_dtype_bytes(dtype, int64_t(elements));
  }

  /// Exactly `bytes`, at an odd address now and then; NULL if there is no such memory.
  void *memory(int64_t bytes, size_t align) {
    if (bytes < 0 || bytes > mostBytes || odds(32))
      return nullptr;
    const size_t shift = odds(8) ? data.ConsumeIntegralInRange<size_t>(0, 7) / align * align : 0;
    blocks.emplace_back(new char[size_t(bytes) + shift]);
    std::memset(blocks.back().get(), int(bytes & 1), size_t(bytes) + shift);
    last = blocks.back().get() + shift;
    lastBytes = bytes;
    return last;
  }

  /// Room for all elements at their strides.
  void *strided(int32_t dtype, int32_t rank, const int64_t *shape, const int64_t *strides) {
    const int64_t dense = bytesOf(dtype, rank, shape);
    if (dense <= 0)
      return memory(dense, 1);
    __int128 low = 0, high = 0;
    for (int32_t axis = 0; axis < rank && shape; ++axis)
      (strides[axis] < 0 ? low : high) += __int128(strides[axis]) * (shape[axis] - 1);
    if (high - low > mostBytes / 2)
      return nullptr;
    char *begin = static_cast<char *>(memory(int64_t(high - low) + dynac_dtype_bytes(dtype, 1), 1));
    return begin ? begin - int64_t(low) : nullptr;
  }

  FuzzedDataProvider &data;
  std::vector<std::unique_ptr<char[]>> blocks;
  std::deque<std::vector<int64_t>> lists;
  void *last = nullptr;
  int64_t lastBytes = -1;
};

} // namespace

static bool take(dynac_status_t *status, size_t) {
  const std::string text = takeCoded(status);
  check(text.find('\n') == std::string::npos && (text == "0: " || text.size() > 3));
  return text == "0: ";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static ArtifactBuilder builder = makeArtifact();
  static const dynac_artifact_t *artifact = builder.build();
  FuzzedDataProvider data(bytes, size);
  Loaded model(artifact);
  check(model.error.empty());
  std::deque<Caller> callers; // what a context gave stays valid until its next call
  std::vector<dynac_value_t> inputs, outputs(4);
  for (int call = 0; call < 4 && data.remaining_bytes() > 0; ++call) {
    Caller &caller = callers.emplace_back(data);
    inputs.assign(6, {});
    for (int32_t i = 0; i < artifact->input_count; ++i)
      inputs[size_t(i)] = caller.input(artifact->inputs[i]);
    for (int32_t i = 0; i < artifact->output_count; ++i) {
      if (caller.odds(8) && outputs[size_t(i)].borrowed) // a result as the next call's operand
        inputs[size_t(caller.odds(2) ? 0 : 3)] = outputs[size_t(i)];
      if (!outputs[size_t(i)].borrowed || caller.odds(2))
        outputs[size_t(i)] = caller.output(artifact->outputs[i]);
    }
    const size_t inputCount = size_t(artifact->input_count) + caller.odds(32);
    const size_t outputCount = size_t(artifact->output_count) - caller.odds(32);
    const bool infer = caller.odds(8);
    const auto function = infer ? dynac_context_infer : dynac_context_run;
    const bool fine = take(function(caller.odds(64) ? nullptr : model.context,
                                    caller.odds(64) ? nullptr : inputs.data(), inputCount,
                                    caller.odds(64) ? nullptr : outputs.data(), outputCount),
                           0);
    if (!fine || infer) {
      outputs.assign(4, {});
      continue;
    }
    for (int32_t i = 0; i < artifact->output_count; ++i) {
      const dynac_tensor_t &tensor = outputs[size_t(i)].as.tensor;
      check(tensor.rank == artifact->outputs[i].rank && tensor.shape);
      int64_t elements = 1;
      for (int32_t axis = 0; axis < tensor.rank; ++axis)
        elements *= tensor.shape[axis];
      const int64_t bytes = dynac_dtype_bytes(tensor.dtype, elements);
      check(bytes == 0 || tensor.data);
      if (!tensor.strides) {
        volatile unsigned sink = sumOf(tensor.data, bytes);
        (void)sink;
      }
    }
  }
  return 0;
}
