//===- ScheduleControl.cpp - nested blocks, checks, host kernels ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "dynac/Support/Diagnostic.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

llvm::Error Scheduler::runHost(CustomCallOp call) {
  if (llvm::Error error = expectTensors(call))
    return error;
  PlanStep step;
  step.kind = DYNAC_STEP_HOST;
  step.name = nodeNames(call.getLoc());
  auto kernel = llvm::find(plan.hostKernels, call.getTarget());
  step.index = kernel - plan.hostKernels.begin();
  if (kernel == plan.hostKernels.end())
    plan.hostKernels.push_back(call.getTarget().str());
  for (Value x : call.getXs())
    step.buffers.push_back(read(x));
  step.work.firstResult = step.buffers.size();
  step.work.resultCount = call.getYs().size();
  for (Value y : call.getYs()) {
    bufferOf[y] = addBuffer(DYNAC_BUFFER_ARENA, 0, y.getType());
    step.buffers.push_back(bufferOf[y]);
  }
  if (DictionaryAttr config = call.getConfigAttr())
    for (NamedAttribute entry : config) {
      auto dims = dyn_cast<DimsAttr>(entry.getValue());
      if (!dims || entry.getName() != "dims")
        return unsupported("{0}: '{1}' has a setting '{2}'", step.name, call.getTarget(),
                           entry.getName().getValue());
      for (const SymExpr &dim : dims.exprs())
        step.dims.push_back(plan.slotOf(dim));
    }
  emit(std::move(step));
  return llvm::Error::success();
}

llvm::Error Scheduler::expectTensors(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!isa<RankedTensorType>(type))
        return unsupported("{0}: values that are no tensors have no schedule yet",
                           nodeNames(op->getLoc()));
  return llvm::Error::success();
}

llvm::Error Scheduler::runAssert(AssertOp check) {
  std::string name = nodeNames(check.getLoc());
  if (!elementCount(shapeOf(check.getCondition())).isOne())
    return unsupported("{0}: a check of several conditions", name);
  std::string symbol;
  do
    symbol = "check" + std::to_string(checkCount++);
  while (llvm::any_of(plan.symbols, [&](const PlanSymbol &known) { return known.name == symbol; }));
  int32_t slot = plan.symbolSlot(symbol);
  PlanStep bind;
  bind.kind = DYNAC_STEP_BIND_DIM;
  bind.index = plan.symbols.size() - 1;
  bind.buffers = {read(check.getCondition())};
  bind.dims = {plan.slotOf(SymExpr(0))};
  bind.name = name;
  plan.symbols.back().dataDependent = true;
  plan.symbols.back().max = 1;
  emit(std::move(bind));
  PlanStep test;
  test.kind = DYNAC_STEP_CHECK;
  test.index = plan.messageOf(check.getMessage());
  test.dims = {slot};
  test.name = name;
  emit(std::move(test));
  return llvm::Error::success();
}

llvm::Expected<int32_t> Scheduler::nestedBlock(Block &body,
                                               llvm::function_ref<void(ValueRange)> finish) {
  int32_t outer = current, number = blocks.size();
  blocks.emplace_back();
  blocks[number].parent = outer;
  current = number;
  llvm::Error error = runBlock(body);
  if (!error)
    finish(body.getTerminator()->getOperands());
  current = outer;
  if (error)
    return std::move(error);
  return number;
}

llvm::Error Scheduler::runIf(IfOp choice) {
  if (llvm::Error error = expectTensors(choice))
    return error;
  PlanStep step;
  step.kind = DYNAC_STEP_IF;
  step.name = nodeNames(choice.getLoc());
  step.buffers = {read(choice.getCondition())};
  SmallVector<int32_t> results;
  for (Value result : choice.getResults())
    results.push_back(bufferOf[result] = addBuffer(DYNAC_BUFFER_ARENA, 0, result.getType()));
  int32_t numbers[2];
  for (unsigned i = 0; i < 2; ++i) {
    Block &body = choice->getRegion(i).front();
    for (auto [argument, captured] : llvm::zip(body.getArguments(), choice.getCaptured()))
      bufferOf[argument] = read(captured);
    auto number = nestedBlock(body, [&](ValueRange yielded) {
      for (auto [value, result] : llvm::zip(yielded, results))
        emitCopy(read(value), result, step.name);
    });
    if (!number)
      return number.takeError();
    numbers[i] = *number;
  }
  step.index = numbers[0];
  step.index2 = numbers[1];
  emitRunner(std::move(step));
  return llvm::Error::success();
}

