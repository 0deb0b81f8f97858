//===- Validate.cpp - checks an artifact's header and tables ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validate.h"

#include "DType.h"
#include "HostKernels.h"

#include <cstddef>
#include <vector>

namespace dynac::rt {

bool hasWork(const dynac_artifact_t &artifact) { return artifact.abi >= 2 && artifact.work; }

int32_t growthCount(const dynac_artifact_t &artifact) {
  return artifact.abi >= 3 ? artifact.growth_count : 0;
}

/// The header's size in the first ABI and in the artifact's.
static size_t headerBytes(uint32_t abi) {
  return abi < 2   ? offsetof(dynac_artifact_t, work)
         : abi < 3 ? offsetof(dynac_artifact_t, growths)
                   : sizeof(dynac_artifact_t);
}

Status validateHeader(const dynac_artifact_t &artifact, const char *origin) {
  if (artifact.magic != DYNAC_ABI_MAGIC)
    return failure(DYNAC_MISMATCH, "%s is not a dynac artifact", origin);
  if (artifact.min_runtime_abi > DYNAC_ABI_VERSION)
    return failure(DYNAC_MISMATCH,
                   "%s needs a runtime of ABI %u or newer, this runtime has ABI %u: use a newer "
                   "libdynac_rt, or compile the model again with this version",
                   origin, artifact.min_runtime_abi, DYNAC_ABI_VERSION);
  if (artifact.abi == 0 || artifact.struct_size < headerBytes(artifact.abi))
    return failure(DYNAC_MISMATCH,
                   "%s is damaged: its header has ABI %u and %u bytes, expected "
                   "at least %zu bytes",
                   origin, artifact.abi, artifact.struct_size, headerBytes(artifact.abi));
  return {};
}

int32_t rootBuffer(const dynac_artifact_t &artifact, int32_t buffer) {
  while (artifact.buffers[buffer].kind == DYNAC_BUFFER_ALIAS)
    buffer = artifact.buffers[buffer].index;
  return buffer;
}

namespace {

/// Collects the first thing that is wrong.
class Checker {
public:
  Checker(const dynac_artifact_t &artifact, const char *origin) : a(artifact), origin(origin) {}

  Status run() {
    if (counts() && symbolsAndExprs() && buffers() && values("input", a.inputs, a.input_count) &&
        values("output", a.outputs, a.output_count) && aliases() && growths() && weights() &&
        kernels() && hostKernels() && steps() && blocks())
      return {};
    return std::move(result);
  }

private:
  template <typename... Args> bool bad(const char *text, Args... args) {
    result = failure(DYNAC_MISMATCH, "%s is damaged: %s", origin, format(text, args...).c_str());
    return false;
  }

  static bool in(int64_t index, int32_t count) { return index >= 0 && index < count; }

  bool slot(int32_t number, const char *what, int32_t i) {
    return in(number, a.expr_count) ||
           bad("%s %d refers to dimension slot %d of %d", what, i, number, a.expr_count);
  }

  bool counts();
  bool symbolsAndExprs();
  bool buffers();
  bool values(const char *what, const dynac_value_info_t *list, int32_t count);
  bool aliases();
  bool growths();
  bool weights();
  bool kernels();
  bool hostKernels();
  bool steps();
  bool stepIndex(const dynac_step_t &step, int32_t i);
  bool stepWork(const dynac_step_t &step, int32_t i);
  bool blocks();
  bool nesting(int32_t block, int depth, std::vector<int8_t> &visited);

