//===- CpuKernelBench.cpp - GFLOP/s of the CPU kernels --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread, thread CPU time, first quartile of repeated calls, next to the measured peak of the
// level.
//   CpuKernelBench [gemm] [conv] [depthwise] [batch] [attention] [bytes] [bf16]     (default: all)
// bytes, bf16: GEMM and convolution of these, without an epilogue.
//
//===----------------------------------------------------------------------===//

#include "../unit/KernelJit.h"
#include "dynac/Support/MachinePeaks.h"
#include "dynac/Target/CPU/AttentionKernel.h"
#include "dynac/Target/CPU/BatchGemmKernel.h"
#include "dynac/Target/CPU/ConvKernel.h"
#include "dynac/Target/CPU/DepthwiseKernel.h"
#include "dynac/Target/CPU/GemmKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <ctime>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Seconds per call.
static double measure(llvm::function_ref<void()> call) {
  call();
  double start = now();
  call();
  const int inner = std::max(1, int(2e-4 / std::max(now() - start, 1e-9)));
  std::vector<double> times;
  for (const double stop = now() + 0.3; now() < stop || times.size() < 5;) {
    start = now();
    for (int i = 0; i < inner; ++i)
      call();
    times.push_back((now() - start) / inner);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

/// GFLOP/s that the level's instructions for such products reach in registers.
static double peakOf(const Isa &isa, DotKind dot) {
  dynac::PeakKind kind = dynac::PeakKind::F32;
  if (dot != DotKind::F32 && isa.matrices != MatrixUnit::None)
    kind = dot == DotKind::U8S8 ? dynac::PeakKind::ByteTiles : dynac::PeakKind::Bf16Tiles;
  else if (dot == DotKind::U8S8)
    kind = hasDot(isa, dot) ? dynac::PeakKind::Bytes : dynac::PeakKind::ShortPairs;
  else if (dot == DotKind::Bf16 && hasDot(isa, dot))
    kind = dynac::PeakKind::Bf16;
  return dynac::measurePeak(kind, static_cast<int>(isa.vectorBits()), /*threads=*/1) * 1e-9;
}

namespace {

/// Compiles kernels for one level and reports against its peak.
struct Bench {
  const Isa &isa;
  DotKind dot;
  double peakGflops;

  explicit Bench(const Isa &isa, DotKind dot = DotKind::F32)
      : isa(isa), dot(dot), peakGflops(peakOf(isa, dot)) {
    std::printf("%s: peak %.1f GFLOP/s\n", isa.name.str().c_str(), peakGflops);
  }

  void report(const std::string &what, double flops, double seconds, double compileSeconds) const {
    const double gflops = flops / seconds * 1e-9;
    std::printf("  %-44s %9.1f us %7.1f GFLOP/s %5.1f%%  (compiled in %.0f ms)\n", what.c_str(),
                seconds * 1e6, gflops, 100 * gflops / peakGflops, compileSeconds * 1e3);
    std::fflush(stdout);
  }

  static Value biasRelu(OpBuilder &b, Location loc, Value acc, const EpilogueCoords &coords) {
    Value bias = coords.load(b, coords.kernel.buffer(2), coords.channel);
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(coords.type));
    return b.create<arith::MaximumFOp>(loc, b.create<arith::AddFOp>(loc, acc, bias), zero);
  }

  /// A square convolution with "same" padding.
  void conv(int64_t size, int64_t c, int64_t k, int64_t taps, int64_t stride,
            bool dynamic = false) const {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    const int64_t out = (size + stride - 1) / stride;
    ConvShape s;
    s.n = 1;
    s.h = s.w = dynamic ? dim(0) : Extent(size);
    s.oh = s.ow = dynamic ? dim(1) : Extent(out);
    s.c = c, s.k = k, s.kernel = {taps, taps}, s.stride = {stride, stride};
    s.padBegin = s.padEnd = {taps / 2, taps / 2};
    s.plainInput = c < 16;
    s.dot = dot;
    ConvSpec spec;
    spec.plan = planConv(s);
    spec.dimCount = 2;
    spec.extra = {{Float32Type::get(&context), {k}}};
    if (dot == DotKind::F32)
      spec.epilogue = biasRelu;
    const double start = now();
    emitConv(*module, "conv", isa, spec);
    KernelJit jit(*module);
    const double compileSeconds = now() - start;
    Aligned<float> x(c * size * size), packed(spec.plan.packedElements() + 4096), bias(k),
        y(k * out * out);
    fillRandom(x.data(), x.size());
    fillRandom(packed.data(), packed.size());
    Aligned<char> scratch(spec.plan.scratchBytes + 64);
    dynac_kernel_fn fn = jit["conv"];
    const double seconds = measure([&] {
      callKernel(fn, {x.data(), packed.data(), bias.data(), y.data()}, {size, out}, 0,
                 spec.plan.units(1, out, out), scratch.data());
    });
    auto text = [](int64_t value) { return std::to_string(value); };
    report("conv " + text(taps) + "x" + text(taps) + "/" + text(stride) + " " + text(size) + "x" +
               text(size) + " " + text(c) + "->" + text(k) + (dynamic ? " dynamic" : ""),
           2. * out * out * k * c * taps * taps, seconds, compileSeconds);
  }

  void depthwise(int64_t size, int64_t c, int64_t taps, int64_t stride,
                 bool dynamic = false) const {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    const int64_t out = (size + stride - 1) / stride;
    ConvShape s;
    s.n = 1;
    s.h = s.w = dynamic ? dim(0) : Extent(size);
    s.oh = s.ow = dynamic ? dim(1) : Extent(out);
    s.c = s.k = s.groups = c, s.kernel = {taps, taps}, s.stride = {stride, stride};
    s.padBegin = s.padEnd = {taps / 2, taps / 2};
    DepthwiseSpec spec;
    spec.plan = planDepthwise(s);
    spec.dimCount = 2;
    const int64_t padded = (c + 15) / 16 * 16;
    spec.extra = {{Float32Type::get(&context), {padded}}};
    spec.epilogue = biasRelu;
    const double start = now();
    emitDepthwise(*module, "depthwise", isa, spec);
    KernelJit jit(*module);
    const double compileSeconds = now() - start;
    Aligned<float> x(padded * size * size), packed(spec.plan.packedElements()), bias(padded),
        y(padded * out * out);
    fillRandom(x.data(), x.size());
    fillRandom(packed.data(), packed.size());
    dynac_kernel_fn fn = jit["depthwise"];
    const double seconds = measure([&] {
      callKernel(fn, {x.data(), packed.data(), bias.data(), y.data()}, {size, out}, 0,
                 spec.plan.units(1, out));
    });
    auto text = [](int64_t value) { return std::to_string(value); };
    report("depthwise " + text(taps) + "x" + text(taps) + "/" + text(stride) + " " + text(size) +
               "x" + text(size) + "x" + text(c) + (dynamic ? " dynamic" : ""),
           2. * out * out * c * taps * taps, seconds, compileSeconds);
  }

  /// Heads of an attention over `m` positions: Q K^T (transposed) or P V.
  void batch(int64_t heads, int64_t m, int64_t channels, bool transposed) const {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    BatchGemmSpec spec;
    spec.batch = {heads};
    spec.m = m, spec.n = transposed ? m : channels, spec.k = transposed ? channels : m;
    auto layout = [](int64_t batchStride, int64_t rowStride, bool isTransposed) {
      MatrixLayout result;
      result.batchStrides = {batchStride};
      result.rowStride = rowStride;
      result.transposed = isTransposed;
      return result;
    };
    const MatrixLayout scores = layout(m * m, m, false),
                       values = layout(channels, heads * channels, false);
    spec.a = transposed ? values : scores;
    spec.b = layout(channels, heads * channels, transposed);
    spec.c = transposed ? scores : values;
    const double start = now();
    emitBatchGemm(*module, "batch", isa, spec);
    KernelJit jit(*module);
    const double compileSeconds = now() - start;
    Aligned<float> a(heads * m * std::max(m, channels)), b(heads * m * channels),
        c(heads * m * std::max(m, channels));
    fillRandom(a.data(), a.size());
    fillRandom(b.data(), b.size());
    Aligned<char> scratch(spec.scratchBytes() + 64);
    dynac_kernel_fn fn = jit["batch"];
    const double seconds = measure([&] {
      callKernel(fn, {a.data(), b.data(), c.data()}, {}, 0, spec.units(heads, m, spec.n.value),
                 scratch.data());
    });
    report(std::string(transposed ? "Q K^T " : "P V ") + std::to_string(heads) + " heads of " +
               std::to_string(m) + "x" + std::to_string(channels),
           2. * heads * m * m * channels, seconds, compileSeconds);
  }

  /// softmax(scale * q kT + mask) v for `heads` heads that lie side by side, a mask of keys.
  void attention(int64_t heads, int64_t queries, int64_t keys, int64_t depth) const {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    AttentionSpec spec;
    spec.batch = {heads};
    spec.queries = queries, spec.keys = keys, spec.depth = spec.valueDepth = depth;
    spec.q.batchStrides = {depth};
    spec.q.rowStride = heads * depth;
    spec.k = spec.v = spec.y = spec.q;
    spec.k.transposed = true;
    spec.scale = 0.125f;
    AttentionSpec::Term mask;
    mask.strides = {Extent(0), Extent(0), Extent(1)};
    spec.terms = {mask};
    const double start = now();
    emitAttention(*module, "attention", isa, spec);
    KernelJit jit(*module);
    const double compileSeconds = now() - start;
    Aligned<float> q(queries * heads * depth), k(keys * heads * depth), v(keys * heads * depth),
        added(keys), y(q.size());
    for (Aligned<float> *x : {&q, &k, &v})
      fillRandom(x->data(), x->size());
    Aligned<char> scratch(spec.scratchBytes() + 64);
    dynac_kernel_fn fn = jit["attention"];
    const double seconds = measure([&] {
      callKernel(fn, {q.data(), k.data(), v.data(), added.data(), y.data()}, {}, 0,
                 spec.units(heads, queries), scratch.data());
    });
    report("attention " + std::to_string(heads) + " heads of " + std::to_string(queries) + "x" +
               std::to_string(keys) + "x" + std::to_string(depth),
           4. * heads * queries * keys * depth, seconds, compileSeconds);
  }

  void gemm(int64_t m, int64_t n, int64_t k, bool dynamic = false) const {
    MLIRContext context;
    loadKernelDialects(context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    GemmSpec spec;
    spec.plan = planGemm(dynamic ? -1 : m, n, k, dot);
    spec.m = dynamic ? dim(0) : Extent(m);
    spec.dimCount = 1;
    spec.extra = {{Float32Type::get(&context), {n}}};
    if (dot == DotKind::F32)
      spec.epilogue = biasRelu;
    const double start = now();
    emitGemm(*module, "gemm", isa, spec);
    KernelJit jit(*module);
    const double compileSeconds = now() - start;
    Aligned<float> a(m * k), packed(spec.plan.packedWords()), bias(n), c(m * n);
    fillRandom(a.data(), a.size());
    fillRandom(packed.data(), packed.size());
    Aligned<char> scratch(spec.plan.scratchBytes + 64);
    dynac_kernel_fn fn = jit["gemm"];
    const double seconds = measure([&] {
      callKernel(fn, {a.data(), packed.data(), bias.data(), c.data()}, {m}, 0, spec.plan.units(m),
                 scratch.data());
    });
    report("gemm " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
               (dynamic ? " m dynamic" : ""),
           2. * m * n * k, seconds, compileSeconds);
  }
};

} // namespace

int main(int argc, char **argv) {
  auto wanted = [&](llvm::StringRef what) {
    return argc == 1 ||
           std::any_of(argv + 1, argv + argc, [&](const char *arg) { return what == arg; });
  };
  auto shortNumbers = [](const Bench &bench) {
    bench.gemm(1024, 1024, 1024);
    bench.gemm(128, 768, 768);
    bench.gemm(128, 3072, 768);
    bench.gemm(128, 768, 3072);
    bench.gemm(197, 768, 768);
    bench.conv(224, 3, 64, 7, 2);
    bench.conv(56, 64, 64, 3, 1);
    bench.conv(28, 128, 128, 3, 1);
    bench.conv(14, 256, 256, 3, 1);
    bench.conv(7, 512, 512, 3, 1);
    bench.conv(56, 64, 256, 1, 1);
    bench.conv(28, 512, 128, 1, 1);
    bench.conv(14, 1024, 256, 1, 1);
    bench.conv(7, 512, 2048, 1, 1);
    bench.conv(28, 512, 1024, 1, 2);
  };
  for (const Isa &isa : runnableIsas()) {
    if (isa.level < DYNAC_CPU_V3)
      continue;
    if (wanted("bytes"))
      shortNumbers(Bench(isa, DotKind::U8S8));
    if (wanted("bf16"))
      shortNumbers(Bench(isa, DotKind::Bf16));
    if (isa.level > DYNAC_CPU_V4)
      continue;
    Bench bench(isa);
    if (wanted("gemm")) {
      bench.gemm(1024, 1024, 1024);
      bench.gemm(128, 768, 768);
      bench.gemm(128, 3072, 768);
      bench.gemm(128, 768, 3072);
      bench.gemm(128, 768, 768, true);
      bench.gemm(197, 768, 768);
      bench.gemm(128, 2304, 768);
      bench.gemm(128, 1000, 512);
      bench.gemm(256, 64, 256);
      bench.gemm(1, 4096, 4096);
    }
    if (wanted("batch")) {
      bench.batch(12, 128, 64, true);
      bench.batch(12, 128, 64, false);
      bench.batch(12, 512, 64, true);
      bench.batch(12, 512, 64, false);
    }
    if (wanted("attention")) {
      bench.attention(12, 128, 128, 64);
      bench.attention(12, 197, 197, 64);
      bench.attention(12, 512, 512, 64);
      bench.attention(64, 49, 49, 32);
      bench.attention(12, 1, 512, 64);
    }
    if (wanted("depthwise")) {
      bench.depthwise(112, 32, 3, 1);
      bench.depthwise(112, 64, 3, 2);
      bench.depthwise(56, 72, 3, 1);
      bench.depthwise(28, 120, 3, 1);
      bench.depthwise(28, 120, 5, 1);
      bench.depthwise(14, 480, 3, 1);
      bench.depthwise(7, 960, 5, 1);
      bench.depthwise(14, 480, 3, 1, true);
    }
    if (wanted("conv")) {
      bench.conv(224, 3, 64, 7, 2);
      bench.conv(56, 64, 64, 3, 1);
      bench.conv(28, 128, 128, 3, 1);
      bench.conv(14, 256, 256, 3, 1);
      bench.conv(7, 512, 512, 3, 1);
      bench.conv(56, 128, 128, 3, 2);
      bench.conv(56, 64, 64, 1, 1);
      bench.conv(56, 64, 256, 1, 1);
      bench.conv(56, 256, 64, 1, 1);
      bench.conv(28, 512, 128, 1, 1);
      bench.conv(14, 1024, 256, 1, 1);
      bench.conv(7, 512, 2048, 1, 1);
      bench.conv(7, 2048, 512, 1, 1);
      bench.conv(28, 512, 1024, 1, 2);
      bench.conv(28, 128, 128, 3, 1, true);
      bench.conv(14, 1024, 256, 1, 1, true);
    }
  }
}
