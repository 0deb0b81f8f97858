//===- CpuConvTest.cpp - convolution kernels against a plain one ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/ConvKernel.h"
#include "dynac/Target/CPU/DepthwiseKernel.h"
#include "dynac/Target/CPU/GroupedKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

struct Case {
  int64_t n, c, h, w, k, groups;
  std::array<int64_t, 2> kernel, stride, dilation, padBegin, padEnd;
  bool dynamic, plain, last = false; ///< last: x and y are [n, h, w, c]

  int64_t out(unsigned axis) const {
    const int64_t size = axis ? w : h;
    return (size + padBegin[axis] + padEnd[axis] - (kernel[axis] - 1) * dilation[axis] - 1) /
               stride[axis] +
           1;
  }
  ConvShape shape() const {
    ConvShape s;
    s.n = dynamic ? dim(0) : Extent(n);
    s.h = dynamic ? dim(1) : Extent(h);
    s.w = dynamic ? dim(2) : Extent(w);
    s.oh = dynamic ? dim(3) : Extent(out(0));
    s.ow = dynamic ? dim(4) : Extent(out(1));
    s.c = c, s.k = k, s.groups = groups;
    s.kernel = kernel, s.stride = stride, s.dilation = dilation, s.padBegin = padBegin,
    s.padEnd = padEnd;
    s.plainInput = plain;
    return s;
  }
};

/// max(x + bias, 0) + residual.
Value biasReluResidual(OpBuilder &b, Location loc, Value acc, const EpilogueCoords &coords) {
  Value bias = coords.load(b, coords.kernel.buffer(2), coords.channel);
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(coords.type));
  Value relu = b.create<arith::MaximumFOp>(loc, b.create<arith::AddFOp>(loc, acc, bias), zero);
  return b.create<arith::AddFOp>(loc, relu, coords.load(b, coords.kernel.buffer(3), coords.index));
}

template <typename Spec, typename Plan>
Spec makeSpec(MLIRContext &context, const Case &c, const Plan &plan) {
  Type f32 = Float32Type::get(&context);
  Spec spec;
  spec.plan = plan;
  spec.dimCount = 5;
  const ConvShape &s = spec.plan.shape;
  const int64_t blocks = (c.k + 15) / 16;
  spec.extra = {{f32, {blocks * 16}}, {f32, {s.n, blocks, s.oh, s.ow, 16}}};
  if (c.last)
    spec.extra.back().shape = {s.n, s.oh, s.ow, c.k};
  spec.epilogue = biasReluResidual;
  return spec;
}

/// Where channel `j` of pixel `p` of image `i` lies: in blocks of 16 channels, or with them last.
int64_t placeOf(int64_t i, int64_t j, int64_t p, int64_t c, int64_t pixels, bool last) {
  return last ? (i * pixels + p) * c + j
              : ((i * ((c + 15) / 16) + j / 16) * pixels + p) * 16 + j % 16;
}

/// A plain array in that order, zero-padded.
Aligned<float> laidOut(const Aligned<float> &plain, int64_t n, int64_t c, int64_t pixels,
                       bool last) {
  const int64_t blocks = (c + 15) / 16;
  Aligned<float> blocked(n * blocks * pixels * 16, 0.f);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < c; ++j)
      for (int64_t p = 0; p < pixels; ++p)
        blocked[placeOf(i, j, p, c, pixels, last)] = plain[(i * c + j) * pixels + p];
  return blocked;
}

/// Packs the weights that it is given.
using Pack = llvm::function_ref<void(llvm::ArrayRef<float>, llvm::MutableArrayRef<float>)>;