  const dynac_artifact_t &a;
  const char *origin;
  Status result;
};

} // namespace

bool Checker::counts() {
  const struct {
    const char *name;
    const void *table;
    int32_t count;
  } tables[] = {{"inputs", a.inputs, a.input_count},
                {"outputs", a.outputs, a.output_count},
                {"symbols", a.symbols, a.symbol_count},
                {"exprs", a.exprs, a.expr_count},
                {"buffers", a.buffers, a.buffer_count},
                {"weights", a.weights, a.weight_count},
                {"targets", a.targets, a.target_count},
                {"kernels", a.kernels, a.kernel_count},
                {"steps", a.steps, a.step_count},
                {"blocks", a.blocks, a.block_count},
                {"messages", a.messages, a.message_count},
                {"host_kernels", a.host_kernels, a.host_kernel_count},
                {"growths", growthCount(a) ? a.growths : nullptr, growthCount(a)}};
  for (const auto &table : tables)
    if (table.count < 0 || (table.count > 0 && !table.table))
      return bad("table %s with %d entries is missing", table.name, table.count);
  if (!a.name || !a.compiler)
    return bad("it has no %s", "name");
  for (int32_t i = 0; i < a.message_count; ++i)
    if (!a.messages[i])
      return bad("message %d is missing", i);
  for (int32_t i = 0; i < a.target_count; ++i)
    if (!a.targets[i].name)
      return bad("target %d has no name", i);
  return true;
}

bool Checker::symbolsAndExprs() {
  for (int32_t i = 0; i < a.expr_count; ++i) {
    const dynac_expr_t &expr = a.exprs[i];
    if (expr.op < DYNAC_EXPR_CONST || expr.op > DYNAC_EXPR_MAX)
      return bad("dimension slot %d has operation %d", i, expr.op);
    if (expr.op == DYNAC_EXPR_SYMBOL && !in(expr.imm, a.symbol_count))
      return bad("dimension slot %d refers to symbol %lld of %d", i, (long long)expr.imm,
                 a.symbol_count);
    if (expr.op >= DYNAC_EXPR_ADD && (!in(expr.a, i) || !in(expr.b, i)))
      return bad("dimension slot %d refers to slots %d and %d, which are not earlier ones", i,
                 expr.a, expr.b);
  }
  for (int32_t i = 0; i < a.symbol_count; ++i) {
    const dynac_symbol_t &symbol = a.symbols[i];
    if (!symbol.name)
      return bad("symbol %d has no name", i);
    if (symbol.min > symbol.max || symbol.multiple_of < 1)
      return bad("symbol %d has range %lld..%lld, multiple of %lld", i, (long long)symbol.min,
                 (long long)symbol.max, (long long)symbol.multiple_of);
    if (!slot(symbol.slot, "symbol", i))
      return false;
    if (a.exprs[symbol.slot].op != DYNAC_EXPR_SYMBOL || a.exprs[symbol.slot].imm != i)
      return bad("symbol %d has slot %d, which is not its own", i, symbol.slot);
  }
  return true;
}

bool Checker::buffers() {
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    const dynac_buffer_t &buffer = a.buffers[i];
    if (!dtypeInfo(buffer.dtype))
      return bad("buffer %d has dtype %d", i, buffer.dtype);
    if (!slot(buffer.bytes_slot, "buffer", i))
      return false;
    int32_t count = 0;
    switch (buffer.kind) {
    case DYNAC_BUFFER_INPUT:
      count = a.input_count;
      break;
    case DYNAC_BUFFER_OUTPUT:
      count = a.output_count;
      break;
    case DYNAC_BUFFER_WEIGHT:
      count = a.weight_count;
      break;
    case DYNAC_BUFFER_ALIAS:
      count = a.buffer_count;
      break;
    case DYNAC_BUFFER_ARENA:
      if (!in(buffer.first_step, a.step_count) || !in(buffer.last_step, a.step_count) ||
          buffer.first_step > buffer.last_step)
        return bad("buffer %d lives over steps %d..%d of %d", i, buffer.first_step,
                   buffer.last_step, a.step_count);
      continue;
    default:
      return bad("buffer %d has kind %d", i, buffer.kind);
    }
    if (!in(buffer.index, count))
      return bad("buffer %d of kind %d refers to number %d of %d", i, buffer.kind, buffer.index,
                 count);
  }
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    int32_t end = i;
    for (int32_t hops = 0; a.buffers[end].kind == DYNAC_BUFFER_ALIAS; ++hops) {
      if (hops == a.buffer_count)
        return bad("buffer %d is an alias of itself", i);
      end = a.buffers[end].index;
    }
  }
  return true;
}

bool Checker::values(const char *what, const dynac_value_info_t *list, int32_t count) {
  constexpr int32_t maxRank = 64;
  for (int32_t i = 0; i < count; ++i) {
    const dynac_value_info_t &value = list[i];
    if (!value.name)
      return bad("%s %d has no name", what, i);
    if (!dtypeInfo(value.dtype))
      return bad("%s %d has dtype %d", what, i, value.dtype);
    if (value.rank < 0 || value.rank > maxRank || (value.rank > 0 && !value.dim_slots))
      return bad("%s %d has rank %d", what, i, value.rank);
    for (int32_t axis = 0; axis < value.rank; ++axis)
      if (!slot(value.dim_slots[axis], what, i))
        return false;
    if (!in(value.buffer, a.buffer_count))
      return bad("%s %d refers to buffer %d of %d", what, i, value.buffer, a.buffer_count);
  }
  return true;
}

