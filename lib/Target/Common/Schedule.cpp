//===- Schedule.cpp - from kernel regions to a plan -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/Common/Work.h"
#include "dynac/Transforms/Passes.h"
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
      .Case<F8E8M0Type>([](Type) { return DYNAC_F8E8M0; })
      .Case<F4E2M1Type>([](Type) { return DYNAC_F4E2M1; })
      .Default([](Type) { return DYNAC_DTYPE_INVALID; });
}

SymExpr dynac::byteSize(Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  SymExpr count = elementCount(shapeOf(tensor));
  // One element in each byte where they are smaller; packed ones are tensors of bytes.
  int64_t bytes = std::max(1u, bitWidth(element) / 8);
  return count * SymExpr(bytes);
}

llvm::Error Scheduler::run(func::FuncOp main) {
  blocks.emplace_back();
  for (auto [i, argument] : llvm::enumerate(main.getArguments()))
    addInput(i, argument, main.getArgAttrDict(i));
  if (llvm::Error error = runBlock(main.getBody().front()))
    return error;
  auto ret = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
    auto input = main.getResultAttrOfType<IntegerAttr>(i, kAliasAttr);
    addOutput(i, value, main.getResultAttrDict(i),
              input ? static_cast<int32_t>(input.getInt()) : -1);
    if (auto growth = main.getResultAttrOfType<DenseI64ArrayAttr>(i, kCapacityAttr))
      plan.growths.push_back({static_cast<int32_t>(input.getInt()), static_cast<int32_t>(i),
                              static_cast<int32_t>(growth[0]), growth[1]});
  }
  for (PlanStep &update : updates)
    emit(std::move(update));
  if (!unscheduled.empty())
    return unsupported("{0}", unscheduled);
  layOut();
  setLiveness();
  return llvm::Error::success();
}

void Scheduler::addInput(size_t index, BlockArgument argument, DictionaryAttr attributes) {
  PlanValue value = describe(argument, attributes, "input", index);
  value.buffer = addBuffer(DYNAC_BUFFER_INPUT, index, argument.getType());
  bufferOf[argument] = value.buffer;
  plan.inputs.push_back(std::move(value));
}

PlanValue Scheduler::describe(Value tensor, DictionaryAttr attributes, StringRef fallback,
                              size_t index) {
  PlanValue value;
  auto name = attributes ? attributes.getAs<StringAttr>("dynac.name") : StringAttr();
  auto packed = attributes ? attributes.getAs<TypeAttr>(kTypeAttr) : TypeAttr();
  Type type = packed ? packed.getValue() : tensor.getType();
  value.name = name ? name.str() : (fallback + Twine(index)).str();
  value.dtype = dtypeOf(cast<RankedTensorType>(type).getElementType());
  for (const SymExpr &dim : shapeOf(type))
    value.dimSlots.push_back(plan.slotOf(dim));
  return value;
}

int32_t Scheduler::addBuffer(dynac_buffer_kind_t kind, int32_t index, Type type) {
  dynac_buffer_t buffer = {};
  buffer.kind = kind;
  buffer.index = index;
  Type element = cast<RankedTensorType>(type).getElementType();
  buffer.dtype = isPacked(element) ? DYNAC_U8 : dtypeOf(element); // one in each byte
  buffer.bytes_slot = plan.slotOf(byteSize(type));
  buffer.first_step = buffer.last_step = -1;
  plan.buffers.push_back(buffer);
  homeOf.push_back(kind == DYNAC_BUFFER_WEIGHT ? 0 : current);
  return plan.buffers.size() - 1;
}

void Scheduler::emitCopy(int32_t from, int32_t to, StringRef name) {
  PlanStep copy;
  copy.kind = DYNAC_STEP_COPY;
  copy.buffers = {from, to};
  copy.name = name.str();
  copy.work.firstResult = copy.work.resultCount = 1;
  emit(std::move(copy));
}

