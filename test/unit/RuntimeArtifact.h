//===- RuntimeArtifact.h - artifacts made by hand for the runtime's tests ---===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_RUNTIMEARTIFACT_H
#define DYNAC_TEST_UNIT_RUNTIMEARTIFACT_H

#include "dynac/Runtime/dynac.h"

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

namespace dynac::test {

using Slots = std::vector<int32_t>;

/// Builds the tables of an artifact whose kernels are functions of the test. Everything is public,
/// so that a test can spoil what it likes before or after `build`.
class ArtifactBuilder {
public:
  explicit ArtifactBuilder(const char *name = "test") {
    artifact.magic = DYNAC_ABI_MAGIC;
    artifact.abi = artifact.min_runtime_abi = DYNAC_ABI_VERSION;
    artifact.struct_size = sizeof(dynac_artifact_t);
    artifact.weights_kind = DYNAC_WEIGHTS_POINTER;
    artifact.name = name;
    artifact.compiler = "by hand";
    targets.push_back({"x86-64-v2", DYNAC_CPU_V2, 0});
    blocks.push_back({0, 0});
  }

  int32_t constant(int64_t value) { return expr(DYNAC_EXPR_CONST, 0, 0, value); }
  int32_t symbol(const char *name, int64_t min = 1, int64_t max = INT64_MAX, int64_t multipleOf = 1,
                 bool dataDependent = false) {
    const int32_t slot = expr(DYNAC_EXPR_SYMBOL, 0, 0, int64_t(symbols.size()));
    symbols.push_back({name, min, max, multipleOf, slot, dataDependent});
    return slot;
  }
  int32_t expr(int32_t op, int32_t a, int32_t b, int64_t imm = 0) {
    exprs.push_back({op, a, b, 0, imm});
    return int32_t(exprs.size()) - 1;
  }
  int32_t mul(int32_t a, int32_t b) { return expr(DYNAC_EXPR_MUL, a, b); }
  /// The slot with the number of elements, and of bytes.
  int32_t count(const Slots &dims) {
    int32_t slot = constant(1);
    for (int32_t dim : dims)
      slot = mul(slot, dim);
    return slot;
  }
  int32_t bytes(int32_t dtype, const Slots &dims) {
    return mul(constant(dynac_dtype_bits(dtype) / 8), count(dims));
  }

  /// These return buffer numbers.
  int32_t input(const char *name, int32_t dtype, const Slots &dims) {
    const int32_t buffer =
        addBuffer(DYNAC_BUFFER_INPUT, int32_t(inputs.size()), dtype, bytes(dtype, dims));
    inputs.push_back({name, dtype, int32_t(dims.size()), keep(dims), buffer, -1});
    return buffer;
  }
  int32_t output(const char *name, int32_t dtype, const Slots &dims, int32_t aliasInput = -1) {
    const int32_t buffer =
        addBuffer(DYNAC_BUFFER_OUTPUT, int32_t(outputs.size()), dtype, bytes(dtype, dims));
    outputs.push_back({name, dtype, int32_t(dims.size()), keep(dims), buffer, aliasInput});
    return buffer;
  }
  /// An output that is some other buffer.
  void outputOf(const char *name, int32_t buffer, const Slots &dims, int32_t aliasInput = -1) {
    outputs.push_back(
        {name, buffers[buffer].dtype, int32_t(dims.size()), keep(dims), buffer, aliasInput});
  }
  int32_t arena(int32_t dtype, const Slots &dims, int32_t first, int32_t last) {
    return addBuffer(DYNAC_BUFFER_ARENA, 0, dtype, bytes(dtype, dims), first, last);
  }
  int32_t alias(int32_t of, const Slots &dims) {
    return addBuffer(DYNAC_BUFFER_ALIAS, of, buffers[of].dtype, bytes(buffers[of].dtype, dims));
  }
  int32_t weight(const char *name, const std::vector<float> &values) {
    const int64_t offset = int64_t(weightBytes.size() + 63) / 64 * 64;
    weightBytes.resize(size_t(offset) + 4 * values.size());
    std::copy(values.begin(), values.end(), reinterpret_cast<float *>(weightBytes.data() + offset));
    shapes.push_back({int64_t(values.size())});
    weights.push_back(
        {name, DYNAC_F32, 1, shapes.back().data(), offset, int64_t(4 * values.size())});
    return addBuffer(DYNAC_BUFFER_WEIGHT, int32_t(weights.size()) - 1, DYNAC_F32,
                     constant(int64_t(4 * values.size())));
  }
  int32_t addBuffer(int32_t kind, int32_t index, int32_t dtype, int32_t bytesSlot,
                    int32_t first = 0, int32_t last = 0) {
    buffers.push_back({kind, index, dtype, bytesSlot, first, last});
    return int32_t(buffers.size()) - 1;
  }

  int32_t kernel(const char *name, dynac_kernel_fn body, int64_t scratch = 0) {
    bodies.push_back({body});
    kernels.push_back({name, "pointwise", nullptr, scratch});
    return int32_t(kernels.size()) - 1;
  }

