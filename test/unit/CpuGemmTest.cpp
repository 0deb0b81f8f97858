//===- CpuGemmTest.cpp - GEMM kernels against a plain product -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/GemmKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

struct Shape {
  int64_t m, n, k;
  bool dynamic;
  WeightFormat weight = {};
  bool strassen = false;
};

float nearestBf16(float value) {
  int exponent;
  const float fraction = std::frexp(value, &exponent); // of which 8 bits are kept
  return std::ldexp(std::nearbyint(fraction * 256), exponent - 8);
}

/// Makes of numbers that share a scale what is stored: the one of largest size becomes +-127, or -8
/// of four bits.
void roundTogether(std::vector<float *> numbers, WeightFormat::Kind kind) {
  float largest = 0;
  for (const float *number : numbers)
    if (std::fabs(*number) > std::fabs(largest))
      largest = *number;
  const bool bytes = kind == WeightFormat::Int8;
  const float scale = bytes ? std::fabs(largest) / 127 : largest / -8;
  for (float *number : numbers)
    *number =
        scale == 0 ? 0 : std::min(std::nearbyint(*number / scale), bytes ? 127.f : 7.f) * scale;
}

/// Makes of B [k, n] what is stored of it. Returns |change| / |B|.
double roundWeights(float *b, int64_t k, int64_t n, WeightFormat format) {
  const std::vector<float> exact(b, b + k * n);
  const int64_t block = format.kind == WeightFormat::Int4 ? format.block : k;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t begin = 0; begin < k; begin += block) {
      std::vector<float *> numbers;
      for (int64_t p = begin; p < std::min(k, begin + block); ++p)
        numbers.push_back(b + p * n + j);
      if (format.kind != WeightFormat::Bf16)
        roundTogether(numbers, format.kind);
      else
        for (float *number : numbers)
          *number = nearestBf16(*number);
    }
  double change = 0, size = 0;
  for (int64_t i = 0; i < k * n; ++i) {
    change += std::pow(double(b[i]) - exact[i], 2);
    size += std::pow(double(exact[i]), 2);
  }
  return std::sqrt(change / size);
}

/// max(x + bias, 0) + residual.
Value biasReluResidual(OpBuilder &b, Location loc, Value acc, const EpilogueCoords &coords) {
  Value bias = coords.load(b, coords.kernel.buffer(2), coords.channel);
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(coords.type));
  Value relu = b.create<arith::MaximumFOp>(loc, b.create<arith::AddFOp>(loc, acc, bias), zero);
  return b.create<arith::AddFOp>(loc, relu, coords.load(b, coords.kernel.buffer(3), coords.index));
}

GemmSpec makeSpec(MLIRContext &context, const Shape &shape, bool epilogue) {
  GemmSpec spec;
  spec.plan = planGemm(shape.dynamic ? -1 : shape.m, shape.n, shape.k, DotKind::F32, shape.weight,
                       {0, 0, 0, shape.strassen});
  spec.m = shape.dynamic ? dim(0) : Extent(shape.m);
  spec.dimCount = 1;
  if (epilogue) {
    Type f32 = Float32Type::get(&context);
    spec.extra = {{f32, {shape.n}}, {f32, {spec.m, shape.n}}};
    spec.epilogue = biasReluResidual;
  }
  return spec;
}