bool Checker::aliases() {
  for (int32_t i = 0; i < a.input_count; ++i) {
    const dynac_buffer_t &buffer = a.buffers[a.inputs[i].buffer];
    if (buffer.kind != DYNAC_BUFFER_INPUT || buffer.index != i)
      return bad("input %d has buffer %d, which is not its own", i, a.inputs[i].buffer);
  }
  for (int32_t i = 0; i < a.output_count; ++i) {
    const int32_t input = a.outputs[i].alias_input;
    if (input == -1)
      continue;
    if (!in(input, a.input_count))
      return bad("output %d updates input %d of %d", i, input, a.input_count);
    if (a.inputs[input].dtype != a.outputs[i].dtype)
      return bad("output %d updates input %d of another dtype", i, input);
    for (int32_t j = 0; j < i; ++j)
      if (a.outputs[j].alias_input == input)
        return bad("outputs %d and %d update the same input %d", j, i, input);
  }
  return true;
}

bool Checker::growths() {
  for (int32_t i = 0; i < growthCount(a); ++i) {
    const dynac_growth_t &growth = a.growths[i];
    if (!in(growth.output, a.output_count) || !in(growth.input, a.input_count) ||
        a.outputs[growth.output].alias_input != growth.input)
      return bad("growth %d has output %d and input %d, which it does not update", i, growth.output,
                 growth.input);
    const dynac_value_info_t &from = a.inputs[growth.input], &to = a.outputs[growth.output];
    if (from.rank != to.rank || !in(growth.axis, to.rank) || growth.capacity < 0 ||
        growth.capacity > int64_t(1) << 46 || dtypeInfo(to.dtype)->bits % 8 != 0 ||
        to.dtype == DYNAC_STRING)
      return bad("growth %d has axis %d of %d and %d, capacity %lld", i, growth.axis, from.rank,
                 to.rank, (long long)growth.capacity);
    for (int32_t j = 0; j < i; ++j)
      if (a.growths[j].output == growth.output)
        return bad("growths %d and %d have the same output %d", j, i, growth.output);
  }
  return true;
}

bool Checker::weights() {
  if (a.weights_kind > DYNAC_WEIGHTS_EXTERNAL)
    return bad("its weights are of kind %u", a.weights_kind);
  for (int32_t i = 0; i < a.weight_count; ++i) {
    const dynac_weight_t &weight = a.weights[i];
    if (!weight.name || weight.rank < 0 || (weight.rank > 0 && !weight.shape))
      return bad("weight %d has no name or shape", i);
    if (weight.offset < 0 || weight.offset % 64 != 0 || weight.bytes < 0 ||
        uint64_t(weight.offset) > a.weights_bytes ||
        uint64_t(weight.bytes) > a.weights_bytes - uint64_t(weight.offset))
      return bad("weight %d (%s) lies at %lld, %lld bytes, of %llu", i, weight.name,
                 (long long)weight.offset, (long long)weight.bytes,
                 (unsigned long long)a.weights_bytes);
  }
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    const dynac_buffer_t &buffer = a.buffers[i];
    if (buffer.kind != DYNAC_BUFFER_WEIGHT)
      continue;
    const dynac_expr_t &size = a.exprs[buffer.bytes_slot];
    if (size.op == DYNAC_EXPR_CONST && size.imm > a.weights[buffer.index].bytes)
      return bad("buffer %d has %lld bytes, but its weight %d has %lld", i, (long long)size.imm,
                 buffer.index, (long long)a.weights[buffer.index].bytes);
  }
  return true;
}

bool Checker::kernels() {
  for (int32_t i = 0; i < a.kernel_count; ++i) {
    const dynac_kernel_t &kernel = a.kernels[i];
    if (!kernel.name || !kernel.kind || !kernel.bodies)
      return bad("kernel %d has no name or no bodies", i);
    if (kernel.scratch_bytes < 0 || kernel.scratch_bytes > int64_t(1) << 40)
      return bad("kernel %s wants %lld bytes of scratch memory", kernel.name,
                 (long long)kernel.scratch_bytes);
  }
  return true;
}

bool Checker::hostKernels() {
  for (int32_t i = 0; i < a.host_kernel_count; ++i) {
    if (!a.host_kernels[i])
      return bad("host kernel %d has no name", i);
    if (findHostKernel(a.host_kernels[i]))
      continue;
    result = failure(DYNAC_MISMATCH,
                     "%s needs host kernel \"%s\", which this runtime (%s, ABI %u) does not have",
                     origin, a.host_kernels[i], dynac_version(), DYNAC_ABI_VERSION);
    return false;
  }
  return true;
}

