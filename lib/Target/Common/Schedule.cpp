//===- Schedule.cpp - from kernel regions to a plan -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Schedule.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

dynac_dtype_t dynac::dtypeOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DYNAC_BOOL;
    case 2:
      return isUnsigned ? DYNAC_U2 : DYNAC_I2;
    case 4:
      return isUnsigned ? DYNAC_U4 : DYNAC_I4;
    case 8:
      return isUnsigned ? DYNAC_U8 : DYNAC_I8;
    case 16:
      return isUnsigned ? DYNAC_U16 : DYNAC_I16;
    case 32:
      return isUnsigned ? DYNAC_U32 : DYNAC_I32;
    case 64:
      return isUnsigned ? DYNAC_U64 : DYNAC_I64;
    default:
      return DYNAC_DTYPE_INVALID;
    }
  }
  return TypeSwitch<Type, dynac_dtype_t>(type)
      .Case<Float32Type>([](Type) { return DYNAC_F32; })
      .Case<Float64Type>([](Type) { return DYNAC_F64; })
      .Case<Float16Type>([](Type) { return DYNAC_F16; })
      .Case<BFloat16Type>([](Type) { return DYNAC_BF16; })
      .Case<Float8E4M3FNType>([](Type) { return DYNAC_F8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](Type) { return DYNAC_F8E4M3FNUZ; })
      .Case<Float8E5M2Type>([](Type) { return DYNAC_F8E5M2; })
      .Case<Float8E5M2FNUZType>([](Type) { return DYNAC_F8E5M2FNUZ; })
      .Default([](Type) { return DYNAC_DTYPE_INVALID; });
}

SymExpr dynac::byteSize(Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  SymExpr count = elementCount(shapeOf(tensor));
  int64_t bits = element.getIntOrFloatBitWidth();
  if (bits == 1)
    return count;
  return bits % 8 == 0 ? count * SymExpr(bits / 8) : (count * SymExpr(bits)).ceilDiv(SymExpr(8));
}

namespace {

class Scheduler {
public:
  Scheduler(RegionPlanner &target, WeightStore &weights, Plan &plan)
      : target(target), weights(weights), plan(plan) {}

  llvm::Error run(func::FuncOp main) {
    blocks.emplace_back();
    for (auto [i, argument] : llvm::enumerate(main.getArguments()))
      addInput(i, argument, main.getArgAttrOfType<StringAttr>(i, "dynac.name"));
    if (llvm::Error error = runBlock(main.getBody().front()))
      return error;
    auto ret = cast<func::ReturnOp>(main.getBody().front().getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      addOutput(i, value, main.getResultAttrOfType<StringAttr>(i, "dynac.name"));
      if (auto input = main.getResultAttrOfType<IntegerAttr>(i, "dynac.alias"))
        updateInPlace(plan.outputs.back(), static_cast<int32_t>(input.getInt()));
    }
    for (PlanStep &update : updates)
      emit(std::move(update));
    if (!unscheduled.empty())
      return unsupported("{0}", unscheduled);
    layOut();
    setLiveness();
    return llvm::Error::success();
  }

private:
  void addInput(size_t index, BlockArgument argument, StringAttr name) {
    PlanValue value = describe(argument, name, "input", index);
    value.buffer = addBuffer(DYNAC_BUFFER_INPUT, index, argument.getType());
    bufferOf[argument] = value.buffer;
    plan.inputs.push_back(std::move(value));
  }

  PlanValue describe(Value tensor, StringAttr name, StringRef fallback, size_t index) {
    PlanValue value;
    value.name = name ? name.str() : (fallback + Twine(index)).str();
    value.dtype = dtypeOf(cast<RankedTensorType>(tensor.getType()).getElementType());
    for (const SymExpr &dim : shapeOf(tensor))
      value.dimSlots.push_back(plan.slotOf(dim));
    return value;
  }