void check(dynac_kernel_fn fn, const GemmSpec &spec, const Shape &s, bool epilogue,
           const std::string &what) {
  Aligned<float> a(s.m * s.k), b(s.k * s.n), bias(s.n), residual(s.m * s.n),
      c(s.m * s.n + 16, -7.f);
  Aligned<char> packed(packedBytes(spec.plan), char(-1));
  fillRandom(a.data(), a.size(), 1);
  fillRandom(b.data(), b.size(), 2);
  fillRandom(bias.data(), bias.size(), 3);
  fillRandom(residual.data(), residual.size(), 4);
  if (s.weight.kind == WeightFormat::F32) {
    packGemmB<float, float>(spec.plan, {b.data(), b.size()}, s.n, 1,
                            {reinterpret_cast<float *>(packed.data()), packed.size() / 4});
  } else {
    const double error =
        quantiseGemmB(spec.plan, {b.data(), b.size()}, s.n, 1, {packed.data(), packed.size()});
    EXPECT_NEAR(error, roundWeights(b.data(), s.k, s.n, s.weight), 1e-9) << what;
  }
  Aligned<char> scratch(spec.plan.scratchBytes + 64);
  std::vector<void *> buffers = {a.data(), packed.data()};
  if (epilogue)
    buffers.insert(buffers.end(), {bias.data(), residual.data()});
  buffers.push_back(c.data());
  // In pieces, as threads would.
  const int64_t units = spec.plan.units(s.m);
  for (int64_t begin = 0, end; begin < units; begin = end) {
    end = std::min(units, begin + std::max<int64_t>(1, (units - begin) / 2));
    ASSERT_EQ(callKernel(fn, buffers, {s.m}, begin, end, scratch.data()), 0);
  }
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < s.k; ++p)
        sum += double(a[i * s.k + p]) * b[p * s.n + j];
      if (epilogue)
        sum = std::max(sum + bias[j], 0.0) + residual[i * s.n + j];
      ASSERT_NEAR(c[i * s.n + j], sum, 2e-6 * (s.k + 4)) << what << " at " << i << ", " << j;
    }
  for (int64_t i = 0; i < 16; ++i)
    ASSERT_EQ(c[s.m * s.n + i], -7.f) << what << ": wrote past the end";
}

} // namespace

TEST(CpuGemmTest, MatchesPlainProduct) {
  const Shape shapes[] = {{1, 1, 1, false},    {1, 10, 7, false},     {8, 48, 16, false},
                          {5, 64, 33, false},  {13, 80, 12, true},    {29, 1000, 50, false},
                          {30, 96, 64, true},  {250, 100, 20, true},  {250, 48, 9, false},
                          {7, 65, 5000, true}, {19, 16, 2050, false}, {50, 112, 4100, false},
                          {0, 32, 8, true},    {121, 17, 3, true},    {9, 52, 515, false}};
  for (bool epilogue : {false, true}) {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    // Every level sees the epilogue; the plain product and the lowest level need a few shapes only.
    auto isasFor = [&](size_t i) {
      std::vector<Isa> isas;
      for (const Isa &isa : runnableIsas())
        if (isa.level != DYNAC_CPU_V4_BF16_VNNI &&
            (i < 4 || (epilogue && isa.level != DYNAC_CPU_V2)))
          isas.push_back(isa);
      return isas;
    };
    auto nameOf = [&](size_t i, const Isa &isa) {
      return ("gemm" + std::to_string(i) + "." + isa.suffix).str();
    };
    for (auto [i, shape] : llvm::enumerate(shapes))
      for (const Isa &isa : isasFor(i))
        emitGemm(*module, nameOf(i, isa), isa, makeSpec(context, shape, epilogue));
    KernelJit jit(*module);
    for (auto [i, shape] : llvm::enumerate(shapes))
      for (const Isa &isa : isasFor(i))
        check(jit[nameOf(i, isa)], makeSpec(context, shape, epilogue), shape, epilogue,
              nameOf(i, isa));
  }
}

