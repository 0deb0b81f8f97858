//===- CpuKernelFunctionTest.cpp - kernels run as the ABI says ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

struct CpuKernelFunctionTest : testing::Test {
  CpuKernelFunctionTest() { loadKernelDialects(context); }
  MLIRContext context;
};

/// y[i][j] = x[i][j] + b[j] over rows [begin, end); code 3 if any x[i][j] > 1000.
void buildAddBias(ModuleOp module, StringRef name, const Isa &isa, bool checked) {
  Type f32 = Float32Type::get(module.getContext());
  KernelFunction k(module, name, isa,
                   {{f32, {dim(0), dim(1)}}, {f32, {dim(1)}}, {f32, {dim(0), dim(1)}, true}}, 2);
  OpBuilder &b = k.builder();
  auto rows = b.create<scf::ForOp>(k.loc(), k.begin(), k.end(), k.constant(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rows.getBody());
    auto columns = b.create<scf::ForOp>(k.loc(), k.constant(0), k.dim(1), k.constant(1));
    b.setInsertionPointToStart(columns.getBody());
    Value i = rows.getInductionVar(), j = columns.getInductionVar();
    Value x = b.create<memref::LoadOp>(k.loc(), k.buffer(0), ValueRange{i, j});
    Value bias = b.create<memref::LoadOp>(k.loc(), k.buffer(1), ValueRange{j});
    if (checked) {
      Value limit = b.create<arith::ConstantOp>(k.loc(), b.getF32FloatAttr(1000));
      k.fail(b, b.create<arith::CmpFOp>(k.loc(), arith::CmpFPredicate::OGT, x, limit), 3);
    }
    Value y = b.create<arith::AddFOp>(k.loc(), x, bias);
    b.create<memref::StoreOp>(k.loc(), y, k.buffer(2), ValueRange{i, j});
  }
  k.finish();
}

} // namespace

TEST_F(CpuKernelFunctionTest, RunsOnEveryLevelInOneModule) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (const Isa &isa : allIsas())
    buildAddBias(*module, ("add." + isa.suffix).str(), isa, true);
  KernelJit jit(*module);
  const int64_t rows = 5, columns = 37;
  for (const Isa &isa : runnableIsas()) {
    Aligned<float> x(rows * columns), bias(columns), y(rows * columns, -1);
    fillRandom(x.data(), x.size());
    fillRandom(bias.data(), bias.size(), 7);
    dynac_kernel_fn fn = jit[("add." + isa.suffix).str()];
    EXPECT_EQ(callKernel(fn, {x.data(), bias.data(), y.data()}, {rows, columns}, 1, 4), 0);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        EXPECT_EQ(y[i * columns + j], i >= 1 && i < 4 ? x[i * columns + j] + bias[j] : -1.f);
    x[2 * columns + 30] = 2000;
    EXPECT_EQ(callKernel(fn, {x.data(), bias.data(), y.data()}, {rows, columns}, 0, 5), 3);
    EXPECT_EQ(callKernel(fn, {x.data(), bias.data(), y.data()}, {rows, columns}, 3, 5), 0);
  }
}

TEST_F(CpuKernelFunctionTest, LoopsAreVectorisedAtNativeWidthWithoutAliasChecks) {
  for (bool checked : {false, true}) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    buildAddBias(*module, "add.v4", isaFor(DYNAC_CPU_V4), checked);
    auto text = lowerToText(*module, KernelText::OptimizedLLVMIR);
    ASSERT_TRUE(bool(text));
    EXPECT_NE(text->find("fadd <16 x float>"), std::string::npos) << *text;
    EXPECT_EQ(text->find("vector.memcheck"), std::string::npos) << *text;
  }
}

TEST_F(CpuKernelFunctionTest, ObjectsDoNotDependOnThreads) {
  std::vector<llvm::SmallVector<char, 0>> first;
  for (unsigned threads : {1, 3}) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    for (int i = 0; i < 5; ++i)
      buildAddBias(*module, "add" + std::to_string(i), isaFor(DYNAC_CPU_V3), i % 2);
    CodegenOptions options;
    options.threads = threads;
    options.kernelsPerObject = 2;
    auto objects = lowerToObjects(*module, options);
    ASSERT_TRUE(bool(objects));
    EXPECT_EQ(objects->size(), 3u);
    if (threads == 1)
      first = std::move(*objects);
    else
      EXPECT_TRUE(first == *objects);
  }
}

TEST(IsaTest, LevelsAreOrderedAndNamed) {
  for (const Isa &isa : allIsas()) {
    EXPECT_EQ(isaFor(isa.level), isa);
    EXPECT_EQ(isaNamed(isa.name)->level, isa.level);
  }
  EXPECT_EQ(allIsas().back().level, DYNAC_CPU_AMX);
  EXPECT_FALSE(isaNamed("z80"));
}
