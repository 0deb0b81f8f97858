//===- CpuDotTest.cpp - GEMM and convolution of bytes and bf16 ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of bytes have to be exact. bf16 operands are small integers here, whose products and sums
// are exact in f32 too.
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/ConvKernel.h"
#include "dynac/Target/CPU/GemmKernel.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

/// Numbers of one kind: `A` and `B` as they lie in memory, `Weight` before packing.
struct Bytes {
  static constexpr DotKind kind = DotKind::U8S8;
  using A = uint8_t;
  using Weight = int8_t;
  using B = int8_t;
  using Sum = int32_t;
  using Plain = uint8_t;                         ///< of a first layer's x
  static A a(uint32_t random) { return random; } // saturating pairs of products would show
  static Weight weight(uint32_t random) { return int8_t(random); }
  static int64_t value(A x) { return x; }
  static Plain plain(A x) { return x; }
};

struct Halves {
  static constexpr DotKind kind = DotKind::Bf16;
  using A = uint16_t;
  using Weight = float;
  using B = uint16_t;
  using Sum = float;
  using Plain = float;
  static A a(uint32_t random) {
    const float value = int(random % 17) - 8;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits >> 16;
  }
  static Weight weight(uint32_t random) { return int(random % 17) - 8; }
  static int64_t value(A x) {
    const uint32_t bits = uint32_t(x) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  static Plain plain(A x) { return value(x); }
};

struct Random {
  uint32_t state = 1;
  uint32_t operator()() { return (state = state * 1664525 + 1013904223) >> 13; }
};

template <typename Kind> class CpuDotTest : public testing::Test {};
using Kinds = testing::Types<Bytes, Halves>;
TYPED_TEST_SUITE(CpuDotTest, Kinds);

/// Calls over all units, in pieces, as threads would.
void callAll(dynac_kernel_fn fn, const std::vector<void *> &buffers,
             const std::vector<int64_t> &dims, int64_t units, void *scratch) {
  for (int64_t begin = 0, end; begin < units; begin = end) {
    end = std::min(units, begin + std::max<int64_t>(1, (units - begin) / 2));
    ASSERT_EQ(callKernel(fn, buffers, dims, begin, end, scratch), 0);
  }
}

/// AMX's kernels run everywhere as loops, and natively where the CPU has it.
std::vector<Isa> dotIsas() {
  std::vector<Isa> isas = runnableIsas();
  isas.push_back(loopsForTiles());
  return isas;
}

struct GemmCase {
  int64_t m, n, k;
  bool dynamic;
};

struct ConvCase {
  int64_t n, c, h, w, k, groups, size, stride, dilation, pad;
  bool plain, dynamic;

  int64_t out(int64_t extent) const {
    return (extent + 2 * pad - (size - 1) * dilation - 1) / stride + 1;
  }
  ConvShape shape(DotKind kind) const {
    ConvShape s;
    s.n = dynamic ? dim(0) : Extent(n);
    s.h = dynamic ? dim(1) : Extent(h);
    s.w = dynamic ? dim(2) : Extent(w);
    s.oh = dynamic ? dim(3) : Extent(out(h));
    s.ow = dynamic ? dim(4) : Extent(out(w));
    s.c = c, s.k = k, s.groups = groups;
    s.kernel = {size, size}, s.stride = {stride, stride}, s.dilation = {dilation, dilation};
    s.padBegin = s.padEnd = {pad, pad};
    s.plainInput = plain;
    s.dot = kind;
    s.padByte = kind == DotKind::U8S8 ? 131 : 0;
    return s;
  }
};

} // namespace