TEST(CpuGemmTest, WeightsInFewerBits) {
  const WeightFormat bf16 = WeightFormat::Bf16, int8 = WeightFormat::Int8;
  const WeightFormat by16(WeightFormat::Int4, 16), by32(WeightFormat::Int4, 32);
  const Shape shapes[] = {
      {1, 1, 1, false, by32},      {1, 48, 64, false, by32},  {1, 100, 33, false, by32},
      {3, 64, 200, true, by32},    {7, 65, 2500, true, by32}, {29, 50, 515, false, by32},
      {2, 17, 31, false, by16},    {9, 33, 8, true, by16},    {0, 32, 8, true, by16},
      {125, 112, 36, false, by16}, {1, 1, 1, false, int8},    {1, 48, 64, false, int8},
      {2, 100, 33, false, int8},   {7, 65, 2500, true, int8}, {29, 50, 515, false, int8},
      {1, 10, 7, false, bf16},     {2, 100, 33, true, bf16},  {5, 65, 2500, false, bf16},
      {1, 64, 4100, true, int8},   {1, 64, 4100, true, by32}};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto isasFor = [&](size_t i) {
    std::vector<Isa> isas;
    for (const Isa &isa : runnableIsas())
      if (isa.level == DYNAC_CPU_V3 || isa.level == DYNAC_CPU_V4 || i < 2)
        isas.push_back(isa);
    return isas;
  };
  auto nameOf = [&](size_t i, const Isa &isa) {
    return ("gemm" + std::to_string(i) + "." + isa.suffix).str();
  };
  for (auto [i, shape] : llvm::enumerate(shapes))
    for (const Isa &isa : isasFor(i))
      emitGemm(*module, nameOf(i, isa), isa, makeSpec(context, shape, /*epilogue=*/i % 2));
  KernelJit jit(*module);
  for (auto [i, shape] : llvm::enumerate(shapes))
    for (const Isa &isa : isasFor(i))
      check(jit[nameOf(i, isa)], makeSpec(context, shape, i % 2), shape, i % 2, nameOf(i, isa));
}

/// What shares a scale with a number that is not finite becomes NaN, and nothing else does; a scale
/// that would be denormal is 0.
TEST(CpuGemmTest, ScalesOfWeightsThatHaveNone) {
  const int64_t n = 16, k = 40;
  MLIRContext context;
  loadKernelDialects(context);
  for (WeightFormat format :
       {WeightFormat(WeightFormat::Int8), WeightFormat(WeightFormat::Int4, 32)}) {
    const Shape shape = {1, n, k, false, format};
    const GemmSpec spec = makeSpec(context, shape, /*epilogue=*/false);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    const Isa isa = runnableIsas().back();
    emitGemm(*module, "gemm", isa, spec);
    KernelJit jit(*module);
    Aligned<float> a(k, 1.f), b(n * k, 1.f), c(n);
    b[3] = INFINITY;     // column 3, first block
    b[36 * n + 5] = NAN; // column 5, last block
    for (int64_t p = 0; p < k; ++p) {
      b[p * n + 7] = 1e-40f;
      b[p * n + 8] = 0;
    }
    Aligned<char> packed(packedBytes(spec.plan), char(-1));
    const double error =
        quantiseGemmB(spec.plan, {b.data(), b.size()}, n, 1, {packed.data(), packed.size()});
    EXPECT_LT(error, 1e-6);
    ASSERT_EQ(callKernel(jit["gemm"], {a.data(), packed.data(), c.data()}, {1}, 0,
                         spec.plan.units(1), nullptr),
              0);
    for (int64_t j = 0; j < n; ++j) {
      if (j == 3 || j == 5)
        EXPECT_TRUE(std::isnan(c[j])) << j;
      else
        EXPECT_NEAR(c[j], j == 7 || j == 8 ? 0 : k, 1e-4) << j;
    }
  }
}

/// A chain of n sums is off by up to n roundings, and equal terms come near that: one chain of all
/// 2,048 here is off by 1.3 times the bound of chains of 256.
TEST(CpuGemmTest, LongSumsAreShortChains) {
  const Shape shape = {1, 16, 2048, false};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  const GemmSpec spec = makeSpec(context, shape, /*epilogue=*/false);
  for (const Isa &isa : runnableIsas())
    emitGemm(*module, isa.suffix, isa, spec);
  KernelJit jit(*module);
  for (const Isa &isa : runnableIsas()) {
    const float term = 0.3f;
    Aligned<float> a(shape.k, 1.f), b(shape.k * shape.n, term), packed(spec.plan.packedWords()),
        c(shape.n);
    packGemmB<float, float>(spec.plan, {b.data(), b.size()}, shape.n, 1,
                            {packed.data(), packed.size()});
    ASSERT_EQ(callKernel(jit[isa.suffix], {a.data(), packed.data(), c.data()}, {shape.m}, 0,
                         spec.plan.units(shape.m), nullptr),
              0);
    const double exact = double(term) * shape.k, bound = (256 + 8) * std::ldexp(1.0, -24);
    for (int64_t j = 0; j < shape.n; ++j)
      EXPECT_NEAR(c[j], exact, exact * bound) << isa.suffix.str();
  }
}

