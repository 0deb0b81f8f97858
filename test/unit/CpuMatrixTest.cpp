//===- CpuMatrixTest.cpp - kernels that multiply tiles of matrices --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CpuDotTest compares these kernels' numbers, too. Here: what instructions they have, and that
// their sums are rounded as the documentation says.
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/ConvKernel.h"
#include "dynac/Target/CPU/GemmKernel.h"
#include "llvm-c/Disassembler.h"
#include "llvm-c/Target.h"
#include "llvm/Object/ObjectFile.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

GemmSpec gemmOf(DotKind kind, int64_t m, int64_t n, int64_t k) {
  GemmSpec spec;
  spec.plan = planGemm(m, n, k, kind);
  spec.m = m;
  return spec;
}

ConvSpec convOf(DotKind kind) {
  ConvShape shape;
  shape.n = 1, shape.h = shape.w = shape.oh = shape.ow = 9;
  shape.c = shape.k = 32;
  shape.kernel = {3, 3};
  shape.padBegin = shape.padEnd = {1, 1};
  shape.dot = kind;
  ConvSpec spec;
  spec.plan = planConv(shape);
  return spec;
}

/// How often each instruction stands in the object files of the module's kernels.
std::map<std::string, int> instructionsOf(ModuleOp module) {
  auto objects = lowerToObjects(module, {});
  EXPECT_TRUE(bool(objects));
  LLVMInitializeX86Disassembler();
  LLVMDisasmContextRef context = LLVMCreateDisasmCPUFeatures(
      "x86_64-unknown-linux-gnu", "sapphirerapids", "", nullptr, 0, nullptr, nullptr);
  EXPECT_NE(context, nullptr);
  std::map<std::string, int> counts;
  for (auto &bytes : *objects) {
    auto file = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "kernels.o"));
    EXPECT_TRUE(bool(file));
    for (const llvm::object::SectionRef &section : (*file)->sections()) {
      if (!section.isText())
        continue;
      llvm::StringRef contents = llvm::cantFail(section.getContents());
      for (size_t at = 0; at < contents.size();) {
        char text[128];
        const size_t size = LLVMDisasmInstruction(
            context, reinterpret_cast<uint8_t *>(const_cast<char *>(contents.data())) + at,
            contents.size() - at, at, text, sizeof(text));
        ++counts[size ? llvm::StringRef(text).trim().split('\t').first.str() : "(no instruction)"];
        at += std::max<size_t>(size, 1);
      }
    }
  }
  LLVMDisasmDispose(context);
  return counts;
}

float widened(uint16_t x) {
  const uint32_t bits = uint32_t(x) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

} // namespace

TEST(CpuMatrixTest, KernelsHoldTheInstructions) {
  for (DotKind kind : {DotKind::Bf16, DotKind::U8S8}) {
    MLIRContext context;
    loadKernelDialects(context);
    for (const Isa &isa : {isaFor(DYNAC_CPU_AMX), loopsForTiles()}) {
      const bool native = isa.matrices == MatrixUnit::Amx;
      const std::string dot = kind == DotKind::Bf16 ? "tdpbf16ps" : "tdpbusd";
      const std::string vectorDot = kind == DotKind::Bf16 ? "vdpbf16ps" : "vpdpbusd";
      for (bool isConv : {false, true}) {
        OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
        if (isConv)
          emitConv(*module, "kernel", isa, convOf(kind));
        else
          emitGemm(*module, "kernel", isa, gemmOf(kind, 40, 32, 256));
        std::map<std::string, int> counts = instructionsOf(*module);
        EXPECT_EQ(counts["(no instruction)"], 0);
        EXPECT_GE(counts["ret"] + counts["retq"], 2);
        // Two by two products and two by one; four factors and three; as many sums.
        EXPECT_EQ(counts[dot], native ? 6 : 0) << isa.suffix.str();
        EXPECT_EQ(counts["tileloadd"], native ? 7 : 0);
        EXPECT_EQ(counts["tilezero"], native ? 6 : 0);
        EXPECT_EQ(counts["tilestored"], native ? 6 : 0);
        EXPECT_GE(counts["ldtilecfg"], native ? 1 : 0);
        EXPECT_EQ(counts["ldtilecfg"] > 0, native);
        EXPECT_EQ(counts["tilerelease"], native ? 1 : 0);
        EXPECT_EQ(counts[vectorDot], 0);
      }
    }
  }
}

/// Products of a tile's first halves of words, and of its second halves, are two chains of fused
/// steps; their sum is added to the sum so far.
TEST(CpuMatrixTest, RoundsAsDocumented) {
  constexpr int64_t m = 21, n = 32, k = 160;
  std::vector<uint16_t> a(m * k), b(k * n);
  uint32_t state = 7;
  for (auto *numbers : {&a, &b})
    for (uint16_t &x : *numbers) {
      state = state * 1664525 + 1013904223;
      x = 0x3C00 | ((state >> 16) & 0x83FF); // 2^-7 to 2^1 or so, either sign
    }
  const GemmSpec spec = gemmOf(DotKind::Bf16, m, n, k);
  Aligned<uint16_t> packed(spec.plan.packedWords() * 2);
  packGemmB<uint16_t, uint16_t>(spec.plan, b, n, 1, {packed.data(), packed.size()});
  std::vector<float> want(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t tile = 0; tile < k; tile += 32) {
        float chains[2] = {0, 0};
        for (int64_t at = tile; at < tile + 32; ++at)
          chains[at % 2] = std::fma(widened(a[i * k + at]), widened(b[at * n + j]), chains[at % 2]);
        sum += chains[0] + chains[1];
      }
      want[i * n + j] = sum;
    }

  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<Isa> isas = {loopsForTiles()};
  if (hostCpuLevel() >= DYNAC_CPU_AMX)
    isas.push_back(isaFor(DYNAC_CPU_AMX));
  for (const Isa &isa : isas)
    emitGemm(*module, isa.suffix, isa, spec);
  KernelJit jit(*module);
  for (const Isa &isa : isas) {
    Aligned<float> y(m * n);
    callKernel(jit[isa.suffix], {a.data(), packed.data(), y.data()}, {}, 0, spec.plan.units(m));
    for (int64_t at = 0; at < m * n; ++at)
      ASSERT_EQ(y[at], want[at]) << isa.suffix.str() << " at " << at;
  }
}

TEST(CpuMatrixTest, RanNatively) {
  if (hostCpuLevel() < DYNAC_CPU_AMX)
    GTEST_SKIP() << "this CPU or its kernel has no AMX: the tests ran its kernels as loops only";
  bool isTested = false;
  for (const Isa &isa : runnableIsas())
    isTested |= isa.matrices == MatrixUnit::Amx;
  EXPECT_TRUE(isTested);
}
