//===- CpuAttentionTest.cpp - the attention kernel against a plain one ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"
#include "dynac/Target/CPU/AttentionKernel.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace dynac::cpu;
using namespace dynac::cpu::test;

namespace {

enum class Masking { None, Bias, PerKey, Bool, BoolOfQuery };

/// q [batch, query, head, depth], k [batch, key, group, depth] (or [batch, group, depth, key]), v
/// [batch, key, group, valueDepth], y like q.
struct Case {
  int64_t batch, heads, headsPerKey, queries, keys, depth, valueDepth;
  bool keysLast, dynamic;
  Masking masking;
  bool zeroNan = false, zeroEmpty = false;
  bool bf16 = false; ///< q, k, v and y
};

struct Layouts {
  std::vector<int64_t> dims;
  AttentionSpec spec;

  explicit Layouts(const Case &c) {
    auto number = [&](int64_t value) -> Extent {
      if (!c.dynamic)
        return value;
      dims.push_back(value);
      return dim(dims.size() - 1);
    };
    spec.batch = {number(c.batch), number(c.heads)};
    spec.queries = number(c.queries);
    spec.keys = number(c.keys);
    spec.depth = c.depth;
    spec.valueDepth = c.valueDepth;
    const int64_t groups = c.heads / c.headsPerKey;
    auto layout = [&](int64_t rows, int64_t heads, int64_t cols) {
      MatrixLayout result;
      result.batchStrides = {number(rows * heads * cols), number(cols)};
      result.rowStride = number(heads * cols);
      return result;
    };
    spec.q = layout(c.queries, c.heads, c.depth);
    spec.k = layout(c.keys, groups, c.depth);
    spec.k.transposed = true;
    if (c.keysLast) {
      spec.k.batchStrides = {number(groups * c.depth * c.keys), number(c.depth * c.keys)};
      spec.k.rowStride = number(c.keys);
      spec.k.transposed = false;
    }
    spec.v = layout(c.keys, groups, c.valueDepth);
    spec.y = layout(c.queries, c.heads, c.valueDepth);
    spec.headsPerKey = c.headsPerKey;
    spec.scale = 0.75f;
    spec.zeroNan = c.zeroNan;
    spec.zeroEmpty = c.zeroEmpty;
    spec.dot = c.bf16 ? DotKind::Bf16 : DotKind::F32;
    AttentionSpec::Term term;
    const Extent none(0), one(1);
    term.isMask = c.masking == Masking::Bool || c.masking == Masking::BoolOfQuery;
    term.fill = -std::numeric_limits<float>::infinity();
    if (c.masking == Masking::Bias) // [heads, queries, keys]
      term.strides = {none, number(c.queries * c.keys), number(c.keys), one};
    else if (c.masking == Masking::BoolOfQuery) // [batch, 1, queries, 1]
      term.strides = {number(c.queries), none, one, none};
    else // [batch, 1, 1, keys]
      term.strides = {number(c.keys), none, none, one};
    if (c.masking != Masking::None)
      spec.terms = {term};
    spec.dimCount = dims.size();
  }
};

/// What is added to the scores, as float or the other way as bool.
struct Mask {
  Aligned<float> floats;
  Aligned<char> bools;
  explicit Mask(const Case &c)
      : floats(c.masking == Masking::Bias ? c.heads * c.queries * c.keys
                                          : c.batch * std::max(c.queries, c.keys)),
        bools(floats.size()) {
    fillRandom(floats.data(), floats.size(), 4);
    for (size_t i = 0; i < floats.size(); ++i) {
      bools[i] = floats[i] > -0.3f;
      if (c.masking == Masking::PerKey && (c.zeroNan || c.zeroEmpty) && i < size_t(c.keys))
        floats[i] = -std::numeric_limits<float>::infinity(); // the first batch sees nothing
      else if (floats[i] < -0.4f)
        floats[i] = -std::numeric_limits<float>::infinity();
      else
        floats[i] *= 200; // shares that are denormal or nothing
    }
  }
  double change(const Case &c, double score, int64_t n, int64_t h, int64_t i, int64_t j) const {
    const double low = -std::numeric_limits<double>::infinity();
    switch (c.masking) {
    case Masking::None:
      return score;
    case Masking::Bias:
      return score + floats[(h * c.queries + i) * c.keys + j];
    case Masking::PerKey:
      return score + floats[n * c.keys + j];
    case Masking::Bool:
      return bools[n * c.keys + j] ? score : low;
    case Masking::BoolOfQuery:
      return bools[n * c.queries + i] ? score : low;
    }
    return 0;
  }
};

uint16_t toBf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(x));
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float fromBf16(uint16_t x) {
  const uint32_t bits = uint32_t(x) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

/// Rounds `numbers` and gives them as bf16.
Aligned<uint16_t> rounded(Aligned<float> &numbers) {
  Aligned<uint16_t> result(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    result[i] = toBf16(numbers[i]);
    numbers[i] = fromBf16(result[i]);
  }
  return result;
}

void check(dynac_kernel_fn fn, const Case &c, const std::string &what) {
  Layouts layouts(c);
  const int64_t groups = c.heads / c.headsPerKey;
  Aligned<float> q(c.batch * c.queries * c.heads * c.depth), k(c.batch * c.keys * groups * c.depth),
      v(c.batch * c.keys * groups * c.valueDepth),
      y(c.batch * c.queries * c.heads * c.valueDepth + 16, -7.f);
  fillRandom(q.data(), q.size(), 1);
  fillRandom(k.data(), k.size(), 2);
  fillRandom(v.data(), v.size(), 3);
  for (size_t i = 0; i < q.size(); ++i)
    q[i] *= 4;
  Mask mask(c);
  std::vector<void *> buffers{q.data(), k.data(), v.data()};
  Aligned<uint16_t> shortQ(0), shortK(0), shortV(0), shortY(y.size(), uint16_t(0x4321));
  if (c.bf16) {
    shortQ = rounded(q), shortK = rounded(k), shortV = rounded(v);
    buffers = {shortQ.data(), shortK.data(), shortV.data()};
  }
  if (c.masking != Masking::None)
    buffers.push_back(layouts.spec.terms[0].isMask ? static_cast<void *>(mask.bools.data())
                                                   : mask.floats.data());
  buffers.push_back(c.bf16 ? static_cast<void *>(shortY.data()) : y.data());
  Aligned<char> scratch(layouts.spec.scratchBytes() + 64, char(0x7f));
  const int64_t units = layouts.spec.units(c.batch * c.heads, c.queries);
  for (int64_t begin = 0, end; begin < units; begin = end) {
    end = std::min(units, begin + std::max<int64_t>(1, (units - begin) / 2));
    ASSERT_EQ(callKernel(fn, buffers, layouts.dims, begin, end, scratch.data()), 0);
  }
  if (c.bf16)
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = shortY[i] == 0x4321 ? -7.f : fromBf16(shortY[i]);
  // Shares and the result are rounded to 8 bits; their errors are no larger than the values of v.
  const double tolerance = c.bf16 ? 4e-3 : 4e-6;
  std::vector<double> scores(c.keys);
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t i = 0; i < c.queries; ++i) {
        const int64_t group = h / c.headsPerKey;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int64_t j = 0; j < c.keys; ++j) {
          double score = 0;
          for (int64_t d = 0; d < c.depth; ++d)
            score += double(q[((n * c.queries + i) * c.heads + h) * c.depth + d]) *
                     (c.keysLast ? k[((n * groups + group) * c.depth + d) * c.keys + j]
                                 : k[((n * c.keys + j) * groups + group) * c.depth + d]);
          scores[j] = mask.change(c, score * 0.75, n, h, i, j);
          largest = std::max(largest, scores[j]);
        }
        const bool isEmpty = std::isinf(largest);
        for (double &score : scores)
          sum += score = isEmpty ? 0 : std::exp(score - largest);
        for (int64_t e = 0; e < c.valueDepth; ++e) {
          double want = 0;
          for (int64_t j = 0; j < c.keys; ++j)
            want += scores[j] * v[((n * c.keys + j) * groups + group) * c.valueDepth + e];
          float got = y[((n * c.queries + i) * c.heads + h) * c.valueDepth + e];
          if (isEmpty && !c.zeroNan && !c.zeroEmpty && c.keys > 0)
            ASSERT_TRUE(std::isnan(got)) << what << " at " << n << ", " << h << ", " << i;
          else
            ASSERT_NEAR(got, isEmpty ? 0 : want / sum, tolerance)
                << what << " at " << n << ", " << h << ", " << i << ", " << e;
        }
      }
  for (int64_t i = 0; i < 16; ++i)
    ASSERT_EQ(y[y.size() - 16 + i], -7.f) << what << ": wrote past the end";
}

} // namespace