//===----------------------------------------------------------------------===//
// Strassen's products
//===----------------------------------------------------------------------===//

namespace {

const WeightFormat f32 = {};

/// A kernel for each level that shows something else: no FMA is like AVX2.
std::vector<Isa> strassenIsas() {
  std::vector<Isa> isas;
  for (const Isa &isa : runnableIsas())
    if (isa.level == DYNAC_CPU_V3 || isa.level == DYNAC_CPU_V4)
      isas.push_back(isa);
  return isas;
}

/// Runs the product of `a` and `b` without an epilogue.
std::vector<float> multiply(dynac_kernel_fn fn, const GemmSpec &spec, const Shape &s,
                            Aligned<float> &a, Aligned<float> &b) {
  Aligned<float> packed(spec.plan.packedWords()), c(s.m * s.n);
  packGemmB<float, float>(spec.plan, {b.data(), b.size()}, s.n, 1, {packed.data(), packed.size()});
  Aligned<char> scratch(spec.plan.scratchBytes + 64, char(-1));
  EXPECT_EQ(callKernel(fn, {a.data(), packed.data(), c.data()}, {s.m}, 0, spec.plan.units(s.m),
                       scratch.data()),
            0);
  return std::vector<float>(c.data(), c.data() + c.size());
}

/// |c - a b| / |a b| of one row.
double rowError(const std::vector<float> &c, const Aligned<float> &a, const Aligned<float> &b,
                const Shape &s, int64_t row) {
  double difference = 0, size = 0;
  for (int64_t j = 0; j < s.n; ++j) {
    double exact = 0;
    for (int64_t p = 0; p < s.k; ++p)
      exact += double(a[row * s.k + p]) * b[p * s.n + j];
    difference += std::pow(c[row * s.n + j] - exact, 2);
    size += exact * exact;
  }
  return std::sqrt(difference / size);
}

} // namespace

TEST(CpuGemmTest, StrassenMatchesPlainProduct) {
  const Shape shapes[] = {
      {64, 96, 192, false, f32, true},   // one pair, one block of k
      {101, 144, 384, false, f32, true}, // an odd number of rows and a panel that has no other
      {67, 200, 512, false, f32, true},  // a panel with columns that do not exist
      {250, 768, 224, false, f32, true}, // a second block of rows that is too small
      {165, 96, 192, false, f32, true},  // one that is not
      {170, 128, 1024, true, f32, true}, {30, 96, 192, true, f32, true},
      {70, 96, 192, true, f32, true}, // whole tiles of 40 rows would cost more
      {0, 96, 192, true, f32, true},     {70, 192, 4480, false, f32, true}};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto nameOf = [&](size_t i, const Isa &isa) {
    return ("strassen" + std::to_string(i) + "." + isa.suffix).str();
  };
  auto hasEpilogue = [](size_t i) { return i != 0; };
  for (auto [i, shape] : llvm::enumerate(shapes))
    for (const Isa &isa : strassenIsas()) {
      const GemmSpec spec = makeSpec(context, shape, hasEpilogue(i));
      ASSERT_GT(spec.plan.pairs, 0) << i;
      emitGemm(*module, nameOf(i, isa), isa, spec);
    }
  KernelJit jit(*module);
  for (auto [i, shape] : llvm::enumerate(shapes))
    for (const Isa &isa : strassenIsas())
      check(jit[nameOf(i, isa)], makeSpec(context, shape, hasEpilogue(i)), shape, hasEpilogue(i),
            nameOf(i, isa));
}

TEST(CpuGemmTest, StrassenIsForLargeProductsOfF32) {
  auto pairs = [](int64_t m, int64_t n, int64_t k, DotKind dot, WeightFormat format, bool allow) {
    return planGemm(m, n, k, dot, format, {0, 0, 0, allow}).pairs;
  };
  EXPECT_EQ(pairs(128, 768, 768, DotKind::F32, f32, true), 8);
  EXPECT_EQ(pairs(128, 768, 768, DotKind::F32, f32, false), 0);
  EXPECT_EQ(pairs(128, 768, 768, DotKind::Bf16, f32, true), 0);
  EXPECT_EQ(pairs(128, 768, 768, DotKind::F32, WeightFormat::Int8, true), 0);
  EXPECT_EQ(pairs(63, 768, 768, DotKind::F32, f32, true), 0);
  EXPECT_EQ(pairs(128, 48, 768, DotKind::F32, f32, true), 0);
  EXPECT_EQ(pairs(128, 768, 96, DotKind::F32, f32, true), 0);
  EXPECT_EQ(pairs(128, 768, 769, DotKind::F32, f32, true), 0);
}

