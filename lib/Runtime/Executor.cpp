//===- Executor.cpp - runs the steps of a placed context --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "DType.h"
#include "EntryCheck.h"
#include "Validate.h"

#include <algorithm>
#include <cstring>
#include <time.h>

namespace dynac::rt {

static int64_t nowNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

Executor::Executor(Context &context)
    : c(context), model(*context.model), a(model.tables()),
      slots(model.hasDynamicSizes ? context.runSlots : context.current->slots) {}

Status Executor::run() { return a.block_count == 0 ? Status() : runBlock(0); }

Status Executor::runBlock(int32_t block) {
  for (int32_t i = a.blocks[block].begin; i < a.blocks[block].end; ++i) {
    if (Status status = runStep(i); status.failed())
      return status;
    if (block != 0)
      continue;
    for (int32_t root : model.releasedAfter[i]) {
      c.side.give(c.memory[root]);
      c.memory[root] = nullptr;
      c.capacity[root] = 0;
    }
  }
  return {};
}

Status Executor::slotValue(const dynac_step_t &step, int32_t slot, int64_t &value) const {
  value = slots.value[slot];
  if (slots.known(slot))
    return {};
  return failure(DYNAC_SIGNATURE, "step \"%s\": the dimension %s cannot be computed", step.name,
                 model.dims->text(slot).c_str());
}

Status Executor::bufferBytes(int32_t buffer, int64_t &bytes) const {
  constexpr int64_t limit = int64_t(1) << 46;
  const int32_t slot = a.buffers[buffer].bytes_slot;
  bytes = slots.value[slot];
  if (slots.known(slot) && bytes >= 0 && bytes <= limit)
    return {};
  return failure(DYNAC_SIGNATURE, "the size %s of buffer %d cannot be computed or is too large",
                 model.dims->text(slot).c_str(), buffer);
}

Status Executor::ensure(int32_t buffer, int64_t atLeast) {
  const int32_t root = model.roots[buffer];
  void *&memory = c.memory[root];
  int64_t need, rootNeed;
  if (Status status = bufferBytes(buffer, need); status.failed())
    return status;
  need = std::max(need, atLeast);
  // The root may itself be larger than this alias, or not be known yet.
  if (slots.known(a.buffers[root].bytes_slot) && !bufferBytes(root, rootNeed).failed())
    need = std::max(need, rootNeed);
  const int32_t kind = a.buffers[root].kind;
  if (!model.dynamicRoot[root] && (kind != DYNAC_BUFFER_ARENA || memory)) {
    if (need <= std::max<int64_t>(c.current->bytes[root], 0) && (memory || need == 0))
      return {};
    return failure(DYNAC_MISMATCH, "%s is damaged: buffer %d has %lld bytes, its memory %lld",
                   model.artifact.origin(), buffer, (long long)need,
                   (long long)c.current->bytes[root]);
  }
  int64_t &capacity = c.capacity[root];
  if (memory && need <= capacity)
    return {};
  if (kind == DYNAC_BUFFER_OUTPUT) {
    const int32_t output = a.buffers[root].index;
    if (c.outputs[output].direct)
      return failure(DYNAC_SIGNATURE,
                     "output \"%s\": got memory of %lld bytes, this run needs %lld",
                     a.outputs[output].name, (long long)capacity, (long long)need);
    Block &block = c.outputBlocks[output];
    Status status = block.reserve(need, memory ? capacity : 0);
    memory = block.data();
    capacity = block.capacity();
    return status;
  }
  void *fresh;
  int64_t freshCapacity;
  if (Status status = c.side.take(need, fresh, freshCapacity); status.failed())
    return status;
  if (memory) {
    std::memcpy(fresh, memory, size_t(capacity));
    c.side.give(memory);
  }
  memory = fresh;
  capacity = freshCapacity;
  return {};
}

/// Looks up the step's buffers and dims.
Status Executor::gather(int32_t index) {
  const dynac_step_t &step = a.steps[index];
  buffers.resize(size_t(step.buffer_count));
  dims.resize(size_t(step.dim_count));
  for (int32_t i = 0; i < step.dim_count; ++i)
    if (Status status = slotValue(step, step.dims[i], dims[i]); status.failed())
      return status;
  for (int32_t i = 0; i < step.buffer_count; ++i) {
    const int32_t root = model.roots[step.buffers[i]];
    if (model.dynamicStep[index] || !c.memory[root])
      if (Status status = ensure(step.buffers[i]); status.failed())
        return failure(dynac_code_t(status.code()), "step \"%s\": %s", step.name, status.message());
    buffers[i] = c.memory[root];
  }
  return {};
}

namespace {
/// One piece of a kernel's work: forwards, or in `parts` parts from the last to the first.
int32_t runUnits(dynac_kernel_fn body, const dynac_kernel_args_t &args, int64_t begin, int64_t end,
                 int64_t parts) {
  if (parts <= 1)
    return body(&args, begin, end);
  const int64_t size = (end - begin + parts - 1) / parts;
  for (; end > begin; end -= size)
    if (const int32_t result = body(&args, std::max(begin, end - size), end))
      return result;
  return 0;
}

/// A kernel's pieces. Sizes differ by at most one unit.
struct KernelJob {
  dynac_kernel_fn body;
  dynac_kernel_args_t args;
  const std::vector<Block> *scratch;
  int64_t extent, pieces, parts;
  std::atomic<int32_t> result{0};

