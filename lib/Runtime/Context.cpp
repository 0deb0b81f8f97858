//===- Context.cpp - what one thread needs to run a model -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "DType.h"
#include "EntryCheck.h"
#include "Executor.h"
#include "Strided.h"
#include "Validate.h"

#include <algorithm>

namespace dynac::rt {

/// Plans kept per context; more shapes than this are planned again.
static constexpr size_t maxPlans = 8;
/// No buffer is larger; keeps sums of sizes from overflowing.
static constexpr int64_t maxBufferBytes = int64_t(1) << 46;

Context::Context(std::shared_ptr<const Model> m)
    : model(std::move(m)), arena(model->services.allocator), side(model->services.allocator) {
  const dynac_artifact_t &a = model->tables();
  const Allocator &allocator = model->services.allocator;
  memory.resize(a.buffer_count);
  capacity.resize(a.buffer_count);
  backwards.resize(a.weight_count);
  outputs.resize(a.output_count);
  for (int32_t i = 0; i < a.input_count; ++i)
    inputCopies.emplace_back(allocator);
  for (int32_t i = 0; i < a.output_count; ++i)
    outputBlocks.emplace_back(allocator);
  for (int32_t i = 0; i < model->threads; ++i)
    scratch.emplace_back(allocator);
  for (int32_t i = 0; i < a.buffer_count; ++i)
    if (a.buffers[i].kind == DYNAC_BUFFER_WEIGHT && model->artifact.weights())
      memory[i] =
          const_cast<char *>(model->artifact.weights()) + a.weights[a.buffers[i].index].offset;
}

int64_t Context::totalBytes() const {
  int64_t total = arena.capacity() + side.totalBytes();
  for (const auto *list : {&scratch, &inputCopies, &outputBlocks})
    for (const Block &block : *list)
      total += block.capacity();
  return total;
}

Status Context::checkCounts(size_t inputCount, size_t outputCount) const {
  const dynac_artifact_t &a = model->tables();
  const auto names = [](const dynac_value_info_t *list, int32_t count) {
    std::string text;
    for (int32_t i = 0; i < count && i < 16; ++i)
      text += (i ? ", " : "") + std::string(list[i].name);
    return count > 16 ? text + ", ..." : text;
  };
  if (inputCount != size_t(a.input_count))
    return failure(DYNAC_SIGNATURE, "got %zu input%s, expected %d (%s)", inputCount,
                   inputCount == 1 ? "" : "s", a.input_count,
                   names(a.inputs, a.input_count).c_str());
  if (outputCount != size_t(a.output_count))
    return failure(DYNAC_SIGNATURE, "got room for %zu output%s, expected %d (%s)", outputCount,
                   outputCount == 1 ? "" : "s", a.output_count,
                   names(a.outputs, a.output_count).c_str());
  return {};
}

Status Context::selectPlan(const dynac_value_t *inputs) {
  const dynac_artifact_t &a = model->tables();
  key.clear();
  inputStrides.clear();
  for (int32_t i = 0; i < a.input_count; ++i) {
    if (Status status = checkInput(*model, i, inputs[i]); status.failed())
      return status;
    const int64_t *shape = shapeOf(inputs[i]);
    key.insert(key.end(), shape, shape + a.inputs[i].rank);
    inputStrides.resize(key.size(), 0);
    if (inputs[i].kind == DYNAC_VALUE_TENSOR && inputs[i].as.tensor.strides)
      std::copy_n(inputs[i].as.tensor.strides, a.inputs[i].rank,
                  inputStrides.end() - a.inputs[i].rank);
  }
  if (current && current->key == key)
    return {};
  for (size_t i = 0; i < plans.size(); ++i)
    if (plans[i].key == key) {
      Plan found = std::move(plans[i]);
      plans.erase(plans.begin() + std::ptrdiff_t(i));
      plans.push_front(std::move(found));
      current = &plans.front();
      return placeArena();
    }
  Plan plan;
  plan.key = key;
  if (Status status = makePlan(inputs, plan); status.failed())
    return status;
  makeLayout(plan);
  current = nullptr;
  if (plans.size() == maxPlans)
    plans.pop_back();
  plans.push_front(std::move(plan));
  current = &plans.front();
  return placeArena();
}

/// Sizes that the tables claim must not exceed the memory that is really there.
static Status checkFixedSize(const Model &model, int32_t root, int64_t bytes, const Plan &plan) {
  const dynac_artifact_t &a = model.tables();
  const dynac_buffer_t &buffer = a.buffers[root];
  int64_t available = bytes;
  if (buffer.kind == DYNAC_BUFFER_WEIGHT) {
    available = a.weights[buffer.index].bytes;
  } else if (buffer.kind == DYNAC_BUFFER_INPUT) {
    const dynac_value_info_t &input = a.inputs[buffer.index];
    std::vector<int64_t> shape;
    for (int32_t axis = 0; axis < input.rank; ++axis)
      shape.push_back(plan.slots.value[input.dim_slots[axis]]);
    const int32_t updater = model.updaters[buffer.index];
    if (const int32_t growth = updater < 0 ? -1 : model.growing[updater]; growth >= 0)
      shape[a.growths[growth].axis] = a.growths[growth].capacity;
    available = dtypeBytes(input.dtype, elementCount(shape.data(), input.rank));
  }
  if (bytes <= available)
    return {};
  return failure(DYNAC_MISMATCH, "%s is damaged: buffer %d has %lld bytes, its memory %lld",
                 model.artifact.origin(), root, (long long)bytes, (long long)available);
}

/// Outputs that append to an input need room for it.
Status Context::checkGrowths(const Plan &plan) const {
  const dynac_artifact_t &a = model->tables();
  for (int32_t i = 0; i < growthCount(a); ++i) {
    const dynac_growth_t &growth = a.growths[i];
    const dynac_value_info_t &from = a.inputs[growth.input], &to = a.outputs[growth.output];
    std::vector<int64_t> shape;
    for (int32_t axis = 0; axis < to.rank; ++axis) {
      const int32_t slot = to.dim_slots[axis];
      const int64_t before = plan.slots.value[from.dim_slots[axis]], after = plan.slots.value[slot];
      if (!plan.slots.known(slot) || (axis == growth.axis ? after < before : after != before))
        return failure(DYNAC_MISMATCH, "%s is damaged: output \"%s\" does not extend input \"%s\"",
                       model->artifact.origin(), to.name, from.name);
      if (axis == growth.axis && after > growth.capacity)
        return failure(DYNAC_SIGNATURE,
                       "input \"%s\" axis %d: got %lld, output \"%s\" would have %lld there and "
                       "was compiled with a capacity of %lld",
                       from.name, axis, (long long)before, to.name, (long long)after,
                       (long long)growth.capacity);
      shape.push_back(axis == growth.axis ? growth.capacity : after);
    }
    const int64_t needed = dtypeBytes(to.dtype, elementCount(shape.data(), to.rank));
    if (needed < 0 || plan.bytes[model->outputRoots[growth.output]] < needed)
      return failure(DYNAC_MISMATCH, "%s is damaged: output \"%s\" has no room for %lld bytes",
                     model->artifact.origin(), to.name, (long long)needed);
  }
  return {};
}

Status Context::makePlan(const dynac_value_t *inputs, Plan &plan) const {
  const dynac_artifact_t &a = model->tables();
  if (Status status = bindShapes(*model, inputs, plan.slots); status.failed())
    return status;
  plan.bytes.assign(a.buffer_count, -1);
  std::vector<int64_t> rootBytes(a.buffer_count, -1);
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    const int32_t slot = a.buffers[i].bytes_slot;
    if (!plan.slots.known(slot) || plan.slots.value[slot] < 0)
      continue; // data-dependent, or an error if the buffer is ever used
    plan.bytes[i] = plan.slots.value[slot];
    if (plan.bytes[i] > maxBufferBytes)
      return failure(DYNAC_SIGNATURE, "these input shapes need a buffer of %lld bytes",
                     (long long)plan.bytes[i]);
    int64_t &root = rootBytes[model->roots[i]];
    root = std::max(root, plan.bytes[i]);
  }
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    if (rootBytes[i] < 0 || model->dynamicRoot[i])
      continue;
    plan.bytes[i] = rootBytes[i];
    if (Status status = checkFixedSize(*model, i, rootBytes[i], plan); status.failed())
      return status;
  }
  return checkGrowths(plan);
}

