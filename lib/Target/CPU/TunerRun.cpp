//===- TunerRun.cpp - one kernel in this process, with made-up data -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunerRun.h"

#include "dynac/Runtime/abi.h"
#include "dynac/Target/CPU/Codegen.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <chrono>
#include <ctime>

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

/// More memory than this is not worth a measurement.
static constexpr int64_t mostBytes = int64_t(1) << 30;
/// Weights come from memory, as in a model whose weights are larger than the caches: so much of
/// them is read in turn.
static constexpr int64_t weightBytes = int64_t(48) << 20;

namespace {

struct FreeMemory {
  void operator()(char *memory) const { std::free(memory); }
};

/// Copies of one buffer, one after the other.
struct TunerBuffer {
  std::unique_ptr<char, FreeMemory> bytes;
  int64_t stride = 0, copies = 1;
};

} // namespace

struct TunerRun::Memory {
  SmallVector<TunerBuffer> buffers;
  SmallVector<void *> pointers;
  SmallVector<int64_t> dims;
  TunerBuffer scratch;
  int64_t total = 0, turn = 0;

  bool add(TunerBuffer &buffer, int64_t bytes, int64_t copies = 1);
  bool add(Type element, std::optional<int64_t> bytes, bool isWeight);
  void nextTurn() {
    for (auto [buffer, pointer] : llvm::zip(buffers, pointers))
      pointer = buffer.bytes.get() + turn % buffer.copies * buffer.stride;
    ++turn;
  }
};

struct TunerRun::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  dynac_kernel_fn run = nullptr;
};

TunerRun::TunerRun() : memory(std::make_unique<Memory>()), code(std::make_unique<Code>()) {}
TunerRun::~TunerRun() = default;

bool TunerRun::Memory::add(TunerBuffer &buffer, int64_t bytes, int64_t copies) {
  buffer.stride = llvm::alignTo(bytes + 128, 4096);
  buffer.copies = copies;
  total += buffer.stride * copies;
  if (bytes > mostBytes || total > mostBytes)
    return false;
  buffer.bytes.reset(static_cast<char *>(std::aligned_alloc(4096, buffer.stride * copies)));
  return buffer.bytes != nullptr;
}

/// Numbers of ordinary size: denormals and NaN would take other times than a model's. Integers may
/// be indices, which are within bounds if they are 0.
static void fill(Type element, char *out, int64_t bytes) {
  std::memset(out, 0, bytes);
  uint32_t state = 1;
  auto next = [&state] { return (state = state * 1664525 + 1013904223) >> 16; };
  if (element.isF32())
    for (int64_t i = 0; i + 4 <= bytes; i += 4) {
      const float value = float(int32_t(next() & 0xFFFF) - 32768) / 32768 + 1e-5f;
      std::memcpy(out + i, &value, 4);
    }
  else if (element.isBF16() || element.isF16())
    for (int64_t i = 0; i + 2 <= bytes; i += 2) {
      // +-1 and a little more
      const uint16_t value =
          (element.isF16() ? 0x3C00 : 0x3F80) | (next() & 0x3F) | (next() & 1) << 15;
      std::memcpy(out + i, &value, 2);
    }
  else if (element.isInteger(1))
    std::memset(out, 1, bytes);
}

bool TunerRun::Memory::add(Type element, std::optional<int64_t> bytes, bool isWeight) {
  TunerBuffer buffer;
  if (!bytes || *bytes < 0)
    return false;
  const int64_t copies =
      isWeight ? std::clamp<int64_t>(weightBytes / std::max<int64_t>(*bytes, 1), 1, 64) : 1;
  if (!add(buffer, *bytes, copies))
    return false;
  for (int64_t copy = 0; copy < copies; ++copy)
    fill(element, buffer.bytes.get() + copy * buffer.stride, buffer.stride);
  buffers.push_back(std::move(buffer));
  pointers.push_back(nullptr);
  return true;
}

llvm::Expected<std::unique_ptr<TunerRun>>
TunerRun::load(RegionOp region, const RegionPlan &plan, ModuleOp kernels,
               const WeightStore &weights,
               const std::function<std::optional<int64_t>(std::string_view)> &sizeOf) {
  std::unique_ptr<TunerRun> run(new TunerRun());
  Memory &memory = *run->memory;
  auto addTensor = [&](Type type, bool isWeight) {
    return memory.add(getElementTypeOrSelf(type), byteSize(type).evaluate(sizeOf), isWeight);
  };
  SmallVector<unsigned> operands =
      plan.operands.value_or(llvm::to_vector(llvm::seq<unsigned>(0, region.getXs().size())));
  bool known = true;
  for (unsigned operand : operands) {
    auto packed = plan.weights.find(operand);
    Value x = region.getXs()[operand];
    known = known && (packed == plan.weights.end()
                          ? addTensor(x.getType(), x.getDefiningOp<WeightOp>() != nullptr)
                          : memory.add(weights.type(packed->second).getElementType(),
                                       weights.byteSize(packed->second), /*isWeight=*/true));
  }
  for (Value y : region.getYs())
    known = known && addTensor(y.getType(), false);
  for (RankedTensorType type : plan.workspace)
    known = known && addTensor(type, false);
  for (const SymExpr &dim : plan.dims) {
    std::optional<int64_t> value = dim.evaluate(sizeOf);
    known = known && value;
    memory.dims.push_back(value.value_or(0));
  }
  std::optional<int64_t> units = plan.units.evaluate(sizeOf);
  if (!known || !units || *units <= 0 || !memory.add(memory.scratch, plan.scratchBytes))
    return nullptr;
  run->unitCount = *units;

  auto symbols = plan.emit("tuned");
  if (!symbols)
    return symbols.takeError();
  auto objects = lowerToObjects(kernels);
  if (!objects)
    return objects.takeError();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  for (const auto &object : *objects)
    if (llvm::Error error = (*jit)->addObjectFile(
            llvm::MemoryBuffer::getMemBufferCopy(StringRef(object.data(), object.size()))))
      return std::move(error);
  auto address = (*jit)->lookup(symbols->front());
  if (!address)
    return address.takeError();
  run->code->run = address->toPtr<dynac_kernel_fn>();
  run->code->jit = std::move(*jit);
  return run;
}

static double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

double TunerRun::seconds(int64_t times) {
  const double begin = threadSeconds();
  for (int64_t i = 0; i < times; ++i) {
    memory->nextTurn();
    dynac_kernel_args_t args = {memory->pointers.data(), memory->dims.data(),
                                memory->scratch.bytes.get()};
    if (code->run(&args, 0, unitCount))
      return -1;
  }
  return threadSeconds() - begin;
}

double dynac::cpu::ratio(TunerRun &candidate, TunerRun &base) {
  constexpr double sample = 300e-6, least = 60e-3, most = 2;
  constexpr int fewestRounds = 5;
  if (base.seconds(1) < 0 || candidate.seconds(1) < 0)
    return 2; // touches the memory, too
  const double one = std::max(base.seconds(1), 1e-9);
  const auto times = std::max<int64_t>(1, int64_t(sample / one));
  double bestBase = INFINITY, bestCandidate = INFINITY, spent = 0;
  for (int round = 0; (round < fewestRounds || spent < least) && spent < most; ++round) {
    const double a = base.seconds(times), b = candidate.seconds(times);
    bestBase = std::min(bestBase, a);
    bestCandidate = std::min(bestCandidate, b);
    spent += a + b;
    if (round >= 2 && bestCandidate > 1.1 * bestBase)
      break;
  }
  return bestCandidate / bestBase;
}