int32_t Scheduler::weightBuffer(int64_t id) {
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

llvm::Error Scheduler::runBlock(Block &block) {
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

int32_t Scheduler::read(Value value) {
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

int32_t Scheduler::rootOf(int32_t buffer) const {
  while (plan.buffers[buffer].kind == DYNAC_BUFFER_ALIAS)
    buffer = plan.buffers[buffer].index;
  return buffer;
}

void Scheduler::runView(Value from, Value to) {
  int32_t source = read(from);
  int32_t kind = plan.buffers[rootOf(source)].kind;
  bool isFixed = kind == DYNAC_BUFFER_INPUT || kind == DYNAC_BUFFER_WEIGHT;
  bool copies = isFixed && byteSize(from.getType()) != byteSize(to.getType());
  bufferOf[to] = copies ? addBuffer(DYNAC_BUFFER_ARENA, 0, to.getType())
                        : addBuffer(DYNAC_BUFFER_ALIAS, source, to.getType());
  if (copies)
    emitCopy(source, bufferOf[to], nodeNames(to.getLoc()));
}

llvm::Error Scheduler::runRegion(RegionOp region) {
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
  SmallVector<unsigned> operands =
      regionPlan->operands.value_or(llvm::to_vector(llvm::seq<unsigned>(0, region.getXs().size())));
  SymExpr bytes(0), weightBytes(0);
  for (unsigned operand : operands) {
    auto packed = regionPlan->weights.find(operand);
    if (packed != regionPlan->weights.end()) {
      step.buffers.push_back(weightBuffer(packed->second));
      weightBytes = weightBytes + SymExpr(weights.byteSize(packed->second));
      continue;
    }
    Value x = region.getXs()[operand];
    step.buffers.push_back(read(x));
    SymExpr &sum = x.getDefiningOp<WeightOp>() ? weightBytes : bytes;
    auto part = regionPlan->bytesRead.find(operand);
    sum = sum + (part == regionPlan->bytesRead.end()
                     ? bytesRead(region, operand)
                     : SymExpr::min(part->second, byteSize(x.getType())));
  }
  step.work.firstResult = step.buffers.size();
  step.work.resultCount = region.getYs().size();
  for (OpResult result : region->getResults()) {
    std::optional<unsigned> updated = operandInPlace(region, result);
    bufferOf[result] =
        updated ? addBuffer(DYNAC_BUFFER_ALIAS, read(region.getXs()[*updated]), result.getType())
                : addBuffer(DYNAC_BUFFER_ARENA, 0, result.getType());
    step.buffers.push_back(bufferOf[result]);
    bytes = bytes + bytesWritten(region, result);
  }
  step.work.flopsSlot = plan.slotOrNone(flopsOf(region, regionPlan->products));
  step.work.bytesSlot = plan.slotOrNone(bytes);
  step.work.weightBytesSlot = plan.slotOrNone(weightBytes);
  step.work.factor = dtypeOf(factorTypeOf(region));
  for (RankedTensorType type : regionPlan->workspace)
    step.buffers.push_back(addBuffer(DYNAC_BUFFER_ARENA, 0, type));
  emit(std::move(step));
  return llvm::Error::success();
}

llvm::Error Scheduler::bindDim(BindDimOp bind) {
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

void Scheduler::addOutput(size_t index, Value value, DictionaryAttr attributes,
                          int32_t aliasInput) {
  PlanValue output = describe(value, attributes, "output", index);
  int32_t source = read(value), root = rootOf(source);
  if (aliasInput >= 0 && root == plan.inputs[aliasInput].buffer) {
    output.aliasInput = aliasInput; // its steps have updated it
    output.buffer = root;
    plan.outputs.push_back(std::move(output));
    return;
  }
  if (plan.buffers[root].kind == DYNAC_BUFFER_ARENA) {
    plan.buffers[root].kind = DYNAC_BUFFER_OUTPUT;
    plan.buffers[root].index = index;
    output.buffer = root;
  } else {
    output.buffer = addBuffer(DYNAC_BUFFER_OUTPUT, index, value.getType());
    emitCopy(source, output.buffer, output.name);
  }
  if (aliasInput >= 0)
    updateInPlace(output, aliasInput);
  plan.outputs.push_back(std::move(output));
}

void Scheduler::updateInPlace(PlanValue &output, int32_t input) {
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
  update.work.firstResult = update.work.resultCount = 1;
  updates.push_back(std::move(update));
}

llvm::Error dynac::schedule(func::FuncOp main, RegionPlanner &target, WeightStore &weights,
                            Plan &plan) {
  if (llvm::Error error = Scheduler(target, weights, plan).run(main))
    return error;
  if (plan.overflows())
    return unsupported("{0}: the size of a tensor leaves 64 bits or is too long an expression of "
                       "the model's dimensions",
                       printable(plan.name));
  return llvm::Error::success();
}