/// Planning costs more than the rest of a small run, and a decoder has a new shape at every token:
/// the last layout serves as long as every buffer fits. A second layout has room to grow.
void Context::makeLayout(Plan &plan) {
  const dynac_artifact_t &a = model->tables();
  const auto inArena = [&](int32_t i) {
    return a.buffers[i].kind == DYNAC_BUFFER_ARENA && !model->dynamicRoot[i] && plan.bytes[i] >= 0;
  };
  bool fits = lastLayout != nullptr;
  for (int32_t i = 0; i < a.buffer_count && fits; ++i)
    fits = !inArena(i) || plan.bytes[i] <= lastLayout->room[i];
  if (fits) {
    plan.layout = lastLayout;
    return;
  }
  auto layout = std::make_shared<Layout>();
  layout->room.assign(a.buffer_count, -1);
  layout->offsets.assign(a.buffer_count, -1);
  std::vector<ArenaRequest> requests;
  std::vector<int32_t> owners;
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    if (!inArena(i))
      continue;
    const bool grew = lastLayout && lastLayout->room[i] >= 0 && plan.bytes[i] > lastLayout->room[i];
    layout->room[i] = alignUp(plan.bytes[i] + (grew ? plan.bytes[i] / 8 : 0));
    requests.push_back({layout->room[i], &model->lifetimes[i]});
    owners.push_back(i);
  }
  std::vector<int64_t> offsets;
  layout->bytes = planArena(requests, offsets);
  for (size_t i = 0; i < owners.size(); ++i)
    layout->offsets[owners[i]] = offsets[i];
  plan.layout = lastLayout = std::move(layout);
}

