//===- GemmQuantise.cpp - panels of a weight matrix in fewer bits ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedNumber.h"
#include "dynac/Target/CPU/GemmKernel.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dynac::cpu;

int64_t dynac::cpu::scalesOffset(const GemmPlan &plan) {
  return llvm::alignTo(plan.packedWords(), 64);
}

int64_t dynac::cpu::packedBytes(const GemmPlan &plan) {
  switch (plan.weight.kind) {
  case WeightFormat::F32:
  case WeightFormat::Int4:
    break;
  case WeightFormat::Bf16:
    return plan.packedWords() * 2;
  case WeightFormat::Int8: {
    const int64_t columns = (plan.panels - 1) * plan.panelWidth + plan.lastWidth;
    return scalesOffset(plan) + columns * int64_t(sizeof(float));
  }
  }
  return plan.packedWords() * 4;
}

namespace {

/// One panel of the matrix.
struct PanelOfB {
  const float *b; ///< element (0, first column)
  int64_t kStride, nStride;
  int64_t width, valid; ///< columns, and those of them that exist
  float at(int64_t k, int64_t column) const { return b[k * kStride + column * nStride]; }
};

/// Sums of squares.
struct Error {
  double weight = 0, difference = 0;
  void add(float exact, float stored) {
    weight += double(exact) * exact;
    difference += (double(exact) - stored) * (double(exact) - stored);
  }
  double relative() const { return weight > 0 ? std::sqrt(difference / weight) : 0; }
};

/// The number of largest size among `count` of a column from row k on: NaN if one is not finite.
float largest(const PanelOfB &panel, int64_t column, int64_t k, int64_t count) {
  float result = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float value = panel.at(k + i, column);
    if (!std::isfinite(value))
      return std::numeric_limits<float>::quiet_NaN();
    if (std::fabs(value) > std::fabs(result))
      result = value;
  }
  return result;
}

/// A scale that is denormal is none: what it stands for adds nothing that counts.
float usable(float scale) {
  return std::fabs(scale) < std::numeric_limits<float>::min() ? 0 : scale;
}

int32_t quantised(float value, float scale, float low, float high) {
  return static_cast<int32_t>(std::clamp(std::nearbyint(value / scale), low, high));
}

} // namespace

static void packBf16(const PanelOfB &panel, int64_t k, uint16_t *out, Error &error) {
  for (int64_t row = 0; row < k; ++row, out += panel.width)
    for (int64_t column = 0; column < panel.valid; ++column) {
      const float exact = panel.at(row, column);
      out[column] = packedNumber<uint16_t>(exact);
      const uint32_t bits = uint32_t(out[column]) << 16;
      float stored;
      std::memcpy(&stored, &bits, sizeof(stored));
      if (std::isfinite(stored))
        error.add(exact, stored);
    }
}

static void packInt8(const PanelOfB &panel, int64_t k, int8_t *out, float *scales, Error &error) {
  for (int64_t column = 0; column < panel.valid; ++column) {
    const float scale = usable(std::fabs(largest(panel, column, 0, k)) / 127);
    scales[column] = scale;
    if (std::isnan(scale))
      continue;
    for (int64_t row = 0; row < k; ++row) {
      const float exact = panel.at(row, column);
      const int32_t number = scale > 0 ? quantised(exact, scale, -127, 127) : 0;
      out[row * panel.width + column] = static_cast<int8_t>(number);
      error.add(exact, static_cast<float>(number) * scale);
    }
  }
}

/// The number of largest size becomes -8, the only one of its size.
static void packInt4(const PanelOfB &panel, int64_t k, int64_t block, uint32_t *out, Error &error) {
  for (int64_t row = 0; row < k; row += block) {
    const int64_t count = std::min(block, k - row), words = llvm::divideCeil(count, 8);
    for (int64_t column = 0; column < panel.valid; ++column) {
      const float scale = usable(largest(panel, column, row, count) / -8);
      std::memcpy(out + words * panel.width + column, &scale, sizeof(scale));
      if (std::isnan(scale))
        continue;
      for (int64_t i = 0; i < count; ++i) {
        const float exact = panel.at(row + i, column);
        const int32_t number = scale != 0 ? quantised(exact, scale, -8, 7) : 0;
        out[i / 8 * panel.width + column] |= (static_cast<uint32_t>(number) & 15) << i % 8 * 4;
        error.add(exact, static_cast<float>(number) * scale);
      }
    }
    out += (words + 1) * panel.width;
  }
}

double dynac::cpu::quantiseGemmB(const GemmPlan &plan, llvm::ArrayRef<float> b, int64_t kStride,
                                 int64_t nStride, llvm::MutableArrayRef<char> packed) {
  std::fill(packed.begin(), packed.end(), char(0));
  auto *scales = reinterpret_cast<float *>(packed.data() + scalesOffset(plan));
  Error error;
  for (int64_t number = 0; number < plan.panels; ++number) {
    const int64_t width = number + 1 == plan.panels ? plan.lastWidth : plan.panelWidth;
    const int64_t first = number * plan.panelWidth, begin = first * plan.packedRows();
    const PanelOfB panel{b.data() + first * nStride, kStride, nStride, width,
                         std::min(width, plan.n - first)};
    switch (plan.weight.kind) {
    case WeightFormat::F32:
      break;
    case WeightFormat::Bf16:
      packBf16(panel, plan.k, reinterpret_cast<uint16_t *>(packed.data()) + begin, error);
      break;
    case WeightFormat::Int8:
      packInt8(panel, plan.k, reinterpret_cast<int8_t *>(packed.data()) + begin, scales + first,
               error);
      break;
    case WeightFormat::Int4:
      packInt4(panel, plan.k, plan.weight.block,
               reinterpret_cast<uint32_t *>(packed.data()) + begin, error);
      break;
    }
  }
  return error.relative();
}
