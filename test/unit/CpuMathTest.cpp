//===- CpuMathTest.cpp - elementary functions against libm in f64 ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

using Build = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// out[i] = f(in0[i], in1[i], ...) over [begin, end), a loop of scalars.
void buildMap(ModuleOp module, StringRef name, const Isa &isa, unsigned inputs, Type in, Type out,
              Build build) {
  SmallVector<BufferArg> buffers(inputs, {in, {dim(0)}});
  buffers.push_back({out, {dim(0)}, true});
  KernelFunction k(module, name, isa, buffers, 1);
  OpBuilder &b = k.builder();
  auto loop = b.create<scf::ForOp>(k.loc(), k.begin(), k.end(), k.constant(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> operands;
    for (unsigned i = 0; i < inputs; ++i)
      operands.push_back(b.create<memref::LoadOp>(k.loc(), k.buffer(i), loop.getInductionVar()));
    b.create<memref::StoreOp>(k.loc(), build(b, k.loc(), operands), k.buffer(inputs),
                              loop.getInductionVar());
  }
  k.finish();
}

template <typename Op> Value unary(OpBuilder &b, Location loc, ValueRange x) {
  return b.create<Op>(loc, x[0]);
}
template <typename Op> Value binary(OpBuilder &b, Location loc, ValueRange x) {
  return b.create<Op>(loc, x[0], x[1]);
}

/// 1 / (exp(-x) + 1), as kernels write it.
Value logistic(OpBuilder &b, Location loc, ValueRange x) {
  Attribute number = b.getF32FloatAttr(1);
  if (auto vector = dyn_cast<VectorType>(x[0].getType()))
    number = DenseElementsAttr::get(vector, number);
  Value one = b.create<arith::ConstantOp>(loc, cast<TypedAttr>(number));
  Value exp = b.create<math::ExpOp>(loc, b.create<arith::NegFOp>(loc, x[0]));
  return b.create<arith::DivFOp>(loc, one, b.create<arith::AddFOp>(loc, exp, one));
}
/// x * logistic(x).
Value silu(OpBuilder &b, Location loc, ValueRange x) {
  return b.create<arith::MulFOp>(loc, x[0], logistic(b, loc, x));
}
double referenceSilu(double x, double) { return x / (1 + std::exp(-x)); }
double referenceLogistic(double x, double) { return 1 / (1 + std::exp(-x)); }

/// Distance in units of the last place of the f32 next to `expected`.
double ulps(float got, double expected) {
  const float rounded = float(expected);
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got))
    return got == rounded || std::fabs(expected) > 3.4e38 ? 0 : INFINITY;
  int exponent;
  std::frexp(rounded, &exponent);
  return std::fabs(double(got) - expected) / std::ldexp(1, std::max(exponent, -125) - 24);
}

struct Function {
  const char *name;
  double (*reference)(double, double);
  Value (*build)(OpBuilder &, Location, ValueRange);
  double maxUlps;
  unsigned inputs;
  double range;    ///< |x| up to here is checked
  double tiny = 0; ///< smaller differences do not count
};

#define UNARY(NAME, OP, ULPS, RANGE)                                                               \
  Function {                                                                                       \
    #NAME, [](double x, double) { return std::NAME(x); }, unary<math::OP>, ULPS, 1, RANGE          \
  }
const Function functions[] = {UNARY(exp, ExpOp, 1.1, INFINITY),
                              UNARY(exp2, Exp2Op, 1.1, INFINITY),
                              UNARY(expm1, ExpM1Op, 2, INFINITY),
                              UNARY(log, LogOp, 1.1, INFINITY),
                              UNARY(log2, Log2Op, 2, INFINITY),
                              UNARY(log10, Log10Op, 2, INFINITY),
                              UNARY(log1p, Log1pOp, 2, INFINITY),
                              UNARY(erf, ErfOp, 5, INFINITY),
                              UNARY(tanh, TanhOp, 5, INFINITY),
                              UNARY(sinh, SinhOp, 5, INFINITY),
                              UNARY(cosh, CoshOp, 5, INFINITY),
                              UNARY(sin, SinOp, 2, 1e9),
                              UNARY(cos, CosOp, 2, 1e9),
                              UNARY(tan, TanOp, 4, 1e9),
                              UNARY(atan, AtanOp, 2, INFINITY),
                              UNARY(asin, AsinOp, 2, INFINITY),
                              UNARY(acos, AcosOp, 2, INFINITY),
                              Function{"logistic", referenceLogistic, logistic, 2.5, 1, INFINITY,
                                       /*tiny=*/1.2e-38}, // 0 where the result is denormal
                              Function{"silu", referenceSilu, silu, 2.5, 1, INFINITY,
                                       /*tiny=*/1.2e-36}, // 0 where logistic(x) is denormal
                              Function{"atan2", [](double y, double x) { return std::atan2(y, x); },
                                       binary<math::Atan2Op>, 3, 2, INFINITY},
                              Function{"pow", [](double x, double y) { return std::pow(x, y); },
                                       binary<math::PowFOp>, 1, 2, INFINITY}};