Status Context::placeArena() {
  if (Status status = arena.reserve(current->layout->bytes); status.failed()) {
    current = nullptr;
    return status;
  }
  const dynac_artifact_t &a = model->tables();
  const std::vector<int64_t> &offsets = current->layout->offsets;
  for (int32_t i = 0; i < a.buffer_count; ++i)
    if (a.buffers[i].kind == DYNAC_BUFFER_ARENA)
      memory[i] = offsets[i] < 0 ? nullptr : static_cast<char *>(arena.data()) + offsets[i];
  return {};
}

Status Context::placeScratch() {
  for (Block &block : scratch)
    if (Status status = block.reserve(model->scratchBytes); status.failed())
      return status;
  return {};
}

bool Context::outputShape(int32_t index, std::vector<int64_t> &shape) const {
  const dynac_value_info_t &info = model->tables().outputs[index];
  shape.clear();
  bool known = true;
  const SlotValues &slots = model->hasDynamicSizes ? runSlots : current->slots;
  for (int32_t axis = 0; axis < info.rank; ++axis) {
    const int32_t slot = info.dim_slots[axis];
    const bool fine = slots.known(slot) && slots.value[slot] >= 0;
    shape.push_back(fine ? slots.value[slot] : -1);
    known &= fine;
  }
  return known;
}

bool Context::describeOutput(int32_t index) {
  Output &output = outputs[index];
  const bool known = outputShape(index, output.shape);
  output.strides.clear();
  if (const int32_t number = model->growing[index]; number >= 0) {
    const dynac_growth_t &growth = model->tables().growths[number];
    output.strides = stridesWithin(model->tables().outputs[index].dtype, output.shape, growth.axis,
                                   growth.capacity);
  }
  return known;
}

Status Context::run(const dynac_value_t *inputs, size_t inputCount, dynac_value_t *outs,
                    size_t outputCount) {
  if (Status status = checkCounts(inputCount, outputCount); status.failed())
    return status;
  if (Status status = selectPlan(inputs); status.failed())
    return status;
  if (model->hasDynamicSizes)
    runSlots = current->slots;
  if (Status status = placeScratch(); status.failed())
    return status;
  if (Status status = checkOutputs(outs); status.failed())
    return status;
  if (Status status = takeInputs(inputs); status.failed())
    return status;
  if (Status status = placeOutputs(outs); status.failed())
    return status;
  if (Status status = placeInputs(inputs, outs); status.failed())
    return status;
  Executor executor(*this);
  Status status = executor.run();
  for (int32_t i = 0; i < int32_t(outputCount) && !status.failed(); ++i)
    status = deliver(executor, i, outs[i]);
  if (model->hasDynamicSizes)
    endDynamic();
  return status;
}

Status Context::infer(const dynac_value_t *inputs, size_t inputCount, dynac_value_t *outs,
                      size_t outputCount) {
  if (Status status = checkCounts(inputCount, outputCount); status.failed())
    return status;
  if (Status status = selectPlan(inputs); status.failed())
    return status;
  if (model->hasDynamicSizes)
    runSlots = current->slots;
  for (int32_t i = 0; i < int32_t(outputCount); ++i) {
    const dynac_value_info_t &info = model->tables().outputs[i];
    Output &output = outputs[i];
    const bool known = describeOutput(i);
    outs[i] = {};
    outs[i].kind = DYNAC_VALUE_TENSOR;
    outs[i].borrowed = 1;
    outs[i].as.tensor.dtype = info.dtype;
    outs[i].as.tensor.rank = info.rank;
    outs[i].as.tensor.shape = output.shape.data();
    outs[i].as.tensor.bytes =
        known ? dtypeBytes(info.dtype, elementCount(output.shape.data(), info.rank)) : -1;
    if (!output.strides.empty()) {
      outs[i].as.tensor.strides = output.strides.data();
      outs[i].as.tensor.bytes = current->bytes[model->outputRoots[i]];
    }
    outs[i].as.tensor.device = DYNAC_DEVICE_CPU;
  }
  return {};
}

void Context::endDynamic() {
  for (size_t i = 0; i < memory.size(); ++i)
    if (model->dynamicRoot[i]) {
      memory[i] = nullptr;
      capacity[i] = 0;
    }
  side.endRun();
}

} // namespace dynac::rt
