//===- MachinePeaks.cpp - what this CPU can do at most --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops are assembly: what they measure must not hang on the compiler or its options.
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/MachinePeaks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <time.h>

namespace dynac {

static double threadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The sum over `threads` threads of `amount` / least time of `run(thread)` in rounds of at least
/// `seconds`.
static double rate(int threads, double amount, int rounds, double seconds,
                   const std::function<void(int)> &run) {
  std::vector<double> rates(static_cast<size_t>(threads));
  auto measure = [&](int thread) {
    run(thread); // pages, frequency
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
      const double start = threadSeconds();
      double done = 0, passed = 0;
      do {
        run(thread);
        done += amount;
        passed = threadSeconds() - start;
      } while (passed < seconds);
      best = std::max(best, done / passed);
    }
    rates[static_cast<size_t>(thread)] = best;
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(measure, thread);
  measure(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0;
  for (double one : rates)
    sum += one;
  return sum;
}

// Ten sums that do not wait for each other, in registers `r`0 to `r`9: latency times throughput of
// every CPU's two multipliers. The assembler repeats the line.
#define SUMS(instruction, r)                                                                       \
  ".irp i,0,1,2,3,4,5,6,7,8,9\n" instruction " %%" r "14, %%" r "15, %%" r "\\i\n.endr\n"
// The product goes to a register that is written before it is read, the sum to a tenth.
#define PAIRS(r)                                                                                   \
  ".irp i,0,1,2,3,4,5,6,7,8,9\n"                                                                   \
  "vpmaddwd %%" r "14, %%" r "15, %%" r "13\n vpaddd %%" r "13, %%" r "\\i, %%" r "\\i\n.endr\n"
// Factors are zeros: what other code left there might be denormal, which is slow.
#define REPEAT(clear, text, leave)                                                                 \
  asm volatile(clear "1:\n" text "dec %0\n jnz 1b\n" leave                                         \
               : "+r"(count)::"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",      \
                 "xmm8", "xmm9", "xmm12", "xmm13", "xmm14", "xmm15", "cc")
#define REPEAT_AVX(text)                                                                           \
  REPEAT("vpxor %%xmm14, %%xmm14, %%xmm14\n vpxor %%xmm15, %%xmm15, %%xmm15\n", text,              \
         "vzeroupper\n")
#define REPEAT_SSE(text) REPEAT("pxor %%xmm14, %%xmm14\n pxor %%xmm15, %%xmm15\n", text, "")

/// Four sums of tiles of 16 rows of 64 bytes, all zero. Vectors are not touched.
#define REPEAT_TILES(instruction)                                                                  \
  asm volatile("ldtilecfg %1\n .irp i,0,1,2,3,4,5,6,7\n tilezero %%tmm\\i\n.endr\n 1:\n"           \
               ".irp i,0,1,2,3\n" instruction " %%tmm6, %%tmm4, %%tmm\\i\n.endr\n"                 \
               "dec %0\n jnz 1b\n tilerelease\n"                                                   \
               : "+r"(count)                                                                       \
               : "m"(config)                                                                       \
               : "cc")

/// What ldtilecfg reads.
struct TileConfig {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

static constexpr int64_t steps = 50000;

static void runPeak(PeakKind kind, int bits) {
  int64_t count = steps;
  const TileConfig config;
  switch (kind) {
  case PeakKind::F32:
    if (bits == 512)
      REPEAT_AVX(SUMS("vfmadd231ps", "zmm"));
    else if (bits == 256)
      REPEAT_AVX(SUMS("vfmadd231ps", "ymm"));
    else // without FMA: five multiplications and five additions
      REPEAT_SSE("mulps %%xmm15, %%xmm0\n addps %%xmm15, %%xmm1\n mulps %%xmm15, %%xmm2\n"
                 "addps %%xmm15, %%xmm3\n mulps %%xmm15, %%xmm4\n addps %%xmm15, %%xmm5\n"
                 "mulps %%xmm15, %%xmm6\n addps %%xmm15, %%xmm7\n mulps %%xmm15, %%xmm8\n"
                 "addps %%xmm15, %%xmm9\n");
    return;
  case PeakKind::Bf16:
    REPEAT_AVX(SUMS("vdpbf16ps", "zmm"));
    return;
  case PeakKind::Bytes:
    REPEAT_AVX(SUMS("vpdpbusd", "zmm"));
    return;
  case PeakKind::ShortPairs:
    if (bits == 512)
      REPEAT_AVX(PAIRS("zmm"));
    else if (bits == 256)
      REPEAT_AVX(PAIRS("ymm"));
    else
      REPEAT_SSE("movdqa %%xmm15, %%xmm13\n pmaddwd %%xmm14, %%xmm13\n paddd %%xmm13, %%xmm0\n"
                 "movdqa %%xmm15, %%xmm12\n pmaddwd %%xmm14, %%xmm12\n paddd %%xmm12, %%xmm1\n");
    return;
  case PeakKind::Bf16Tiles:
    REPEAT_TILES("tdpbf16ps");
    return;
  case PeakKind::ByteTiles:
    REPEAT_TILES("tdpbusd");
    return;
  }
}

/// Operations of runPeak.
static double operations(PeakKind kind, int vectorBits) {
  constexpr int tiles = 4, sumsOfTile = 16 * 16;
  if (kind == PeakKind::Bf16Tiles)
    return double(steps) * tiles * sumsOfTile * 32 * 2;
  if (kind == PeakKind::ByteTiles)
    return double(steps) * tiles * sumsOfTile * 64 * 2;
  const bool isWide = kind == PeakKind::Bf16 || kind == PeakKind::Bytes;
  const int lanes = (isWide ? 512 : vectorBits) / 32;
  int perLane = 2, instructions = 10;
  if (kind == PeakKind::Bytes)
    perLane = 8;
  else if (kind != PeakKind::F32)
    perLane = 4;
  if (vectorBits == 128 && kind == PeakKind::F32)
    perLane = 1;
  if (vectorBits == 128 && kind == PeakKind::ShortPairs)
    instructions = 2;
  return double(steps) * instructions * lanes * perLane;
}

double measurePeak(PeakKind kind, int vectorBits, int threads) {
  return rate(threads, operations(kind, vectorBits), /*rounds=*/5, /*seconds=*/3e-3,
              [=](int) { runPeak(kind, vectorBits); });
}

/// Reads whole blocks of 512 bytes.
static void readAll(const char *data, size_t bytes, int bits) {
  const char *end = data + bytes / 512 * 512;
  // Eight registers, so that no load waits for the one before it.
#define LOADS(move, r, width)                                                                      \
  ".irp i,0,1,2,3,4,5,6,7\n" move " " width "*\\i(%0), %%" r "\\i\n.endr\n"
#define READ(text)                                                                                 \
  asm volatile(text ::"r"(data)                                                                    \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory")
  if (bits == 512)
    for (; data < end; data += 512)
      READ(LOADS("vmovups", "zmm", "64"));
  else if (bits == 256)
    for (; data < end; data += 256)
      READ(LOADS("vmovups", "ymm", "32"));
  else
    for (; data < end; data += 128)
      READ(LOADS("movups", "xmm", "16"));
  if (bits > 128)
    asm volatile("vzeroupper" ::: "memory");
}

Bandwidth measureBandwidth(int vectorBits, int threads) {
  constexpr size_t smallest = size_t(16) << 10, largest = size_t(256) << 20;
  Bandwidth result;
  void *memory = mmap(nullptr, largest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return result;
  madvise(memory, largest, MADV_HUGEPAGE); // or pages' tables are what is measured
  char *bytes = static_cast<char *>(memory);
  for (size_t i = 0; i < largest; i += 4096)
    bytes[i] = 1; // untouched pages are all the same zeros
  for (size_t size = smallest; size <= largest; size *= 2) {
    const size_t total = size * static_cast<size_t>(size < (size_t(1) << 20) ? threads : 1);
    const size_t part = total / static_cast<size_t>(threads) / 512 * 512;
    // Small sets many times: a clock's reading must not count.
    const size_t repeats = std::max<size_t>(1, (size_t(1) << 20) / part);
    const double speed =
        rate(threads, static_cast<double>(part * repeats), /*rounds=*/4, /*seconds=*/2e-3,
             [=](int thread) {
               for (size_t i = 0; i < repeats; ++i)
                 readAll(bytes + static_cast<size_t>(thread) * part, part, vectorBits);
             });
    result.points.push_back({static_cast<double>(part) * threads, speed});
  }
  munmap(memory, largest);
  std::sort(result.points.begin(), result.points.end(),
            [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
  for (size_t i = result.points.size(); i-- > 1;) // noise of smaller sets
    result.points[i - 1].bytesPerSecond =
        std::max(result.points[i - 1].bytesPerSecond, result.points[i].bytesPerSecond);
  return result;
}

double Bandwidth::at(double bytes) const {
  if (points.empty())
    return 0;
  if (bytes <= points.front().bytes)
    return points.front().bytesPerSecond;
  for (size_t i = 1; i < points.size(); ++i)
    if (bytes <= points[i].bytes) {
      const double place =
          std::log(bytes / points[i - 1].bytes) / std::log(points[i].bytes / points[i - 1].bytes);
      return points[i - 1].bytesPerSecond *
             std::pow(points[i].bytesPerSecond / points[i - 1].bytesPerSecond, place);
    }
  return points.back().bytesPerSecond;
}

} // namespace dynac