void check(dynac_kernel_fn fn, int64_t packedElements, Pack pack, int64_t units,
           int64_t scratchBytes, const Case &t, const std::string &what) {
  const int64_t oh = t.out(0), ow = t.out(1), cg = t.c / t.groups, kg = t.k / t.groups;
  const int64_t blocks = (t.k + 15) / 16;
  Aligned<float> x(t.n * t.c * t.h * t.w), w(t.k * cg * t.kernel[0] * t.kernel[1]),
      bias(blocks * 16, 0.f), residual(t.n * t.k * oh * ow), packed(packedElements, NAN),
      y(t.n * blocks * oh * ow * 16 + 16, -7.f);
  fillRandom(x.data(), x.size(), 1);
  fillRandom(w.data(), w.size(), 2);
  fillRandom(bias.data(), t.k, 3);
  fillRandom(residual.data(), residual.size(), 4);
  pack({w.data(), w.size()}, {packed.data(), packed.size()});
  Aligned<float> blocked = laidOut(x, t.n, t.c, t.h * t.w, t.last),
                 residualBlocked = laidOut(residual, t.n, t.k, oh * ow, t.last);
  Aligned<char> scratch(scratchBytes + 64, char(0x7f));
  for (int64_t begin = 0, end; begin < units; begin = end) {
    end = std::min(units, begin + std::max<int64_t>(1, (units - begin) / 2));
    ASSERT_EQ(callKernel(fn,
                         {t.plain ? x.data() : blocked.data(), packed.data(), bias.data(),
                          residualBlocked.data(), y.data()},
                         {t.n, t.h, t.w, oh, ow}, begin, end, scratch.data()),
              0);
  }
  for (int64_t n = 0; n < t.n; ++n)
    for (int64_t k = 0; k < t.k; ++k)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          double sum = 0;
          for (int64_t c = 0; c < cg; ++c)
            for (int64_t u = 0; u < t.kernel[0]; ++u)
              for (int64_t v = 0; v < t.kernel[1]; ++v) {
                const int64_t p = i * t.stride[0] + u * t.dilation[0] - t.padBegin[0];
                const int64_t q = j * t.stride[1] + v * t.dilation[1] - t.padBegin[1];
                if (p >= 0 && p < t.h && q >= 0 && q < t.w)
                  sum += double(x[((n * t.c + k / kg * cg + c) * t.h + p) * t.w + q]) *
                         w[((k * cg + c) * t.kernel[0] + u) * t.kernel[1] + v];
              }
          sum = std::max(sum + bias[k], 0.0) + residual[((n * t.k + k) * oh + i) * ow + j];
          const float got = y[placeOf(n, k, i * ow + j, t.k, oh * ow, t.last)];
          ASSERT_NEAR(got, sum, 2e-6 * (cg * t.kernel[0] * t.kernel[1] + 4))
              << what << " at " << n << ", " << k << ", " << i << ", " << j;
        }
  for (int64_t i = 0; i < 16; ++i)
    ASSERT_EQ(y[t.n * blocks * oh * ow * 16 + i], -7.f) << what << ": wrote past the end";
}

/// Compiles every case, static and dynamic, for every level and checks it. `Spec` makes plan and
/// spec, `emit` the kernel.
void runCases(
    std::vector<Case> cases,
    llvm::function_ref<void(ModuleOp, StringRef, const Isa &, const Case &)> emit,
    llvm::function_ref<void(dynac_kernel_fn, const Case &, const std::string &)> checkCase) {
  for (size_t i = 0, count = cases.size(); i < count; ++i) {
    cases.push_back(cases[i]);
    cases.back().dynamic = true;
  }
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto forEach =
      [&](llvm::function_ref<void(const Case &, const Isa &, const std::string &)> body) {
        for (auto [i, c] : llvm::enumerate(cases))
          for (const Isa &isa : runnableIsas())
            if (isa.level != DYNAC_CPU_V4_BF16_VNNI)
              body(c, isa, ("conv" + std::to_string(i) + "." + isa.suffix).str());
      };
  forEach(
      [&](const Case &c, const Isa &isa, const std::string &name) { emit(*module, name, isa, c); });
  KernelJit jit(*module);
  forEach([&](const Case &c, const Isa &isa, const std::string &name) {
    checkCase(jit[name], c, name);
  });
}

} // namespace