TEST(CpuAttentionTest, MatchesPlainAttention) {
  std::vector<Case> cases = {
      {2, 3, 1, 20, 33, 64, 64, false, false, Masking::Bias},
      {1, 2, 1, 49, 49, 32, 32, false, false, Masking::None},
      {2, 4, 2, 7, 200, 16, 24, false, false, Masking::PerKey},
      {2, 2, 1, 250, 70, 20, 5, true, false, Masking::Bool},
      {1, 2, 2, 13, 1100, 40, 80, false, false, Masking::BoolOfQuery},
      {2, 1, 1, 1, 1030, 64, 48, true, false, Masking::Bias},
      {2, 2, 1, 5, 3, 8, 16, false, false, Masking::PerKey, true},
      {2, 2, 1, 50, 1200, 8, 16, false, false, Masking::PerKey, false, true},
      {1, 1, 1, 130, 1000, 8, 100, false, false, Masking::Bool},
      {2, 4, 2, 1, 1030, 20, 48, false, false, Masking::Bias}, // keys are read where they lie
  };
  for (size_t i = 0, count = cases.size(); i < count; ++i) {
    cases.push_back(cases[i]);
    cases.back().dynamic = true;
  }
  cases.push_back({1, 2, 1, 3, 0, 8, 16, false, true, Masking::None});
  for (bool dynamic : {false, true})
    for (Case c : {Case{2, 3, 1, 20, 33, 64, 64, false, dynamic, Masking::Bias},
                   Case{1, 4, 2, 49, 49, 32, 40, false, dynamic, Masking::None},
                   Case{2, 2, 1, 50, 1201, 8, 16, false, dynamic, Masking::PerKey, false, true},
                   Case{1, 2, 1, 250, 70, 20, 5, false, dynamic, Masking::Bool},
                   Case{1, 2, 2, 18, 5, 80, 33, false, dynamic, Masking::BoolOfQuery}}) {
      c.bf16 = true;
      cases.push_back(c);
    }
  MLIRContext context;
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto nameOf = [&](size_t i, const Isa &isa) {
    return ("attention" + std::to_string(i) + "." + isa.suffix).str();
  };
  auto isTested = [&](size_t i, const Isa &isa) {
    return (isa.level < DYNAC_CPU_V4_BF16_VNNI || cases[i].bf16) &&
           (isa.level != DYNAC_CPU_V2 || i < 3);
  };
  // AMX's kernels run everywhere as loops, and natively where the CPU has it.
  std::vector<Isa> isas = runnableIsas();
  isas.push_back(loopsForTiles());
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : isas)
      if (isTested(i, isa))
        emitAttention(*module, nameOf(i, isa), isa, Layouts(c).spec);
  KernelJit jit(*module);
  for (auto [i, c] : llvm::enumerate(cases))
    for (const Isa &isa : isas)
      if (isTested(i, isa))
        check(jit[nameOf(i, isa)], c, nameOf(i, isa));
}