#undef UNARY

float fromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

const float specials[] = {0.f,        -0.f,      1.f,       -1.f,      2.f,        -2.f,
                          3.f,        -3.f,      0.5f,      -0.5f,     1e-45f,     -1e-45f,
                          1e-38f,     1e-10f,    -1e-10f,   88.7f,     88.73f,     -87.4f,
                          -103.9f,    -104.f,    128.f,     -149.f,    -150.f,     16777216.f,
                          16777217.f, 8388607.f, 4194303.f, 4194305.f, -4194305.f, 8388609.f,
                          3.4e38f,    -3.4e38f,  INFINITY,  -INFINITY, NAN};

} // namespace

TEST(CpuMathTest, FunctionsAreWithinTheirBounds) {
  MLIRContext context;
  loadKernelDialects(context);
  Type f32 = Float32Type::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<Isa> isas;
  for (const Isa &isa : runnableIsas())
    if (isa.level <= DYNAC_CPU_V4)
      isas.push_back(isa);
  for (const Function &f : functions)
    for (const Isa &isa : isas)
      buildMap(*module, (f.name + ("." + isa.suffix)).str(), isa, f.inputs, f32, f32, f.build);
  KernelJit jit(*module);

  // Every 4099th bit pattern; for two arguments, moderate pairs and all pairs of special values.
  std::vector<float> wide, firsts, seconds;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 4099)
    wide.push_back(fromBits(bits));
  wide.insert(wide.end(), std::begin(specials), std::end(specials));
  Aligned<float> randoms(1 << 20);
  fillRandom(randoms.data(), randoms.size());
  for (size_t i = 0; i + 1 < randoms.size(); i += 2) {
    firsts.push_back(std::exp2(randoms[i] * 30) * (i % 8 == 0 ? -1 : 1));
    seconds.push_back(i % 3 ? randoms[i + 1] * 12 : std::floor(randoms[i + 1] * 20));
  }
  for (float x : specials)
    for (float y : specials) {
      firsts.push_back(x);
      seconds.push_back(y);
    }
  for (const Function &f : functions)
    for (const Isa &isa : isas) {
      std::vector<float> &x = f.inputs == 1 ? wide : firsts;
      const int64_t count = x.size();
      std::vector<float> y(count);
      std::vector<void *> buffers = {x.data()};
      if (f.inputs == 2)
        buffers.push_back(seconds.data());
      buffers.push_back(y.data());
      callKernel(jit[(f.name + ("." + isa.suffix)).str()], buffers, {count}, 0, count);
      double worst = 0, at = 0, at2 = 0;
      for (int64_t i = 0; i < count; ++i) {
        if (std::fabs(x[i]) > (isa.hasFma || std::isinf(f.range) ? f.range : 8192))
          continue;
        const double second = f.inputs == 2 ? seconds[i] : 0, expected = f.reference(x[i], second);
        double distance = std::fabs(y[i] - expected) < f.tiny ? 0 : ulps(y[i], expected);
        if (x[i] == 0 && f.inputs == 1 && expected == 0 &&
            std::signbit(y[i]) != std::signbit(expected))
          distance = INFINITY;
        if (distance > worst)
          worst = distance, at = x[i], at2 = second;
      }
      // Without fma the last bit is less sure.
      EXPECT_LE(worst, isa.hasFma ? f.maxUlps : 2 * f.maxUlps + 1)
          << f.name << "." << isa.suffix.str() << " at " << at << ", " << at2;
      std::printf("  %-6s %-3s %6.3f ulp\n", f.name, isa.suffix.str().c_str(), worst);
    }
}

