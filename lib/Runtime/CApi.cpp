//===- CApi.cpp - the C API: status, models, contexts -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No C++ exception leaves these functions: running out of memory becomes a status.
//
//===----------------------------------------------------------------------===//

#include "Concurrency.h"
#include "Context.h"
#include "Cpu.h"
#include "DType.h"

#include <cstring>
#include <exception>
#include <new>

using namespace dynac::rt;

/// Runs `fn` (returning Status) and turns what it throws into a status.
template <typename Fn> static dynac_status_t *guarded(Fn fn) {
  try {
    return fn().release();
  } catch (const std::bad_alloc &) {
    static const char text[] = "out of memory";
    return new (std::nothrow) dynac_status{DYNAC_IO, text}; // short enough to need no allocation
  } catch (const std::exception &error) {
    return failure(DYNAC_IO, "%s", error.what()).release();
  }
}

//===-- Status, versions, element types -------------------------------------===//

const char *dynac_status_message(const dynac_status_t *status) {
  return status ? status->message.c_str() : "";
}

int32_t dynac_status_code(const dynac_status_t *status) { return status ? status->code : DYNAC_OK; }

void dynac_status_free(dynac_status_t *status) { delete status; }

const char *dynac_version(void) { return DYNAC_VERSION_TEXT; }

uint32_t dynac_abi_version(void) { return DYNAC_ABI_VERSION; }

const char *dynac_cpu_level_name(void) {
  int32_t level = 0;
  if (allowedCpuLevel(detectCpuLevel(), nullptr, level).failed())
    level = detectCpuLevel();
  return cpuLevelName(level);
}

int32_t dynac_available_threads(void) {
  try {
    return availableThreads();
  } catch (const std::exception &) {
    return 1;
  }
}

const char *dynac_dtype_name(int32_t dtype) { return dtypeName(dtype); }

int32_t dynac_dtype_parse(const char *name) {
  for (int32_t dtype = DYNAC_F32; name && dtypeInfo(dtype); ++dtype)
    if (std::strcmp(dtypeName(dtype), name) == 0)
      return dtype;
  return DYNAC_DTYPE_INVALID;
}

int32_t dynac_dtype_bits(int32_t dtype) {
  const DTypeInfo *info = dtypeInfo(dtype);
  return info ? info->bits : 0;
}

int64_t dynac_dtype_bytes(int32_t dtype, int64_t count) { return dtypeBytes(dtype, count); }

int32_t dynac_dtype_to_f64(int32_t dtype, const void *src, int64_t first, int64_t count,
                           double *dst) {
  return toDouble(dtype, src, first, count, dst) ? 0 : 1;
}

int32_t dynac_dtype_from_f64(int32_t dtype, const double *src, int64_t count, void *dst) {
  return fromDouble(dtype, src, count, dst) ? 0 : 1;
}

//===-- Models --------------------------------------------------------------===//

static dynac_status_t *load(const char *path, const dynac_artifact_t *linked,
                            const dynac_load_options_t *options, dynac_model_t **out) {
  if (!out)
    return failure(DYNAC_USAGE, "out_model is NULL").release();
  *out = nullptr;
  return guarded([&]() -> Status {
    if (!path && !linked)
      return failure(DYNAC_USAGE, "%s is NULL", "path or artifact");
    std::shared_ptr<const Model> model;
    if (Status status = Model::load(path, linked, options, model); status.failed())
      return status;
    *out = new dynac_model{std::move(model)};
    return {};
  });
}

dynac_status_t *dynac_model_load(const char *path, const dynac_load_options_t *options,
                                 dynac_model_t **out_model) {
  return load(path, nullptr, options, out_model);
}

dynac_status_t *dynac_model_from_linked(const dynac_artifact_t *artifact,
                                        const dynac_load_options_t *options,
                                        dynac_model_t **out_model) {
  return load(nullptr, artifact, options, out_model);
}

void dynac_model_free(dynac_model_t *model) { delete model; }

//===-- Signature -----------------------------------------------------------===//

static dynac_status_t *describe(const dynac_model_t *handle, bool output, size_t index,
                                dynac_value_desc_t *out) {
  if (!handle || !out)
    return failure(DYNAC_USAGE, "model or out is NULL").release();
  const Model &model = *handle->model;
  const dynac_artifact_t &a = model.tables();
  const size_t count = size_t(output ? a.output_count : a.input_count);
  if (index >= count)
    return failure(DYNAC_USAGE, "%s %zu of %zu", output ? "output" : "input", index, count)
        .release();
  const dynac_value_info_t &info = output ? a.outputs[index] : a.inputs[index];
  const Model::ValueText &text = output ? model.outputTexts[index] : model.inputTexts[index];
  *out = {info.name,
          info.dtype == DYNAC_STRING ? DYNAC_VALUE_STRINGS : DYNAC_VALUE_TENSOR,
          info.dtype,
          info.rank,
          output ? info.alias_input : -1,
          text.pointers.data(),
          text.extents.data()};
  return nullptr;
}

size_t dynac_model_input_count(const dynac_model_t *model) {
  return model ? size_t(model->model->tables().input_count) : 0;
}

size_t dynac_model_output_count(const dynac_model_t *model) {
  return model ? size_t(model->model->tables().output_count) : 0;
}

