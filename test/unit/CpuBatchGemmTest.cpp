//===- CpuBatchGemmTest.cpp - batched GEMM against a plain product --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/BatchGemmKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

/// Heads of an attention: [batch, position, head, channel] for A and C, and B either way.
struct Case {
  int64_t batch, heads, m, n, k;
  bool aTransposed, bTransposed, dynamic;
  bool staticRows = false; ///< although the rest is dynamic
};

/// Dimensions: 0 m, 1 n, 2 k, then all strides as they come.
struct Layouts {
  std::vector<int64_t> dims;
  BatchGemmSpec spec;

  explicit Layouts(MLIRContext &context, const Case &c) : dims{c.m, c.n, c.k} {
    auto number = [&](int64_t value) -> Extent {
      if (!c.dynamic)
        return value;
      dims.push_back(value);
      return dim(dims.size() - 1);
    };
    spec.m = c.dynamic && !c.staticRows ? dim(0) : Extent(c.m);
    spec.n = c.dynamic ? dim(1) : Extent(c.n);
    spec.k = c.dynamic ? dim(2) : Extent(c.k);
    spec.batch = {number(c.batch), number(c.heads)};
    // A matrix of rows x cols per head: element (batch, i, head, j).
    auto layout = [&](int64_t rows, int64_t cols) {
      MatrixLayout result;
      result.batchStrides = {number(rows * c.heads * cols), number(cols)};
      result.rowStride = number(c.heads * cols);
      return result;
    };
    spec.a = c.aTransposed ? layout(c.k, c.m) : layout(c.m, c.k);
    spec.a.transposed = c.aTransposed;
    spec.b = c.bTransposed ? layout(c.n, c.k) : layout(c.k, c.n);
    spec.b.transposed = c.bTransposed;
    spec.c = layout(c.m, c.n);
    spec.dimCount = dims.size();
    // A mask [batch, n] is added.
    spec.extra = {{Float32Type::get(&context), {spec.batch[0], spec.n}}};
    spec.epilogue = [](OpBuilder &b, Location loc, Value acc,
                       const EpilogueCoords &coords) -> Value {
      Value mask = coords.load(b, coords.kernel.buffer(2), {coords.index[0], coords.index[3]});
      Value scale = b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(coords.type, b.getF32FloatAttr(0.125f).getValue()));
      return b.create<vector::FMAOp>(loc, acc, scale, mask);
    };
  }
};

void check(dynac_kernel_fn fn, MLIRContext &context, const Case &c, const std::string &what) {
  Layouts layouts(context, c);
  const int64_t heads = c.heads;
  Aligned<float> a(c.batch * heads * c.m * c.k), b(c.batch * heads * c.k * c.n),
      mask(c.batch * c.n), y(c.batch * heads * c.m * c.n + 16, -7.f);
  fillRandom(a.data(), a.size(), 1);
  fillRandom(b.data(), b.size(), 2);
  fillRandom(mask.data(), mask.size(), 3);
  Aligned<char> scratch(layouts.spec.scratchBytes() + 64, char(0x7f));
  const int64_t units = layouts.spec.units(c.batch * heads, c.m, c.n);
  for (int64_t begin = 0, end; begin < units; begin = end) {
    end = std::min(units, begin + std::max<int64_t>(1, (units - begin) / 2));
    ASSERT_EQ(callKernel(fn, {a.data(), b.data(), mask.data(), y.data()}, layouts.dims, begin, end,
                         scratch.data()),
              0);
  }
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < c.k; ++p) {
            auto at = [&](Aligned<float> &x, int64_t rows, int64_t cols, int64_t row, int64_t col) {
              return double(x[((n * rows + row) * heads + head) * cols + col]);
            };
            sum += (c.aTransposed ? at(a, c.k, c.m, p, i) : at(a, c.m, c.k, i, p)) *
                   (c.bTransposed ? at(b, c.n, c.k, j, p) : at(b, c.k, c.n, p, j));
          }
          ASSERT_NEAR(y[((n * c.m + i) * heads + head) * c.n + j], sum * 0.125 + mask[n * c.n + j],
                      5e-7 * (c.k + 16))
              << what << " at " << n << ", " << head << ", " << i << ", " << j;
        }
  for (int64_t i = 0; i < 16; ++i)
    ASSERT_EQ(y[c.batch * heads * c.m * c.n + i], -7.f) << what << ": wrote past the end";
}

} // namespace

TEST(CpuBatchGemmTest, MatchesPlainProduct) {
  std::vector<Case> cases = {
      {2, 3, 20, 33, 64, false, true, false}, {1, 2, 128, 64, 130, false, false, false},
      {1, 1, 1, 100, 64, false, true, false}, {2, 1, 1, 48, 20, false, false, false},
      {1, 2, 50, 96, 7, true, false, false},  {1, 1, 245, 16, 1030, false, true, false},
      {1, 1, 13, 70, 600, true, true, false}, {1, 1, 5, 5, 3, false, false, false}};
  for (size_t i = 0, count = cases.size(); i < count; ++i) {
    if (i % 2)
      continue;
    cases.push_back(cases[i]);
    cases.back().dynamic = true;
  }
  // Few rows, of B read where it lies.
  cases.insert(cases.end(), {{2, 2, 8, 37, 130, false, true, false},
                             {1, 3, 3, 5, 1, false, true, false},
                             {3, 1, 1, 40, 50, true, true, false},
                             {2, 1, 1, 70, 1000, false, true, true, true},
                             {1, 2, 2, 3, 31, false, true, true, true}});
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto nameOf = [&](size_t i, const Isa &isa) {
    return ("gemm" + std::to_string(i) + "." + isa.suffix).str();
  };
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : runnableIsas())
      if (isa.level != DYNAC_CPU_V4_BF16_VNNI && (isa.level != DYNAC_CPU_V2 || i < 3))
        emitBatchGemm(*module, nameOf(i, isa), isa, Layouts(context, c).spec);
  KernelJit jit(*module);
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : runnableIsas())
      if (isa.level != DYNAC_CPU_V4_BF16_VNNI && (isa.level != DYNAC_CPU_V2 || i < 3))
        check(jit[nameOf(i, isa)], context, c, nameOf(i, isa));
}