/// Vectors of 16 have expansions of their own.
TEST(CpuMathTest, FunctionsOfVectorsAreWithinTheirBounds) {
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto type = VectorType::get(16, Float32Type::get(&context));
  std::vector<Isa> isas;
  for (const Isa &isa : runnableIsas())
    if (isa.lanes == 16)
      isas.push_back(isa);
  auto named = [](llvm::StringRef name) -> const Function * {
    return llvm::find_if(functions, [&](const Function &f) { return f.name == name; });
  };
  const Function *tested[] = {&functions[0], named("logistic"), named("silu")};
  for (const Function *f : tested)
    for (const Isa &isa : isas) {
      BufferArg in{type.getElementType(), {dim(0)}}, out = in;
      out.isOutput = true;
      KernelFunction k(*module, (f->name + ("." + isa.suffix)).str(), isa, {in, out}, 1);
      OpBuilder &b = k.builder();
      auto loop = b.create<scf::ForOp>(k.loc(), k.begin(), k.end(), k.constant(16));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value at = loop.getInductionVar();
      Value x = b.create<vector::LoadOp>(k.loc(), type, k.buffer(0), at);
      b.create<vector::StoreOp>(k.loc(), f->build(b, k.loc(), x), k.buffer(1), at);
      b.setInsertionPointAfter(loop);
      k.finish();
    }
  KernelJit jit(*module);
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 1031)
    x.push_back(fromBits(bits));
  x.insert(x.end(), std::begin(specials), std::end(specials));
  x.resize(x.size() / 16 * 16 + 16, 1.f);
  std::vector<float> y(x.size());
  const int64_t count = x.size();
  for (const Function *f : tested)
    for (const Isa &isa : isas) {
      callKernel(jit[(f->name + ("." + isa.suffix)).str()], {x.data(), y.data()}, {count}, 0,
                 count);
      double worst = 0, at = 0;
      for (int64_t i = 0; i < count; ++i)
        if (const double expected = f->reference(x[i], 0);
            !(std::fabs(y[i] - expected) < f->tiny) && ulps(y[i], expected) > worst)
          worst = ulps(y[i], expected), at = x[i];
      EXPECT_LE(worst, f->maxUlps) << f->name << "." << isa.suffix.str() << " at " << at;
      std::printf("  %-8s %-3s %6.3f ulp\n", f->name, isa.suffix.str().c_str(), worst);
    }
}

TEST(CpuMathTest, LoopsOfFunctionsAreVectorised) {
  for (const Function &f : functions) {
    MLIRContext context;
    loadKernelDialects(context);
    Type f32 = Float32Type::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    buildMap(*module, f.name, isaFor(DYNAC_CPU_V4), f.inputs, f32, f32, f.build);
    auto text = lowerToText(*module, KernelText::OptimizedLLVMIR);
    ASSERT_TRUE(bool(text));
    EXPECT_NE(text->find("<16 x float>"), std::string::npos) << f.name;
    EXPECT_EQ(text->find(std::string("@") + f.name + "f("), std::string::npos) << f.name;
  }
}