  static void piece(void *arg, int64_t index) {
    auto &job = *static_cast<KernelJob *>(arg);
    if (job.result.load(std::memory_order_relaxed) != 0)
      return;
    const int64_t size = job.extent / job.pieces, larger = job.extent % job.pieces;
    const int64_t begin = index * size + std::min(index, larger);
    dynac_kernel_args_t args = job.args;
    args.scratch = (*job.scratch)[size_t(index)].data();
    const int32_t result =
        runUnits(job.body, args, begin, begin + size + (index < larger), job.parts);
    int32_t none = 0;
    if (result != 0)
      job.result.compare_exchange_strong(none, result);
  }
};
} // namespace

Status Executor::runKernel(int32_t index) {
  const dynac_step_t &step = a.steps[index];
  extent = slots.value[step.extent_slot];
  if (!slots.known(step.extent_slot))
    return slotValue(step, step.extent_slot, extent);
  if (extent <= 0) {
    extent = 0;
    return {};
  }
  if (Status status = gather(index); status.failed())
    return status;
  const dynac_kernel_fn body = model.kernels[step.index];
  dynac_kernel_args_t args = {buffers.data(), dims.data(), c.scratch[0].data()};
  pieces = int32_t(std::clamp<int64_t>(extent / step.grain, 1, model.threads));
  int64_t parts = 1;
  if (const int32_t weight = model.rereads[index]; weight >= 0) {
    if (c.backwards[weight])
      parts = model.rereadParts(weight, extent / pieces);
    c.backwards[weight] = !c.backwards[weight];
  }
  int32_t result;
  if (pieces == 1) {
    result = runUnits(body, args, 0, extent, parts);
  } else {
    KernelJob job{body, args, &c.scratch, extent, pieces, parts};
    model.services.run(pieces, KernelJob::piece, &job);
    result = job.result.load();
  }
  if (result == 0)
    return {};
  if (result >= 1 && result <= a.message_count)
    return failure(DYNAC_SIGNATURE, "step \"%s\": %s", step.name, a.messages[result - 1]);
  return failure(DYNAC_MISMATCH, "step \"%s\": kernel %s returned the unknown result %d", step.name,
                 a.kernels[step.index].name, result);
}

Status Executor::copy(const dynac_step_t &step) {
  int64_t from, to;
  if (Status status = bufferBytes(step.buffers[0], from); status.failed())
    return status;
  if (Status status = bufferBytes(step.buffers[1], to); status.failed())
    return status;
  if (from != to)
    return failure(DYNAC_MISMATCH, "step \"%s\": copies %lld bytes to %lld", step.name,
                   (long long)from, (long long)to);
  if (from > 0)
    std::memmove(buffers[1], buffers[0], size_t(from));
  return {};
}

template <typename T> static int64_t load(const void *data, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + i * int64_t(sizeof(T)), sizeof(T));
  return int64_t(value);
}

static bool loadInteger(int32_t dtype, const void *data, int64_t i, int64_t &value) {
  switch (dtype) {
  case DYNAC_I8:
    value = load<int8_t>(data, i);
    return true;
  case DYNAC_BOOL:
  case DYNAC_U8:
    value = load<uint8_t>(data, i);
    return true;
  case DYNAC_I16:
    value = load<int16_t>(data, i);
    return true;
  case DYNAC_U16:
    value = load<uint16_t>(data, i);
    return true;
  case DYNAC_I32:
    value = load<int32_t>(data, i);
    return true;
  case DYNAC_U32:
    value = load<uint32_t>(data, i);
    return true;
  case DYNAC_I64:
    value = load<int64_t>(data, i);
    return true;
  case DYNAC_U64:
    value = load<int64_t>(data, i);
    return value >= 0;
  default:
    return false;
  }
}

Status Executor::bindDim(const dynac_step_t &step) {
  const int32_t buffer = step.buffers[0], dtype = a.buffers[buffer].dtype;
  int64_t bytes, value = 0;
  if (Status status = bufferBytes(buffer, bytes); status.failed())
    return status;
  const int64_t element = dims[0], width = dtypeBytes(dtype, 1);
  if (element < 0 || element >= bytes / width || !loadInteger(dtype, buffers[0], element, value))
    return failure(DYNAC_MISMATCH, "step \"%s\": element %lld of %lld bytes of %s is no dimension",
                   step.name, (long long)element, (long long)bytes, dtypeName(dtype));
  const dynac_symbol_t &symbol = a.symbols[step.index];
  if (std::string allowed = allowedInstead(symbol, value); !allowed.empty())
    return failure(DYNAC_SIGNATURE, "step \"%s\": got %lld, allowed: %s", step.name,
                   (long long)value, allowed.c_str());
  model.dims->bind(slots, step.index, value);
  return {};
}