/// The error of random numbers is a few times that of the plain product, also in rows that
/// are small beside the rows they are paired with.
TEST(CpuGemmTest, StrassenErrorsOfRows) {
  Shape shape = {128, 192, 1024, false};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  const GemmSpec plain = makeSpec(context, shape, /*epilogue=*/false);
  shape.strassen = true;
  const GemmSpec strassen = makeSpec(context, shape, /*epilogue=*/false);
  for (const Isa &isa : strassenIsas()) {
    emitGemm(*module, ("plain." + isa.suffix).str(), isa, plain);
    emitGemm(*module, ("strassen." + isa.suffix).str(), isa, strassen);
  }
  KernelJit jit(*module);
  Aligned<float> a(shape.m * shape.k), b(shape.k * shape.n);
  fillRandom(a.data(), a.size(), 1);
  fillRandom(b.data(), b.size(), 2);
  // Rows 64 and on are paired with rows 0 and on.
  const float factors[] = {1e-30f, 1e-3f, 1, 1e6f, 1e30f};
  for (int64_t i = 0; i < shape.m; ++i)
    for (int64_t p = 0; p < shape.k; ++p)
      a[i * shape.k + p] *= factors[i % 5];
  for (const Isa &isa : strassenIsas()) {
    const auto expected = multiply(jit[("plain." + isa.suffix).str()], plain, shape, a, b);
    const auto c = multiply(jit[("strassen." + isa.suffix).str()], strassen, shape, a, b);
    EXPECT_NE(c, expected); // else nothing is tested here
    for (int64_t i = 0; i < shape.m; ++i)
      EXPECT_LT(rowError(c, a, b, shape, i), 4 * rowError(expected, a, b, shape, i))
          << isa.suffix.str() << " row " << i;
  }
}

/// Numbers that are not finite get no further than in the plain product.
TEST(CpuGemmTest, StrassenKeepsInfinityAndNan) {
  Shape shape = {70, 192, 384, false};
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  const GemmSpec plain = makeSpec(context, shape, /*epilogue=*/false);
  shape.strassen = true;
  const GemmSpec strassen = makeSpec(context, shape, /*epilogue=*/false);
  const Isa isa = strassenIsas().back();
  emitGemm(*module, "plain", isa, plain);
  emitGemm(*module, "strassen", isa, strassen);
  KernelJit jit(*module);
  const size_t rows = shape.m * shape.k, columns = shape.k * shape.n;
  auto expectSame = [&](Aligned<float> &a, Aligned<float> &b, const char *what) {
    const auto expected = multiply(jit["plain"], plain, shape, a, b);
    const auto c = multiply(jit["strassen"], strassen, shape, a, b);
    for (size_t i = 0; i < c.size(); ++i)
      if (std::isnan(expected[i]))
        ASSERT_TRUE(std::isnan(c[i])) << what << " at " << i;
      else
        ASSERT_EQ(c[i], expected[i]) << what << " at " << i;
  };
  Aligned<float> a(rows, 1.f), b(columns, 0.5f), some(rows, 1.f), weight(columns, 0.5f);
  some[3 * shape.k + 5] = INFINITY;
  some[40 * shape.k + 200] = NAN;
  expectSame(some, b, "rows");
  weight[7 * shape.n + 100] = -INFINITY;
  expectSame(a, weight, "a column");
  // Sums of two of them overflow, the product does not.
  for (int64_t p = 0; p < shape.k; ++p)
    b[p * shape.n] = b[p * shape.n + 48] = p % 2 ? 3e38f : -3e38f;
  expectSame(a, b, "large weights");
}