  int32_t addBuffer(dynac_buffer_kind_t kind, int32_t index, Type type) {
    dynac_buffer_t buffer = {};
    buffer.kind = kind;
    buffer.index = index;
    buffer.dtype = dtypeOf(cast<RankedTensorType>(type).getElementType());
    buffer.bytes_slot = plan.slotOf(byteSize(type));
    buffer.first_step = buffer.last_step = -1;
    plan.buffers.push_back(buffer);
    homeOf.push_back(kind == DYNAC_BUFFER_WEIGHT ? 0 : current);
    return plan.buffers.size() - 1;
  }

  void emit(PlanStep step) { blocks[current].steps.push_back(std::move(step)); }

  void emitCopy(int32_t from, int32_t to, StringRef name) {
    PlanStep copy;
    copy.kind = DYNAC_STEP_COPY;
    copy.buffers = {from, to};
    copy.name = name.str();
    emit(std::move(copy));
  }

  int32_t weightBuffer(int64_t id) {
    auto [it, isNew] = weightBuffers.try_emplace(id, -1);
    if (!isNew)
      return it->second;
    PlanWeight weight;
    weight.name = weights.name(id);
    weight.dtype = dtypeOf(weights.type(id).getElementType());
    weight.shape = weights.type(id).getShape().vec();
    weight.bytes = weights.byteSize(id);
    WeightStore *store = &weights;
    weight.fill = [store, id](llvm::MutableArrayRef<char> out) {
      return store->materialize(id, out);
    };
    plan.weights.push_back(std::move(weight));
    return it->second = addBuffer(DYNAC_BUFFER_WEIGHT, plan.weights.size() - 1, weights.type(id));
  }