TEST(CpuConvTest, MatchesPlainConvolution) {
  runCases(
      {// 1x1: flat
       {1, 16, 7, 7, 32, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       {2, 40, 5, 9, 72, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       // 3x3 with padding
       {1, 32, 14, 14, 32, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 16, 7, 7, 48, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 16, 30, 61, 16, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 48, 15, 13, 32, 1, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 16, 12, 12, 32, 1, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, false, false},
       {1, 20, 9, 11, 24, 1, {5, 2}, {2, 1}, {1, 3}, {0, 2}, {3, 1}, false, false},
       {1, 256, 60, 60, 32, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       // no padding
       {1, 16, 9, 9, 32, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       {1, 32, 14, 14, 64, 1, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, false, false},
       // groups
       {1, 64, 10, 8, 96, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 32, 6, 6, 32, 2, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       // signals
       {1, 24, 1, 701, 40, 1, {1, 3}, {1, 2}, {1, 1}, {0, 1}, {0, 0}, false, false},
       {2, 16, 1, 90, 16, 1, {1, 2}, {1, 1}, {1, 64}, {0, 64}, {0, 0}, false, false},
       {1, 64, 1, 40, 64, 4, {1, 31}, {1, 1}, {1, 1}, {0, 15}, {0, 15}, false, false},
       {2, 1, 1, 301, 32, 1, {1, 10}, {1, 5}, {1, 1}, {0, 0}, {0, 0}, false, true},
       // a first layer
       {2, 3, 20, 22, 32, 1, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}, false, true},
       {1, 1, 9, 9, 20, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, true}},
      [](ModuleOp module, StringRef name, const Isa &isa, const Case &c) {
        emitConv(module, name, isa,
                 makeSpec<ConvSpec>(*module.getContext(), c, planConv(c.shape())));
      },
      [](dynac_kernel_fn fn, const Case &c, const std::string &name) {
        const ConvPlan plan = planConv(c.shape());
        check(
            fn, plan.packedElements(),
            [&](auto weights, auto packed) { packConv<float, float>(plan, weights, packed); },
            plan.units(c.n, c.out(0), c.out(1)), plan.scratchBytes, c, name);
      });
}

TEST(CpuConvTest, WinogradMatchesPlainConvolution) {
  runCases(
      {{1, 64, 14, 14, 64, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 40, 13, 30, 80, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 32, 61, 57, 48, 1, {3, 3}, {1, 1}, {1, 1}, {0, 2}, {1, 0}, false, false},
       {1, 128, 28, 28, 32, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       // smaller tiles
       {2, 64, 7, 7, 48, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 32, 10, 12, 80, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       // dilated: phases of equal and of different size
       {1, 64, 28, 28, 32, 1, {3, 3}, {1, 1}, {4, 4}, {4, 4}, {4, 4}, false, false},
       {2, 32, 25, 27, 32, 1, {3, 3}, {1, 1}, {2, 2}, {1, 2}, {2, 3}, false, false},
       {1, 32, 21, 34, 32, 1, {3, 3}, {1, 1}, {1, 3}, {1, 1}, {1, 3}, false, false}},
      [](ModuleOp module, StringRef name, const Isa &isa, const Case &c) {
        emitConv(module, name, isa,
                 makeSpec<ConvSpec>(*module.getContext(), c, planConv(c.shape())));
      },
      [](dynac_kernel_fn fn, const Case &c, const std::string &name) {
        const ConvPlan plan = planConv(c.shape());
        EXPECT_EQ(plan.winograd != 0, !c.dynamic);
        check(
            fn, plan.packedElements(),
            [&](auto weights, auto packed) { packConv<float, float>(plan, weights, packed); },
            plan.units(c.n, c.out(0), c.out(1)), plan.scratchBytes, c, name);
      });
}

TEST(CpuConvTest, MatchesPlainDepthwiseConvolution) {
  runCases(
      {{1, 32, 14, 14, 32, 32, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 24, 7, 7, 24, 24, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 16, 20, 45, 16, 16, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, false, false},
       {1, 16, 11, 31, 16, 16, {3, 3}, {1, 1}, {2, 3}, {2, 3}, {2, 3}, false, false},
       {1, 16, 9, 9, 16, 16, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       {1, 16, 2, 2, 16, 16, {7, 7}, {1, 1}, {1, 1}, {3, 3}, {3, 3}, false, false},
       {1, 48, 12, 30, 48, 48, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, false, false},
       {2, 48, 14, 14, 48, 48, {7, 7}, {1, 1}, {1, 1}, {3, 3}, {3, 3}, false, false, true},
       {2, 32, 11, 31, 32, 32, {3, 5}, {2, 1}, {1, 2}, {1, 4}, {1, 4}, false, false, true}},
      [](ModuleOp module, StringRef name, const Isa &isa, const Case &c) {
        emitDepthwise(
            module, name, isa,
            makeSpec<DepthwiseSpec>(*module.getContext(), c, planDepthwise(c.shape(), c.last)));
      },
      [](dynac_kernel_fn fn, const Case &c, const std::string &name) {
        const DepthwisePlan plan = planDepthwise(c.shape(), c.last);
        check(
            fn, plan.packedElements(),
            [&](auto weights, auto packed) { packDepthwise(plan, weights, packed); },
            plan.units(c.n, c.out(0)), 0, c, name);
      });
}

TEST(CpuConvTest, MatchesPlainGroupedConvolution) {
  runCases(
      {// groups within blocks
       {1, 32, 14, 14, 32, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 24, 9, 31, 24, 3, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 32, 7, 5, 32, 8, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, false},
       {1, 20, 12, 12, 20, 10, {3, 2}, {1, 1}, {2, 3}, {2, 0}, {1, 3}, false, false},
       {1, 16, 40, 61, 16, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       // groups over the edges of blocks
       {1, 72, 9, 9, 72, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 12, 5, 6, 80, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {2, 30, 6, 6, 18, 3, {3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       // several filters for a channel, several channels for a filter, signals
       {1, 10, 8, 8, 20, 10, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, false},
       {1, 32, 6, 7, 8, 8, {1, 3}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, false, false},
       {1, 40, 1, 130, 40, 5, {1, 9}, {1, 2}, {1, 1}, {0, 4}, {0, 4}, false, false}},
      [](ModuleOp module, StringRef name, const Isa &isa, const Case &c) {
        emitGrouped(module, name, isa,
                    makeSpec<GroupedSpec>(*module.getContext(), c, planGrouped(c.shape())));
      },
      [](dynac_kernel_fn fn, const Case &c, const std::string &name) {
        const GroupedPlan plan = planGrouped(c.shape());
        check(
            fn, plan.packedElements(),
            [&](auto weights, auto packed) { packGrouped(plan, weights, packed); },
            plan.units(c.n, c.out(0), c.out(1)), plan.scratchBytes, c, name);
      });
}
