//===- KernelJit.h - runs CPU kernels inside a test -------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_KERNELJIT_H
#define DYNAC_TEST_UNIT_KERNELJIT_H

#include "dynac/Runtime/abi.h"
#include "dynac/Target/CPU/Codegen.h"
#include "dynac/Target/CPU/Isa.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace dynac::cpu::test {

/// The levels that this machine can run.
inline std::vector<Isa> runnableIsas() {
  std::vector<Isa> isas;
  for (const Isa &isa : allIsas())
    if (isa.level <= hostCpuLevel())
      isas.push_back(isa);
  return isas;
}

/// The AMX level with plain loops for its instructions, which every machine can run.
inline Isa loopsForTiles() {
  const Isa &host = isaFor(hostCpuLevel());
  Isa isa = isaFor(DYNAC_CPU_AMX);
  isa.suffix = "loops";
  isa.targetCpu = host.targetCpu;
  isa.targetFeatures = "";
  isa.hasFma = host.hasFma;
  isa.hasBf16Dot = host.hasBf16Dot;
  isa.hasVnni = host.hasVnni;
  isa.matrices = MatrixUnit::Loops;
  return isa;
}

/// Compiles a module of kernels to objects, as for an artifact, and loads them into this process.
class KernelJit {
public:
  explicit KernelJit(mlir::ModuleOp module, const CodegenOptions &options = {}) {
    auto objects = take(lowerToObjects(module, options));
    jit = take(llvm::orc::LLJITBuilder().create());
    for (auto &object : objects) {
      objectBytes += object.size();
      check(jit->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()))));
    }
  }

  dynac_kernel_fn operator[](llvm::StringRef name) {
    return take(jit->lookup(name)).toPtr<dynac_kernel_fn>();
  }

  size_t objectBytes = 0;

private:
  static void check(llvm::Error error) {
    if (!error)
      return;
    std::fprintf(stderr, "%s\n", llvm::toString(std::move(error)).c_str());
    std::exit(1);
  }
  template <typename T> static T take(llvm::Expected<T> value) {
    if (!value)
      check(value.takeError());
    return std::move(*value);
  }

  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Calls a kernel over units [begin, end).
inline int32_t callKernel(dynac_kernel_fn fn, const std::vector<void *> &buffers,
                          const std::vector<int64_t> &dims, int64_t begin, int64_t end,
                          void *scratch = nullptr) {
  dynac_kernel_args_t args = {buffers.data(), dims.data(), scratch};
  return fn(&args, begin, end);
}

/// 64-byte aligned array.
template <typename T> class Aligned {
public:
  explicit Aligned(size_t count, T fill = T()) : count(count) {
    const size_t bytes = (count * sizeof(T) + 127) / 64 * 64;
    memory.reset(static_cast<T *>(std::aligned_alloc(64, bytes)));
    std::fill_n(memory.get(), count, fill);
  }
  T *data() { return memory.get(); }
  size_t size() const { return count; }
  T &operator[](size_t i) { return memory.get()[i]; }
  const T &operator[](size_t i) const { return memory.get()[i]; }

private:
  struct Free {
    void operator()(T *p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> memory;
  size_t count;
};

/// Deterministic values in [-0.5, 0.5).
inline void fillRandom(float *data, size_t count, uint32_t seed = 1) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = ((seed >> 8) & 0xffff) / 65536.f - 0.5f;
  }
}

} // namespace dynac::cpu::test

#endif // DYNAC_TEST_UNIT_KERNELJIT_H