  llvm::Error runBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      llvm::Error error =
          TypeSwitch<Operation *, llvm::Error>(&op)
              .Case<WeightOp>([](WeightOp) { return llvm::Error::success(); }) // on demand
              .Case<ReshapeOp, StopGradientOp, BarrierOp>([&](auto view) {
                runView(view.getX(), view.getY());
                return llvm::Error::success();
              })
              .Case<RegionOp>([&](RegionOp region) { return runRegion(region); })
              .Case<BindDimOp>([&](BindDimOp bind) { return bindDim(bind); })
              .Case<AssertOp>([&](AssertOp check) { return runAssert(check); })
              .Case<IfOp>([&](IfOp choice) { return runIf(choice); })
              .Case<WhileOp>([&](WhileOp loop) { return runWhile(loop); })
              .Case<CustomCallOp>([&](CustomCallOp call) { return runHost(call); })
              .Default([&](Operation *other) {
                return unsupported("{0}: '{1}' has no schedule yet", nodeNames(other->getLoc()),
                                   other->getName().getStringRef());
              });
      if (error)
        return error;
    }
    return llvm::Error::success();
  }

  /// The buffer that holds `value`.
  int32_t read(Value value) {
    if (auto weight = value.getDefiningOp<WeightOp>())
      return weightBuffer(weight.getId());
    auto it = bufferOf.find(value);
    if (it != bufferOf.end())
      return it->second;
    // Fuse leaves no such value; a wrong plan would be worse than none.
    if (unscheduled.empty())
      unscheduled = nodeNames(value.getLoc()) + ": a value without memory";
    return 0;
  }

  int32_t rootOf(int32_t buffer) const {
    while (plan.buffers[buffer].kind == DYNAC_BUFFER_ALIAS)
      buffer = plan.buffers[buffer].index;
    return buffer;
  }

  /// The same memory, or a copy where only the run knows that an input or weight is large enough.
  void runView(Value from, Value to) {
    int32_t source = read(from);
    int32_t kind = plan.buffers[rootOf(source)].kind;
    bool isFixed = kind == DYNAC_BUFFER_INPUT || kind == DYNAC_BUFFER_WEIGHT;
    bool copies = isFixed && byteSize(from.getType()) != byteSize(to.getType());
    bufferOf[to] = copies ? addBuffer(DYNAC_BUFFER_ARENA, 0, to.getType())
                          : addBuffer(DYNAC_BUFFER_ALIAS, source, to.getType());
    if (copies)
      emitCopy(source, bufferOf[to], nodeNames(to.getLoc()));
  }

  llvm::Error runRegion(RegionOp region) {
    llvm::Expected<RegionPlan> regionPlan = target.planRegion(region, plan, weights);
    if (!regionPlan)
      return regionPlan.takeError();
    auto [it, isNew] = kernelOf.try_emplace(regionPlan->key, plan.kernels.size());
    if (isNew) {
      PlanKernel kernel;
      kernel.name = regionPlan->kind + "_" + std::to_string(plan.kernels.size());
      kernel.kind = regionPlan->kind;
      kernel.scratchBytes = regionPlan->scratchBytes;
      llvm::Expected<std::vector<std::string>> bodies = regionPlan->emit(kernel.name);
      if (!bodies)
        return bodies.takeError();
      kernel.bodies = std::move(*bodies);
      plan.kernels.push_back(std::move(kernel));
    }
    PlanStep step;
    step.kind = DYNAC_STEP_KERNEL;
    step.index = it->second;
    step.extentSlot = plan.slotOf(regionPlan->units);
    step.grain = regionPlan->grain;
    step.name = nodeNames(region.getLoc());
    for (const SymExpr &dim : regionPlan->dims)
      step.dims.push_back(plan.slotOf(dim));
    SmallVector<unsigned> operands = regionPlan->operands.value_or(
        llvm::to_vector(llvm::seq<unsigned>(0, region.getXs().size())));
    for (unsigned operand : operands) {
      auto packed = regionPlan->weights.find(operand);
      step.buffers.push_back(packed == regionPlan->weights.end() ? read(region.getXs()[operand])
                                                                 : weightBuffer(packed->second));
    }
    for (Value result : region.getYs()) {
      bufferOf[result] = addBuffer(DYNAC_BUFFER_ARENA, 0, result.getType());
      step.buffers.push_back(bufferOf[result]);
    }
    for (RankedTensorType type : regionPlan->workspace)
      step.buffers.push_back(addBuffer(DYNAC_BUFFER_ARENA, 0, type));
    emit(std::move(step));
    return llvm::Error::success();
  }

  /// Host kernels get operands, then results; their dimensions are config entry `dims`.
  llvm::Error runHost(CustomCallOp call) {
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

  llvm::Error expectTensors(Operation *op) {
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (!isa<RankedTensorType>(type))
          return unsupported("{0}: values that are no tensors have no schedule yet",
                             nodeNames(op->getLoc()));
    return llvm::Error::success();
  }

  /// The condition becomes a dimension, which a check step tests.
  llvm::Error runAssert(AssertOp check) {
    std::string name = nodeNames(check.getLoc());
    if (!elementCount(shapeOf(check.getCondition())).isOne())
      return unsupported("{0}: a check of several conditions", name);
    std::string symbol;
    do
      symbol = "check" + std::to_string(checkCount++);
    while (
        llvm::any_of(plan.symbols, [&](const PlanSymbol &known) { return known.name == symbol; }));
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

  /// Schedules `body` as a block of its own, which a step of the current block will run; `finish`
  /// emits the block's last steps from what the body yields. Returns the block's number.
  llvm::Expected<int32_t> nestedBlock(Block &body, llvm::function_ref<void(ValueRange)> finish) {
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

  llvm::Error runIf(IfOp choice) {
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

  /// Condition and state have one buffer each, which the body reads and, at its end, overwrites.
  llvm::Error runWhile(WhileOp loop) {
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

  /// A step that runs nested blocks.
  void emitRunner(PlanStep step) {
    for (int32_t number : {step.index, step.index2})
      if (number >= 0)
        blocks[number].runner = blocks[current].steps.size();
    emit(std::move(step));
  }

  llvm::Error bindDim(BindDimOp bind) {
    int32_t slot = plan.symbolSlot(bind.getSymbol());
    PlanStep step;
    step.kind = DYNAC_STEP_BIND_DIM;
    for (auto [i, symbol] : llvm::enumerate(plan.symbols))
      if (symbol.slot == slot) {
        symbol.dataDependent = true;
        step.index = i;
      }
    step.buffers = {read(bind.getX())};
    step.dims = {plan.slotOf(SymExpr(bind.getElement()))};
    if (DimsAttr upper = bind.getUpperAttr())
      step.dims.push_back(plan.slotOf(upper.exprs()[0]));
    step.name = nodeNames(bind.getLoc());
    emit(std::move(step));
    return llvm::Error::success();
  }

  /// Results are written where they are returned if they have memory of their own, else copied.
  void addOutput(size_t index, Value value, StringAttr name) {
    PlanValue output = describe(value, name, "output", index);
    int32_t source = read(value), root = rootOf(source);
    if (plan.buffers[root].kind == DYNAC_BUFFER_ARENA) {
      plan.buffers[root].kind = DYNAC_BUFFER_OUTPUT;
      plan.buffers[root].index = index;
      output.buffer = root;
    } else {
      output.buffer = addBuffer(DYNAC_BUFFER_OUTPUT, index, value.getType());
      emitCopy(source, output.buffer, output.name);
    }
    plan.outputs.push_back(std::move(output));
  }

  /// The output shares memory with an input, so it is written when every step that may read that
  /// input has run: by a copy at the end.
  void updateInPlace(PlanValue &output, int32_t input) {
    int32_t result = output.buffer;
    dynac_buffer_t last = plan.buffers[result];
    output.aliasInput = input;
    output.buffer = static_cast<int32_t>(plan.buffers.size());
    plan.buffers[result].kind = DYNAC_BUFFER_ARENA;
    plan.buffers[result].index = 0;
    plan.buffers.push_back(last);
    homeOf.push_back(0);
    PlanStep update;
    update.kind = DYNAC_STEP_COPY;
    update.buffers = {result, output.buffer};
    update.name = output.name;
    updates.push_back(std::move(update));
  }

  /// Blocks one after the other.
  void layOut() {
    for (PlanBlock &block : blocks) {
      block.begin = plan.steps.size();
      std::move(block.steps.begin(), block.steps.end(), std::back_inserter(plan.steps));
      plan.blocks.push_back({block.begin, static_cast<int32_t>(plan.steps.size())});
    }
  }

  /// First and last step that touch each buffer, within the block that owns it: a use in a nested
  /// block counts as one by the step that runs that block. An alias lives as long as its target.
  void setLiveness() {
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

  /// Steps of one block while they are made.
  struct PlanBlock {
    std::vector<PlanStep> steps;
    int32_t parent = -1; ///< the block of the step that runs this one
    int32_t runner = -1; ///< that step's place there
    int32_t begin = 0;
  };

  RegionPlanner &target;
  WeightStore &weights;
  Plan &plan;
  DenseMap<Value, int32_t> bufferOf;
  DenseMap<int64_t, int32_t> weightBuffers;
  std::map<std::string, size_t> kernelOf;
  std::vector<PlanBlock> blocks;
  std::vector<int32_t> homeOf; ///< for each buffer the block that owns it
  int32_t current = 0;         ///< the block being made
  int checkCount = 0;
  std::string unscheduled;       ///< first value that was read without having memory
  std::vector<PlanStep> updates; ///< steps that overwrite inputs: the last ones
};

} // namespace

llvm::Error dynac::schedule(func::FuncOp main, RegionPlanner &target, WeightStore &weights,
                            Plan &plan) {
  return Scheduler(target, weights, plan).run(main);
}