TYPED_TEST(CpuDotTest, Gemm) {
  using K = TypeParam;
  const GemmCase cases[] = {{1, 1, 4, false},
                            {5, 64, 36, false},
                            {13, 80, 12, true},
                            {30, 96, 64, false},
                            {250, 100, 20, true},
                            {7, 65, 20000, false},
                            // pieces of rows that overlap; no tiles for 17 and 34 words
                            {33, 48, 128, true},
                            {197, 70, 192, false},
                            {40, 16, 136, false}};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto specOf = [](const GemmCase &c) {
    GemmSpec spec;
    spec.plan = planGemm(c.dynamic ? -1 : c.m, c.n, c.k, K::kind);
    spec.m = c.dynamic ? dim(0) : Extent(c.m);
    spec.dimCount = 1;
    return spec;
  };
  auto nameOf = [](size_t i, const Isa &isa) {
    return ("gemm" + std::to_string(i) + "." + isa.suffix).str();
  };
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : dotIsas())
      emitGemm(*module, nameOf(i, isa), isa, specOf(c));
  KernelJit jit(*module);
  for (auto [i, c] : llvm::enumerate(cases)) {
    const GemmSpec spec = specOf(c);
    Random random;
    std::vector<typename K::A> a(c.m * c.k);
    std::vector<typename K::Weight> b(c.k * c.n);
    for (auto &x : a)
      x = K::a(random());
    for (auto &x : b)
      x = K::weight(random());
    Aligned<typename K::B> packed(spec.plan.packedWords() * groupOf(K::kind), 99);
    packGemmB<typename K::Weight, typename K::B>(spec.plan, b, c.n, 1,
                                                 {packed.data(), packed.size()});
    Aligned<char> scratch(spec.plan.scratchBytes + 64);
    std::vector<int64_t> want(c.m * c.n);
    for (int64_t row = 0; row < c.m; ++row)
      for (int64_t p = 0; p < c.k; ++p)
        for (int64_t j = 0; j < c.n; ++j)
          want[row * c.n + j] += K::value(a[row * c.k + p]) * int64_t(b[p * c.n + j]);
    for (const Isa &isa : dotIsas()) {
      Aligned<typename K::Sum> y(c.m * c.n + 16, -7);
      callAll(jit[nameOf(i, isa)], {a.data(), packed.data(), y.data()}, {c.m}, spec.plan.units(c.m),
              scratch.data());
      for (int64_t at = 0; at < c.m * c.n; ++at)
        ASSERT_EQ(int64_t(y[at]), want[at]) << nameOf(i, isa) << " at " << at;
      for (int64_t at = 0; at < 16; ++at)
        ASSERT_EQ(y[c.m * c.n + at], -7) << nameOf(i, isa) << ": wrote past the end";
    }
  }
}