size_t dynac_model_symbol_count(const dynac_model_t *model) {
  return model ? size_t(model->model->tables().symbol_count) : 0;
}

dynac_status_t *dynac_model_input(const dynac_model_t *model, size_t index,
                                  dynac_value_desc_t *out) {
  return describe(model, false, index, out);
}

dynac_status_t *dynac_model_output(const dynac_model_t *model, size_t index,
                                   dynac_value_desc_t *out) {
  return describe(model, true, index, out);
}

dynac_status_t *dynac_model_output_capacity(const dynac_model_t *model, size_t index, int32_t *axis,
                                            int64_t *capacity) {
  if (!model || !axis || !capacity)
    return failure(DYNAC_USAGE, "model, axis or capacity is NULL").release();
  const dynac_artifact_t &a = model->model->tables();
  if (index >= size_t(a.output_count))
    return failure(DYNAC_USAGE, "output %zu of %d", index, a.output_count).release();
  const int32_t growth = model->model->growing[index];
  *axis = growth < 0 ? -1 : a.growths[growth].axis;
  *capacity = growth < 0 ? 0 : a.growths[growth].capacity;
  return nullptr;
}

dynac_status_t *dynac_model_symbol(const dynac_model_t *model, size_t index,
                                   dynac_symbol_desc_t *out) {
  if (!model || !out)
    return failure(DYNAC_USAGE, "model or out is NULL").release();
  const dynac_artifact_t &a = model->model->tables();
  if (index >= size_t(a.symbol_count))
    return failure(DYNAC_USAGE, "symbol %zu of %d", index, a.symbol_count).release();
  const dynac_symbol_t &symbol = a.symbols[index];
  *out = {symbol.name, symbol.min, symbol.max, symbol.multiple_of, symbol.data_dependent, 0};
  return nullptr;
}

static size_t find(const dynac_value_info_t *list, int32_t count, const char *name) {
  for (int32_t i = 0; name && i < count; ++i)
    if (std::strcmp(list[i].name, name) == 0)
      return size_t(i);
  return SIZE_MAX;
}

size_t dynac_model_find_input(const dynac_model_t *model, const char *name) {
  if (!model)
    return SIZE_MAX;
  const dynac_artifact_t &a = model->model->tables();
  return find(a.inputs, a.input_count, name);
}

size_t dynac_model_find_output(const dynac_model_t *model, const char *name) {
  if (!model)
    return SIZE_MAX;
  const dynac_artifact_t &a = model->model->tables();
  return find(a.outputs, a.output_count, name);
}

const dynac_artifact_t *dynac_model_artifact(const dynac_model_t *model) {
  return model ? &model->model->tables() : nullptr;
}

const char *dynac_model_target(const dynac_model_t *model) {
  return model ? model->model->tables().targets[model->model->target].name : "";
}

int32_t dynac_model_threads(const dynac_model_t *model) {
  return model ? model->model->threads : 0;
}

const void *dynac_model_weights(const dynac_model_t *model) {
  return model ? model->model->artifact.weights() : nullptr;
}

//===-- Contexts ------------------------------------------------------------===//

dynac_status_t *dynac_context_create(dynac_model_t *model, dynac_context_t **out_context) {
  if (!model || !out_context)
    return failure(DYNAC_USAGE, "model or out_context is NULL").release();
  *out_context = nullptr;
  return guarded([&]() -> Status {
    *out_context = new dynac_context(model->model);
    return {};
  });
}

void dynac_context_free(dynac_context_t *context) { delete context; }

/// The arrays must be there, and no other thread in the context.
template <typename Fn>
static dynac_status_t *entered(dynac_context_t *context, const dynac_value_t *inputs,
                               size_t inputCount, dynac_value_t *outputs, size_t outputCount,
                               Fn fn) {
  if (!context || (!inputs && inputCount > 0) || (!outputs && outputCount > 0))
    return failure(DYNAC_USAGE, "context, inputs or outputs is NULL").release();
  if (context->busy.exchange(true, std::memory_order_acquire))
    return failure(DYNAC_USAGE, "the context is in use by another thread; create one per thread")
        .release();
  dynac_status_t *status = guarded(fn);
  context->busy.store(false, std::memory_order_release);
  return status;
}

dynac_status_t *dynac_context_run(dynac_context_t *context, const dynac_value_t *inputs,
                                  size_t input_count, dynac_value_t *outputs, size_t output_count) {
  return entered(context, inputs, input_count, outputs, output_count,
                 [&] { return context->context.run(inputs, input_count, outputs, output_count); });
}

dynac_status_t *dynac_context_infer(dynac_context_t *context, const dynac_value_t *inputs,
                                    size_t input_count, dynac_value_t *outputs,
                                    size_t output_count) {
  return entered(context, inputs, input_count, outputs, output_count, [&] {
    return context->context.infer(inputs, input_count, outputs, output_count);
  });
}

int64_t dynac_context_arena_bytes(const dynac_context_t *context) {
  return context ? context->context.arenaBytes() : 0;
}

int64_t dynac_context_total_bytes(const dynac_context_t *context) {
  return context ? context->context.totalBytes() : 0;
}

void dynac_context_set_step_callback(dynac_context_t *context, dynac_step_fn callback, void *user) {
  if (!context)
    return;
  context->context.stepCallback = callback;
  context->context.stepUser = user;
}