llvm::Error Scheduler::runWhile(WhileOp loop) {
  if (llvm::Error error = expectTensors(loop))
    return error;
  PlanStep step;
  step.kind = DYNAC_STEP_WHILE;
  step.name = nodeNames(loop.getLoc());
  SmallVector<int32_t> state;
  auto startFrom = [&](Value initial) {
    state.push_back(addBuffer(DYNAC_BUFFER_ARENA, 0, initial.getType()));
    emitCopy(read(initial), state.back(), step.name);
  };
  startFrom(loop.getCondition());
  Block &body = loop.getBody().front();
  for (auto [initial, result] : llvm::zip(loop.getInitial(), loop.getResults())) {
    startFrom(initial);
    bufferOf[result] = state.back();
    bufferOf[body.getArgument(state.size() - 2)] = state.back();
  }
  auto captured = body.getArguments().drop_front(loop.getInitial().size());
  for (auto [argument, value] : llvm::zip(captured, loop.getCaptured()))
    bufferOf[argument] = read(value);
  auto number = nestedBlock(body, [&](ValueRange yielded) {
    SmallVector<int32_t> next;
    for (auto [i, value] : llvm::enumerate(yielded)) {
      next.push_back(read(value));
      // State that moves to another place is saved before that place's or its own is overwritten.
      int32_t root = rootOf(next.back());
      if (root == state[i] || !llvm::is_contained(state, root))
        continue;
      int32_t saved = addBuffer(DYNAC_BUFFER_ARENA, 0, value.getType());
      emitCopy(next.back(), saved, step.name);
      next.back() = saved;
    }
    for (auto [from, to] : llvm::zip(next, state))
      if (rootOf(from) != to)
        emitCopy(from, to, step.name);
  });
  if (!number)
    return number.takeError();
  step.index = *number;
  step.buffers = {state[0]};
  emitRunner(std::move(step));
  return llvm::Error::success();
}

void Scheduler::emitRunner(PlanStep step) {
  for (int32_t number : {step.index, step.index2})
    if (number >= 0)
      blocks[number].runner = blocks[current].steps.size();
  emit(std::move(step));
}

void Scheduler::layOut() {
  for (PlanBlock &block : blocks) {
    block.begin = plan.steps.size();
    std::move(block.steps.begin(), block.steps.end(), std::back_inserter(plan.steps));
    plan.blocks.push_back({block.begin, static_cast<int32_t>(plan.steps.size())});
  }
}

void Scheduler::setLiveness() {
  for (auto [number, block] : llvm::enumerate(plan.blocks))
    for (int32_t i = block.begin; i < block.end; ++i)
      for (int32_t buffer : plan.steps[i].buffers) {
        int32_t root = rootOf(buffer);
        int32_t owner = number, at = i;
        while (owner != homeOf[root] && owner != 0) {
          at = blocks[blocks[owner].parent].begin + blocks[owner].runner;
          owner = blocks[owner].parent;
        }
        dynac_buffer_t &touched = plan.buffers[root];
        touched.first_step = touched.first_step < 0 ? at : std::min(touched.first_step, at);
        touched.last_step = std::max(touched.last_step, at);
      }
  for (dynac_buffer_t &buffer : plan.buffers)
    if (buffer.kind != DYNAC_BUFFER_ALIAS && buffer.first_step < 0)
      buffer.first_step = buffer.last_step = 0;
  for (auto [i, buffer] : llvm::enumerate(plan.buffers)) {
    const dynac_buffer_t &root = plan.buffers[rootOf(i)];
    buffer.first_step = root.first_step;
    buffer.last_step = root.last_step;
  }
}