TYPED_TEST(CpuDotTest, Conv) {
  using K = TypeParam;
  const ConvCase cases[] = {
      {1, 16, 5, 6, 16, 1, 1, 1, 1, 0, false, false},
      {2, 40, 9, 15, 70, 1, 3, 1, 1, 1, false, false},
      {1, 64, 7, 7, 32, 1, 1, 2, 1, 0, false, true},
      {1, 32, 8, 11, 64, 2, 3, 1, 2, 2, false, true},
      {1, 3, 20, 17, 40, 1, 7, 2, 1, 3, true, false},
      {2, 5, 6, 6, 16, 1, 3, 1, 1, 1, true, true},
      {1, 3, 9, 9, 32, 1, 3, 1, 1, 0, true, false},
      // pixels are gathered for tiles
      {2, 128, 9, 5, 70, 1, 1, 1, 1, 0, false, false},
      {1, 128, 9, 37, 96, 2, 1, 2, 1, 0, false, true},
      // Winograd's way for bf16, where no tiles are multiplied
      {1, 64, 14, 14, 64, 1, 3, 1, 1, 1, false, false},
      {2, 40, 13, 30, 80, 1, 3, 1, 1, 1, false, false},
      {1, 33, 25, 27, 32, 1, 3, 1, 2, 0, false, false},
  };
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto specOf = [](const ConvCase &c) {
    ConvSpec spec;
    ConvChoice choice;
    choice.matrices = true;
    spec.plan = planConv(c.shape(K::kind), choice);
    spec.dimCount = 5;
    return spec;
  };
  auto nameOf = [](size_t i, const Isa &isa) {
    return ("conv" + std::to_string(i) + "." + isa.suffix).str();
  };
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : dotIsas())
      emitConv(*module, nameOf(i, isa), isa, specOf(c));
  KernelJit jit(*module);
  for (auto [i, t] : llvm::enumerate(cases)) {
    const ConvSpec spec = specOf(t);
    EXPECT_EQ(spec.plan.winograd, i > 8 && K::kind == DotKind::Bf16 ? 4 : 0);
    EXPECT_EQ(spec.plan.hasDirect, spec.plan.winograd != 0);
    const ConvShape &s = spec.plan.shape;
    const int64_t oh = t.out(t.h), ow = t.out(t.w), cg = t.c / t.groups, kg = t.k / t.groups;
    const int64_t group = groupOf(K::kind), pixel = t.plain ? 1 : s.blockWords() * group;
    const int64_t planes = t.plain ? t.c : t.groups * s.groupBlocks();
    Random random;
    // Lanes that no channel owns hold anything.
    std::vector<typename K::A> x(t.n * planes * t.h * t.w * pixel);
    std::vector<typename K::Weight> w(t.k * cg * t.size * t.size);
    for (auto &value : x)
      value = K::a(random());
    for (auto &value : w)
      value = K::weight(random());
    std::vector<typename K::Plain> plain;
    for (auto value : x)
      plain.push_back(K::plain(value));
    void *input = t.plain ? static_cast<void *>(plain.data()) : x.data();
    Aligned<typename K::B> packed(spec.plan.packedElements() * group, 99);
    packConv<typename K::Weight, typename K::B>(spec.plan, w, {packed.data(), packed.size()});
    Aligned<char> scratch(spec.plan.scratchBytes + 64, char(0x7f));
    const int64_t blocksOut = (t.k + 15) / 16;
    std::vector<int64_t> want(t.n * blocksOut * oh * ow * 16);
    for (int64_t n = 0; n < t.n; ++n)
      for (int64_t k = 0; k < t.k; ++k)
        for (int64_t p = 0; p < oh * ow; ++p) {
          int64_t sum = 0;
          for (int64_t c = 0; c < cg; ++c)
            for (int64_t tap = 0; tap < t.size * t.size; ++tap) {
              const int64_t row = p / ow * t.stride + tap / t.size * t.dilation - t.pad;
              const int64_t col = p % ow * t.stride + tap % t.size * t.dilation - t.pad;
              const int64_t channel = k / kg * cg + c;
              const bool inside = row >= 0 && row < t.h && col >= 0 && col < t.w;
              const int64_t value =
                  inside
                      ? K::value(x[((n * planes + channel / pixel) * t.h * t.w + row * t.w + col) *
                                       pixel +
                                   channel % pixel])
                      : s.padByte;
              sum += value * int64_t(w[(k * cg + c) * t.size * t.size + tap]);
            }
          want[((n * blocksOut + k / 16) * oh * ow + p) * 16 + k % 16] = sum;
        }
    for (const Isa &isa : dotIsas()) {
      Aligned<typename K::Sum> y(want.size() + 16, -7);
      callAll(jit[nameOf(i, isa)], {input, packed.data(), y.data()}, {t.n, t.h, t.w, oh, ow},
              spec.plan.units(t.n, oh, ow), scratch.data());
      // Winograd's sums are not of integers.
      const bool isExact = !spec.plan.winograd || convTakesTiles(isa, spec.plan);
      const double tolerance = isExact ? 0 : 2e-6 * double(cg * t.size * t.size * 64);
      for (size_t at = 0; at < want.size(); ++at)
        ASSERT_NEAR(y[at], want[at], tolerance) << nameOf(i, isa) << " at " << at;
      for (size_t at = 0; at < 16; ++at)
        ASSERT_EQ(y[want.size() + at], -7) << nameOf(i, isa) << ": wrote past the end";
    }
  }
}