TEST(CpuMathTest, HalfConversionsRoundToNearestEven) {
  MLIRContext context;
  loadKernelDialects(context);
  Type f32 = Float32Type::get(&context), f16 = Float16Type::get(&context),
       bf16 = BFloat16Type::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (const Isa &isa : runnableIsas()) {
    auto truncate = [](Type type) {
      return [type](OpBuilder &b, Location loc, ValueRange x) -> Value {
        return b.create<arith::TruncFOp>(loc, type, x[0]);
      };
    };
    auto extend = [f32](OpBuilder &b, Location loc, ValueRange x) -> Value {
      return b.create<arith::ExtFOp>(loc, f32, x[0]);
    };
    buildMap(*module, ("to_bf16." + isa.suffix).str(), isa, 1, f32, bf16, truncate(bf16));
    buildMap(*module, ("to_f16." + isa.suffix).str(), isa, 1, f32, f16, truncate(f16));
    buildMap(*module, ("from_f16." + isa.suffix).str(), isa, 1, f16, f32, extend);
    buildMap(*module, ("from_bf16." + isa.suffix).str(), isa, 1, bf16, f32, extend);
  }
  KernelJit jit(*module);
  const int64_t count = 1 << 16;
  for (const Isa &isa : runnableIsas()) {
    std::vector<uint16_t> halves(count), back(count);
    std::vector<float> wide(count);
    for (int64_t i = 0; i < count; ++i)
      halves[i] = i;
    auto run = [&](const char *name, void *in, void *out) {
      callKernel(jit[(name + ("." + isa.suffix)).str()], {in, out}, {count}, 0, count);
    };
    run("from_f16", halves.data(), wide.data());
    run("to_f16", wide.data(), back.data());
    for (int64_t i = 0; i < count; ++i)
      if (!std::isnan(wide[i]))
        ASSERT_EQ(back[i], i) << isa.suffix.str();
    // Half-way points go to the even neighbour, values just beside them to the nearer one.
    for (int64_t i = 0; i < count; ++i)
      wide[i] = fromBits(uint32_t(i * 65537u * 17u));
    run("to_bf16", wide.data(), back.data());
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits;
      std::memcpy(&bits, &wide[i], 4);
      if (std::isnan(wide[i]))
        ASSERT_TRUE((back[i] & 0x7f80) == 0x7f80 && (back[i] & 0x7f)) << isa.suffix.str();
      else if (isa.hasBf16Dot && (bits & 0x7f800000) == 0)
        continue; // vcvtneps2bf16 flushes denormals
      else
        ASSERT_EQ(back[i], uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16))
            << isa.suffix.str();
    }
    const float points[][2] = {{1.00048828125f, 0x3c00},
                               {1.00146484375f, 0x3c02},
                               {65519.f, 0x7bff},
                               {65520.f, 0x7c00},
                               {2.98023224e-8f, 0},
                               {2.99e-8f, 1},
                               {8.9e-8f, 1},
                               {-65536.f, 0xfc00}};
    for (auto [x, expected] : points) {
      wide[0] = x;
      run("to_f16", wide.data(), back.data());
      EXPECT_EQ(back[0], uint16_t(expected)) << x << " " << isa.suffix.str();
    }
  }
}

TEST(CpuMathTest, LibmServesWhatIsNotExpanded) {
  MLIRContext context;
  loadKernelDialects(context);
  Type f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
  struct Other {
    const char *name;
    Type type;
    Value (*build)(OpBuilder &, Location, ValueRange);
    double (*reference)(double);
  };
  const Other others[] = {
      {"exp64", f64, unary<math::ExpOp>, [](double x) { return std::exp(x); }},
      {"erf64", f64, unary<math::ErfOp>, [](double x) { return std::erf(x); }},
      {"tanh64", f64, unary<math::TanhOp>, [](double x) { return std::tanh(x); }},
      {"round64", f64, unary<math::RoundOp>, [](double x) { return std::round(x); }},
      {"rsqrt64", f64, unary<math::RsqrtOp>, [](double x) { return 1 / std::sqrt(x); }},
      {"cbrt32", f32, unary<math::CbrtOp>, [](double x) { return std::cbrt(x); }},
      {"asinh32", f32, unary<math::AsinhOp>, [](double x) { return std::asinh(x); }},
      {"rsqrt32", f32, unary<math::RsqrtOp>, [](double x) { return 1 / std::sqrt(x); }},
      {"round32", f32, unary<math::RoundOp>, [](double x) { return std::round(x); }},
      {"even32", f32, unary<math::RoundEvenOp>, [](double x) { return std::nearbyint(x); }},
      {"floor32", f32, unary<math::FloorOp>, [](double x) { return std::floor(x); }}};
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (const Other &other : others)
    for (const Isa &isa : runnableIsas())
      buildMap(*module, (other.name + ("." + isa.suffix)).str(), isa, 1, f32, f32,
               [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                 Value in = x[0];
                 if (other.type.isF64())
                   in = b.create<arith::ExtFOp>(loc, other.type, in);
                 Value out = other.build(b, loc, in);
                 return other.type.isF64() ? Value(b.create<arith::TruncFOp>(loc, f32, out)) : out;
               });
  KernelJit jit(*module);
  std::vector<float> x, y;
  for (int i = 1; i < 200; ++i)
    x.push_back(i * 0.03125f);
  y.resize(x.size());
  for (const Other &other : others)
    for (const Isa &isa : runnableIsas()) {
      callKernel(jit[(other.name + ("." + isa.suffix)).str()], {x.data(), y.data()},
                 {int64_t(x.size())}, 0, x.size());
      const double tolerance = other.type.isBF16() ? 8e-3 : other.type.isF16() ? 1e-3 : 3e-7;
      for (size_t i = 0; i < x.size(); ++i) {
        const double expected = other.reference(x[i]);
        ASSERT_NEAR(y[i], expected, tolerance * std::max(1.0, std::fabs(expected)))
            << other.name << "." << isa.suffix.str() << " at " << x[i];
      }
    }
}