/// What `index`, `index2` and the first operands mean for each kind.
bool Checker::stepIndex(const dynac_step_t &step, int32_t i) {
  const auto need = [&](int32_t bufferCount, int32_t dimCount) {
    return (step.buffer_count >= bufferCount && step.dim_count >= dimCount) ||
           bad("step %d of kind %d has %d buffers and %d dims", i, step.kind, step.buffer_count,
               step.dim_count);
  };
  const auto index = [&](int32_t number, int32_t count, const char *what) {
    return in(number, count) || bad("step %d refers to %s %d of %d", i, what, number, count);
  };
  switch (step.kind) {
  case DYNAC_STEP_KERNEL:
    if (step.grain < 1)
      return bad("step %d has grain %lld", i, (long long)step.grain);
    return index(step.index, a.kernel_count, "kernel") && slot(step.extent_slot, "step", i);
  case DYNAC_STEP_COPY:
    return need(2, 0);
  case DYNAC_STEP_BIND_DIM:
    if (!need(1, 1) || !index(step.index, a.symbol_count, "symbol"))
      return false;
    return a.symbols[step.index].data_dependent ||
           bad("step %d binds symbol %d, which the inputs bind", i, step.index);
  case DYNAC_STEP_IF:
    return need(1, 0) && index(step.index, a.block_count, "block") &&
           (step.index2 == -1 || index(step.index2, a.block_count, "block"));
  case DYNAC_STEP_WHILE:
    return need(1, 0) && index(step.index, a.block_count, "block");
  case DYNAC_STEP_HOST:
    return index(step.index, a.host_kernel_count, "host kernel");
  case DYNAC_STEP_CHECK:
    return need(0, 1) && index(step.index, a.message_count, "message");
  default:
    return bad("step %d has kind %d", i, step.kind);
  }
}

bool Checker::stepWork(const dynac_step_t &step, int32_t i) {
  const dynac_step_work_t &work = a.work[i];
  for (int32_t number : {work.flops_slot, work.bytes_slot, work.weight_bytes_slot})
    if (number != -1 && !slot(number, "work of step", i))
      return false;
  if (work.first_result == -1)
    return true;
  return (work.first_result >= 0 && work.result_count >= 0 &&
          work.result_count <= step.buffer_count - work.first_result) ||
         bad("step %d writes buffers %d and the next %d of %d", i, work.first_result,
             work.result_count, step.buffer_count);
}

bool Checker::steps() {
  for (int32_t i = 0; i < a.step_count; ++i) {
    const dynac_step_t &step = a.steps[i];
    if (!step.name || step.buffer_count < 0 || step.dim_count < 0 ||
        (step.buffer_count > 0 && !step.buffers) || (step.dim_count > 0 && !step.dims))
      return bad("step %d has no name, buffers or dims", i);
    for (int32_t j = 0; j < step.buffer_count; ++j)
      if (!in(step.buffers[j], a.buffer_count))
        return bad("step %d refers to buffer %d of %d", i, step.buffers[j], a.buffer_count);
    for (int32_t j = 0; j < step.dim_count; ++j)
      if (!slot(step.dims[j], "step", i))
        return false;
    if (!stepIndex(step, i) || (hasWork(a) && !stepWork(step, i)))
      return false;
  }
  return true;
}

/// Blocks must not run themselves; the depth bounds the executor's recursion.
bool Checker::nesting(int32_t block, int depth, std::vector<int8_t> &visited) {
  constexpr int maxDepth = 64;
  if (visited[block] == 1 || depth > maxDepth)
    return bad("block %d runs itself or nests deeper than %d", block, maxDepth);
  if (visited[block] == 2)
    return true;
  visited[block] = 1;
  for (int32_t i = a.blocks[block].begin; i < a.blocks[block].end; ++i) {
    const dynac_step_t &step = a.steps[i];
    if (step.kind != DYNAC_STEP_IF && step.kind != DYNAC_STEP_WHILE)
      continue;
    if (!nesting(step.index, depth + 1, visited))
      return false;
    if (step.kind == DYNAC_STEP_IF && step.index2 >= 0 && !nesting(step.index2, depth + 1, visited))
      return false;
  }
  visited[block] = 2;
  return true;
}

bool Checker::blocks() {
  int32_t end = 0;
  for (int32_t i = 0; i < a.block_count; ++i) {
    const dynac_block_t &block = a.blocks[i];
    if (block.begin != end || block.end < block.begin || block.end > a.step_count)
      return bad("block %d has steps %d..%d of %d", i, block.begin, block.end, a.step_count);
    end = block.end;
  }
  if (end != a.step_count)
    return bad("blocks have %d steps of %d", end, a.step_count);
  std::vector<int8_t> visited(a.block_count);
  return a.block_count == 0 || nesting(0, 0, visited);
}

Status validateTables(const dynac_artifact_t &artifact, const char *origin) {
  return Checker(artifact, origin).run();
}

} // namespace dynac::rt