Status Executor::runHost(const dynac_step_t &step) {
  std::vector<int64_t> bytes(step.buffer_count);
  std::vector<int32_t> dtypes(step.buffer_count);
  for (int32_t i = 0; i < step.buffer_count; ++i) {
    dtypes[i] = a.buffers[step.buffers[i]].dtype;
    if (Status status = bufferBytes(step.buffers[i], bytes[i]); status.failed())
      return status;
  }
  const HostKernelArgs args = {buffers.data(),    bytes.data(), dtypes.data(),
                               step.buffer_count, dims.data(),  step.dim_count};
  Status status = model.hostKernels[step.index](args);
  if (status.failed())
    return failure(dynac_code_t(status.code()), "step \"%s\": %s", step.name, status.message());
  return {};
}

Status Executor::condition(const dynac_step_t &step, bool &value) const {
  int64_t bytes;
  if (Status status = bufferBytes(step.buffers[0], bytes); status.failed())
    return status;
  if (bytes < 1 || a.buffers[step.buffers[0]].dtype != DYNAC_BOOL)
    return failure(DYNAC_MISMATCH, "step \"%s\": its condition is no boolean", step.name);
  value = *static_cast<const uint8_t *>(buffers[0]) != 0;
  return {};
}

Status Executor::runIf(const dynac_step_t &step) {
  bool taken = false;
  if (Status status = condition(step, taken); status.failed())
    return status;
  const int32_t block = taken ? step.index : step.index2;
  return block >= 0 ? runBlock(block) : Status();
}

Status Executor::runWhile(int32_t index) {
  const dynac_step_t &step = a.steps[index];
  while (true) {
    bool again = false;
    if (Status status = condition(step, again); status.failed() || !again)
      return status;
    if (Status status = runBlock(step.index); status.failed())
      return status;
    if (Status status = gather(index); status.failed()) // the block had its own operands
      return status;
  }
}

void Executor::report(int32_t index, int64_t beginNs) {
  const int64_t endNs = nowNs();
  const dynac_step_t &step = a.steps[index];
  std::vector<int64_t> bytes, values;
  std::vector<void *> memory;
  for (int32_t i = 0; i < step.buffer_count; ++i) {
    bytes.push_back(slots.value[a.buffers[step.buffers[i]].bytes_slot]);
    memory.push_back(c.memory[model.roots[step.buffers[i]]]);
  }
  for (int32_t i = 0; i < step.dim_count; ++i)
    values.push_back(slots.value[step.dims[i]]);
  auto figure = [&](int32_t dynac_step_work_t::*slot) -> int64_t {
    const int32_t number = hasWork(a) ? a.work[index].*slot : -1;
    return number >= 0 && slots.known(number) ? slots.value[number] : -1;
  };
  const dynac_step_event_t event = {index,
                                    pieces,
                                    beginNs,
                                    endNs,
                                    extent,
                                    values.data(),
                                    bytes.data(),
                                    memory.data(),
                                    figure(&dynac_step_work_t::flops_slot),
                                    figure(&dynac_step_work_t::bytes_slot),
                                    figure(&dynac_step_work_t::weight_bytes_slot)};
  c.stepCallback(c.stepUser, &event);
}

Status Executor::runStep(int32_t index) {
  const dynac_step_t &step = a.steps[index];
  const int64_t begin = c.stepCallback ? nowNs() : 0;
  extent = 1;
  pieces = 1;
  Status status;
  if (step.kind != DYNAC_STEP_KERNEL)
    status = gather(index);
  if (!status.failed()) {
    switch (step.kind) {
    case DYNAC_STEP_KERNEL:
      status = runKernel(index);
      break;
    case DYNAC_STEP_COPY:
      status = copy(step);
      break;
    case DYNAC_STEP_BIND_DIM:
      status = bindDim(step);
      break;
    case DYNAC_STEP_HOST:
      status = runHost(step);
      break;
    case DYNAC_STEP_CHECK:
      if (dims[0] == 0)
        status = failure(DYNAC_SIGNATURE, "step \"%s\": %s", step.name, a.messages[step.index]);
      break;
    case DYNAC_STEP_IF:
      status = runIf(step);
      break;
    case DYNAC_STEP_WHILE:
      status = runWhile(index);
      break;
    }
  }
  if (c.stepCallback && !status.failed()) {
    if (step.kind != DYNAC_STEP_KERNEL) // nested steps have left theirs
      extent = pieces = 1;
    report(index, begin);
  }
  return status;
}

} // namespace dynac::rt
