//===- Model.cpp - a loaded artifact, ready for any number of contexts ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Concurrency.h"
#include "Cpu.h"
#include "Validate.h"

#include <algorithm>

namespace dynac::rt {

void Services::run(int64_t count, void (*body)(void *, int64_t), void *arg) const {
  if (parallelFor)
    return parallelFor(user, count, body, arg);
  if (pool)
    return pool->parallelFor(count, body, arg);
  for (int64_t i = 0; i < count; ++i)
    body(arg, i);
}

Status Model::applyOptions(const dynac_load_options_t *options, std::string &isa) {
  dynac_load_options_t o = DYNAC_LOAD_OPTIONS_INIT;
  if (options) {
    if (options->struct_size < sizeof(o))
      return failure(DYNAC_USAGE, "dynac_load_options_t.struct_size is %u, expected %zu",
                     options->struct_size, sizeof(o));
    o = *options;
  }
  if (o.device != 0 && o.device != DYNAC_DEVICE_CPU)
    return failure(DYNAC_DEVICE, "device %d is not supported by this runtime", o.device);
  if (o.threads < 0 || (o.pool != DYNAC_POOL_SHARED && o.pool != DYNAC_POOL_OWN))
    return failure(DYNAC_USAGE, "load options: threads %d, pool %d", o.threads, o.pool);
  if (const dynac_callbacks_t *callbacks = o.callbacks) {
    if (callbacks->struct_size < sizeof(*callbacks))
      return failure(DYNAC_USAGE, "dynac_callbacks_t.struct_size is %u, expected %zu",
                     callbacks->struct_size, sizeof(*callbacks));
    services.user = callbacks->user;
    services.parallelFor = callbacks->parallel_for;
    services.logSink = callbacks->log;
    services.allocator = {callbacks->user, callbacks->allocate, callbacks->deallocate};
  }
  const int available = availableThreads();
  threads =
      int32_t(std::min<int64_t>(o.threads > 0 ? o.threads : available, ThreadPool::maxPieces));
  if (threads > 1 && !services.parallelFor) {
    // More threads than the shared pool has are a wish for a pool of its own.
    if (o.pool == DYNAC_POOL_OWN || threads > available)
      services.pool = std::make_shared<ThreadPool>(threads);
    else
      services.pool = ThreadPool::shared();
  }
  isa = o.isa ? o.isa : "";
  return {};
}

Status Model::chooseTarget(const std::string &isa) {
  const dynac_artifact_t &a = tables();
  int32_t level = 0;
  if (Status status = allowedCpuLevel(detectCpuLevel(), isa.c_str(), level); status.failed())
    return status;
  int32_t lowest = 0; // in the targets
  for (int32_t i = 0; i < a.target_count; ++i) {
    if (a.targets[i].cpu_level < a.targets[lowest].cpu_level)
      lowest = i;
    if (a.targets[i].cpu_level <= level)
      target = i;
  }
  if (a.target_count == 0)
    return failure(DYNAC_DEVICE, "%s has no code for any CPU", artifact.origin());
  if (target < 0)
    return failure(DYNAC_DEVICE,
                   "%s has no code for this CPU: it needs %s, this CPU (with DYNAC_ISA) offers %s; "
                   "compile with --march naming a lower level",
                   artifact.origin(), a.targets[lowest].name, cpuLevelName(level));
  services.log(DYNAC_LOG_INFO, format("%s: target %s, %d thread%s", artifact.origin(),
                                      a.targets[target].name, threads, threads == 1 ? "" : "s"));
  return {};
}

Status Model::chooseKernels() {
  const dynac_artifact_t &a = tables();
  for (int32_t i = 0; i < a.kernel_count; ++i) {
    const dynac_kernel_t &kernel = a.kernels[i];
    dynac_kernel_fn body = nullptr;
    for (int32_t t = target; t >= 0 && !body; --t)
      body = kernel.bodies[t];
    if (!body)
      return failure(DYNAC_MISMATCH, "%s is damaged: kernel %s has no code for %s",
                     artifact.origin(), kernel.name, a.targets[target].name);
    kernels.push_back(body);
    scratchBytes = std::max(scratchBytes, kernel.scratch_bytes);
  }
  for (int32_t i = 0; i < a.host_kernel_count; ++i)
    hostKernels.push_back(findHostKernel(a.host_kernels[i]));
  return {};
}

Model::ValueText Model::describe(const dynac_value_info_t &value) const {
  ValueText text;
  for (int32_t axis = 0; axis < value.rank; ++axis) {
    int64_t extent;
    text.dims.push_back(dims->text(value.dim_slots[axis]));
    text.extents.push_back(dims->constant(value.dim_slots[axis], extent) ? extent : -1);
  }
  for (const std::string &dim : text.dims)
    text.pointers.push_back(dim.c_str());
  return text;
}

void Model::findRereads() {
  constexpr int64_t large = 512 << 10; // smaller ones stay in a second-level cache by themselves
  const dynac_artifact_t &a = tables();
  std::vector<int32_t> readers(a.weight_count, 0);
  rereads.assign(a.step_count, -1);
  for (int32_t i = 0; i < a.step_count; ++i) {
    int64_t largest = large - 1;
    for (int32_t j = 0; j < a.steps[i].buffer_count; ++j) {
      const dynac_buffer_t &root = a.buffers[roots[a.steps[i].buffers[j]]];
      if (a.steps[i].kind != DYNAC_STEP_KERNEL || root.kind != DYNAC_BUFFER_WEIGHT ||
          a.weights[root.index].bytes <= largest)
        continue;
      largest = a.weights[root.index].bytes;
      rereads[i] = root.index;
    }
    if (rereads[i] >= 0)
      readers[rereads[i]] += i < a.blocks[0].end ? 1 : 2;
  }
  for (int32_t &weight : rereads)
    if (weight >= 0 && readers[weight] < 2)
      weight = -1;
}

int64_t Model::rereadParts(int32_t weight, int64_t units) const {
  constexpr int64_t part = 128 << 10;
  return std::clamp<int64_t>(tables().weights[weight].bytes / part, 1, std::max<int64_t>(units, 1));
}

Status Model::prepare() {
  const dynac_artifact_t &a = tables();
  dims.emplace(a);
  if (Status status = computeLifetimes(a, artifact.origin(), lifetimes); status.failed())
    return status;
  roots.resize(a.buffer_count);
  dynamicRoot.resize(a.buffer_count);
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    roots[i] = rootBuffer(a, i);
    const int32_t kind = a.buffers[roots[i]].kind;
    if (!dims->dataDependent(a.buffers[i].bytes_slot))
      continue;
    hasDynamicSizes = true;
    if (kind == DYNAC_BUFFER_ARENA || kind == DYNAC_BUFFER_OUTPUT)
      dynamicRoot[roots[i]] = true;
  }
  for (int32_t i = 0; i < a.symbol_count; ++i)
    hasDynamicSizes |= a.symbols[i].data_dependent != 0;
  dynamicStep.resize(a.step_count);
  for (int32_t i = 0; i < a.step_count; ++i)
    for (int32_t j = 0; j < a.steps[i].buffer_count; ++j) {
      const int32_t buffer = a.steps[i].buffers[j];
      if (dynamicRoot[roots[buffer]] || dims->dataDependent(a.buffers[buffer].bytes_slot))
        dynamicStep[i] = true;
    }
  if (a.block_count)
    findRereads();
  updaters.assign(a.input_count, -1);
  for (int32_t i = 0; i < a.output_count; ++i) {
    outputRoots.push_back(roots[a.outputs[i].buffer]);
    const dynac_buffer_t &root = a.buffers[outputRoots[i]];
    ownOutput.push_back(root.kind == DYNAC_BUFFER_OUTPUT && root.index == i);
    if (a.outputs[i].alias_input >= 0)
      updaters[a.outputs[i].alias_input] = i;
  }
  growing.assign(a.output_count, -1);
  for (int32_t i = 0; i < growthCount(a); ++i)
    growing[a.growths[i].output] = i;
  releasedAfter.resize(a.block_count ? a.blocks[0].end : 0);
  for (int32_t i = 0; i < a.buffer_count; ++i)
    if (dynamicRoot[i] && !lifetimes[i].empty() &&
        std::find(outputRoots.begin(), outputRoots.end(), i) == outputRoots.end() &&
        lifetimes[i].back().second < int32_t(releasedAfter.size()))
      releasedAfter[lifetimes[i].back().second].push_back(i);
  for (int32_t i = 0; i < a.input_count; ++i)
    inputTexts.push_back(describe(a.inputs[i]));
  for (int32_t i = 0; i < a.output_count; ++i)
    outputTexts.push_back(describe(a.outputs[i]));
  return {};
}

Status Model::load(const char *path, const dynac_artifact_t *linked,
                   const dynac_load_options_t *options, std::shared_ptr<const Model> &out) {
  auto model = std::make_shared<Model>();
  std::string isa;
  if (Status status = model->applyOptions(options, isa); status.failed())
    return status;
  if (Status status = path ? model->artifact.open(path) : model->artifact.attach(linked);
      status.failed())
    return status;
  if (Status status = model->chooseTarget(isa); status.failed())
    return status;
  if (Status status = model->chooseKernels(); status.failed())
    return status;
  if (Status status = model->prepare(); status.failed())
    return status;
  out = std::move(model);
  return {};
}

} // namespace dynac::rt