  /// Adds a step to the block in hand.
  dynac_step_t &step(const char *name, int32_t kind, int32_t index, const Slots &stepBuffers,
                     const Slots &dims = {}, int32_t index2 = -1) {
    steps.push_back({kind, index, index2, 0, keep(stepBuffers), keep(dims),
                     int32_t(stepBuffers.size()), int32_t(dims.size()), 1, name});
    blocks.back().end = int32_t(steps.size());
    return steps.back();
  }
  /// Runs a function over `extent` units.
  dynac_step_t &call(const char *name, dynac_kernel_fn body, int32_t extent,
                     const Slots &stepBuffers, const Slots &dims = {}, int64_t grain = 1,
                     int64_t scratch = 0) {
    dynac_step_t &result =
        step(name, DYNAC_STEP_KERNEL, kernel(name, body, scratch), stepBuffers, dims);
    result.extent_slot = extent;
    result.grain = grain;
    return result;
  }
  int32_t block() {
    const int32_t begin = int32_t(steps.size());
    blocks.push_back({begin, begin});
    return int32_t(blocks.size()) - 1;
  }
  int32_t message(const char *text) {
    messages.push_back(text);
    return int32_t(messages.size()); // what a kernel returns
  }
  int32_t hostKernel(const char *name) {
    hostKernels.push_back(name);
    return int32_t(hostKernels.size()) - 1;
  }

  /// The tables as they are now. May be called again after a change.
  const dynac_artifact_t *build() {
    for (size_t i = 0; i < kernels.size(); ++i) {
      bodies[i].resize(targets.size());
      kernels[i].bodies = bodies[i].data();
    }
    // mmap's alignment, for the weights' promise of 64.
    aligned.resize(weightBytes.size() + 64);
    char *base =
        reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(aligned.data()) + 63) / 64 * 64);
    std::copy(weightBytes.begin(), weightBytes.end(), base);
    artifact.weights_data = base;
    artifact.weights_bytes = weightBytes.size();
    set(artifact.inputs, artifact.input_count, inputs);
    set(artifact.outputs, artifact.output_count, outputs);
    set(artifact.symbols, artifact.symbol_count, symbols);
    set(artifact.exprs, artifact.expr_count, exprs);
    set(artifact.buffers, artifact.buffer_count, buffers);
    set(artifact.weights, artifact.weight_count, weights);
    set(artifact.targets, artifact.target_count, targets);
    set(artifact.kernels, artifact.kernel_count, kernels);
    set(artifact.steps, artifact.step_count, steps);
    set(artifact.blocks, artifact.block_count, blocks);
    set(artifact.messages, artifact.message_count, messages);
    set(artifact.host_kernels, artifact.host_kernel_count, hostKernels);
    artifact.work = work.empty() ? nullptr : work.data();
    set(artifact.growths, artifact.growth_count, growths);
    return &artifact;
  }

  dynac_artifact_t artifact = {};
  std::vector<dynac_value_info_t> inputs, outputs;
  std::vector<dynac_symbol_t> symbols;
  std::vector<dynac_expr_t> exprs;
  std::vector<dynac_buffer_t> buffers;
  std::vector<dynac_weight_t> weights;
  std::vector<dynac_target_t> targets;
  std::vector<dynac_kernel_t> kernels;
  std::vector<dynac_step_t> steps;
  std::vector<dynac_block_t> blocks;
  std::vector<dynac_step_work_t> work; ///< none, or one for each step
  std::vector<dynac_growth_t> growths;
  std::vector<const char *> messages, hostKernels;
  std::deque<std::vector<dynac_kernel_fn>> bodies;

private:
  template <typename T>
  static void set(const T *&table, int32_t &count, const std::vector<T> &list) {
    table = list.data();
    count = int32_t(list.size());
  }
  const int32_t *keep(const Slots &slots) {
    kept.push_back(slots);
    return kept.back().data();
  }

  std::deque<Slots> kept;
  std::deque<std::vector<int64_t>> shapes;
  std::vector<char> weightBytes, aligned;
};

inline int32_t doNothing(const dynac_kernel_args_t *, int64_t, int64_t) { return 0; }

/// A little of everything: symbols, weights, an alias, control flow, a host kernel.
inline ArtifactBuilder sampleArtifact() {
  ArtifactBuilder b("m");
  const int32_t n = b.symbol("N"), k = b.symbol("K", 0, 9, 1, true), one = b.constant(1);
  const int32_t x = b.input("x", DYNAC_F32, {n}), w = b.weight("w", {1, 2, 3});
  const int32_t y = b.output("y", DYNAC_F32, {n}), t = b.arena(DYNAC_F32, {n}, 0, 1);
  const int32_t flag = b.arena(DYNAC_BOOL, {}, 0, 3), sizes = b.arena(DYNAC_I64, {one}, 0, 4);
  const int32_t some = b.arena(DYNAC_F32, {k}, 4, 7), flat = b.alias(t, {n});
  b.message("a message");
  b.call("compute", doNothing, n, {x, w, t, flag, sizes}, {n});
  b.step("copy", DYNAC_STEP_COPY, 0, {flat, y});
  b.step("if", DYNAC_STEP_IF, 1, {flag}, {}, 2);
  b.step("while", DYNAC_STEP_WHILE, 2, {flag});
  b.step("bind", DYNAC_STEP_BIND_DIM, 1, {sizes}, {b.constant(0)});
  b.step("check", DYNAC_STEP_CHECK, 0, {}, {n});
  b.step("host", DYNAC_STEP_HOST, b.hostKernel("copy@1"), {some, some});
  b.step("last", DYNAC_STEP_COPY, 0, {some, some});
  b.block();
  b.step("then", DYNAC_STEP_CHECK, 0, {}, {n});
  b.block();
  b.step("else", DYNAC_STEP_CHECK, 0, {}, {n});
  return b;
}

/// past[2, P], token[2] -> present[2, P + 1], which is past with the token behind it, in memory for
/// four along the last axis. The kernel writes the token only.
inline ArtifactBuilder growingModel() {
  ArtifactBuilder b("grow");
  const int32_t p = b.symbol("P", 0), one = b.constant(1), two = b.constant(2);
  const int32_t four = b.constant(4), longer = b.expr(DYNAC_EXPR_ADD, p, one);
  const int32_t past = b.input("past", DYNAC_F32, {two, p});
  const int32_t token = b.input("token", DYNAC_F32, {two});
  b.buffers[size_t(past)].bytes_slot = b.bytes(DYNAC_F32, {two, four});
  b.outputOf("present", past, {two, longer}, 0);
  b.growths.push_back({0, 0, 1, 0, 4});
  b.call("append",
         [](const dynac_kernel_args_t *args, int64_t begin, int64_t end) -> int32_t {
           for (int64_t i = begin; i < end; ++i)
             static_cast<float *>(args->buffers[0])[i * 4 + args->dims[0]] =
                 static_cast<const float *>(args->buffers[1])[i];
           return 0;
         },
         two, {past, token}, {p});
  return b;
}

/// A status's message, freed; "" for success.
inline std::string take(dynac_status_t *status) {
  std::string message = dynac_status_message(status);
  dynac_status_free(status);
  return message;
}

/// "code: message".
inline std::string takeCoded(dynac_status_t *status) {
  std::string message =
      std::to_string(dynac_status_code(status)) + ": " + dynac_status_message(status);
  dynac_status_free(status);
  return message;
}

/// A loaded model with one context; frees both.
class Loaded {
public:
  explicit Loaded(const dynac_artifact_t *artifact, int32_t threads = 1,
                  const dynac_callbacks_t *callbacks = nullptr) {
    dynac_load_options_t options = DYNAC_LOAD_OPTIONS_INIT;
    options.threads = threads;
    options.callbacks = callbacks;
    error = takeCoded(dynac_model_from_linked(artifact, &options, &model));
    if (model)
      error = takeCoded(dynac_context_create(model, &context));
    if (error == "0: ")
      error.clear();
  }
  ~Loaded() {
    dynac_model_free(model); // the context keeps what it needs
    dynac_context_free(context);
  }

  dynac_status_t *run(const std::vector<dynac_value_t> &inputs,
                      std::vector<dynac_value_t> &outputs) {
    return dynac_context_run(context, inputs.data(), inputs.size(), outputs.data(), outputs.size());
  }

  dynac_model_t *model = nullptr;
  dynac_context_t *context = nullptr;
  std::string error;
};

/// A tensor with its memory.
template <typename T> struct Array {
  std::vector<T> data;
  std::vector<int64_t> shape;

  Array(std::vector<int64_t> shape, T first = T(), T step = T()) : shape(shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    data.reserve(size_t(count) + 1); // never NULL
    for (int64_t i = 0; i < count; ++i)
      data.push_back(T(first + T(i) * step));
  }

  static constexpr int32_t dtype() {
    if (std::is_same_v<T, float>)
      return DYNAC_F32;
    if (std::is_same_v<T, double>)
      return DYNAC_F64;
    if (std::is_same_v<T, int64_t>)
      return DYNAC_I64;
    return DYNAC_U8;
  }

  dynac_value_t value() {
    dynac_value_t result = {};
    result.kind = DYNAC_VALUE_TENSOR;
    result.as.tensor = {data.data(),
                        dtype(),
                        int32_t(shape.size()),
                        shape.data(),
                        nullptr,
                        int64_t(data.size() * sizeof(T)),
                        0,
                        0};
    return result;
  }
};

/// A view of an output's elements.
template <typename T> std::vector<T> elements(const dynac_value_t &value) {
  int64_t count = 1;
  for (int32_t i = 0; i < value.as.tensor.rank; ++i)
    count *= value.as.tensor.shape[i];
  const T *data = static_cast<const T *>(value.as.tensor.data);
  return std::vector<T>(data, data + count);
}

inline std::vector<int64_t> shapeOf(const dynac_value_t &value) {
  return {value.as.tensor.shape, value.as.tensor.shape + value.as.tensor.rank};
}

} // namespace dynac::test

#endif // DYNAC_TEST_UNIT_RUNTIMEARTIFACT_H
