//===- ConvPacking.cpp - blocks and panels of a convolution ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedNumber.h"
#include "WinogradKernel.h"
#include "dynac/Target/CPU/ConvKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace dynac::cpu;
using llvm::alignTo;
using llvm::divideCeil;

/// A unit's part of x: less than half of the smallest second-level cache in use.
static constexpr int64_t inputBudget = 384 * 1024;

static constexpr int64_t panelWidth = 32;

/// `total` in the fewest even pieces of about `limit` (one piece may be half larger).
static int64_t evenPiece(int64_t total, int64_t limit) {
  if (total <= limit + limit / 2)
    return std::max<int64_t>(total, 1);
  return divideCeil(total, divideCeil(total, limit));
}

/// The same in whole tiles of 14. Threads share pieces: equal ones, half larger, are better than
/// one more of which one is a rest.
static int64_t evenTiles(int64_t total, int64_t limit) {
  constexpr int64_t tile = 14;
  const int64_t largest = limit + limit / 2;
  if (total <= largest)
    return std::max<int64_t>(total, 1);
  const int64_t most = divideCeil(total, limit);
  for (int64_t pieces = most; pieces * largest >= total; --pieces)
    if (total % (pieces * tile) == 0)
      return total / pieces;
  return alignTo(divideCeil(total, most), tile);
}

/// Extent along `axis` of the part of x that `size` outputs read.
static int64_t inputExtent(const ConvShape &s, unsigned axis, int64_t size) {
  return (size - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

/// The padded copy of what a unit reads.
static int64_t patchBytes(const ConvPlan &plan) {
  const ConvShape &s = plan.shape;
  return alignTo(s.groupBlocks() * s.blockWords() * 4 * inputExtent(s, 0, plan.blockRows) *
                     inputExtent(s, 1, plan.blockCols),
                 64);
}

ConvPlan dynac::cpu::planConv(const ConvShape &s, const ConvChoice &choice) {
  ConvPlan plan = {};
  plan.shape = s;
  auto all = [](const std::array<int64_t, 2> &pair, int64_t value) {
    return pair[0] == value && pair[1] == value;
  };
  plan.padded = !all(s.padBegin, 0) || !all(s.padEnd, 0) || s.gathersWords();
  plan.flat = !plan.padded && !s.plainInput && all(s.kernel, 1) && all(s.stride, 1);
  plan.groupPanels = divideCeil(alignTo(s.k / s.groups, 16), panelWidth);

  plan.winograd = choice.winograd >= 0 ? choice.winograd : winogradTile(s);
  if (plan.winograd) {
    planWinograd(plan, choice.cachePercent);
    plan.hasDirect = choice.matrices && s.dot != DotKind::F32;
    if (plan.hasDirect)
      plan.scratchBytes = std::max(plan.scratchBytes, plan.direct().scratchBytes);
    return plan;
  }
  const int64_t budget = inputBudget * choice.cachePercent / 100;
  const int64_t pixelBytes = s.groupBlocks() * s.blockWords() * 4;
  // The copy pays where more than one panel reads it.
  plan.gathersPixels = s.dot != DotKind::F32 && all(s.kernel, 1) && !plan.padded && !s.plainInput &&
                       pixelBytes % 64 == 0 && plan.groupPanels > 1;
  if (plan.flat) {
    plan.blockRows = 1;
    // 42 pixels are whole tiles of 14 and of 6.
    const int64_t limit = std::max<int64_t>(42, budget / pixelBytes / 42 * 42);
    const bool isStatic = !s.oh.dynamic && !s.ow.dynamic;
    plan.blockCols =
        isStatic ? evenTiles(s.oh.value * s.ow.value, limit) : std::min<int64_t>(limit, 840);
    if (plan.gathersPixels)
      plan.scratchBytes = plan.blockCols * pixelBytes;
    return plan;
  }
  // A signal has no other rows that use the weights again.
  const bool isSignal = !s.oh.dynamic && s.oh.value == 1;
  const int64_t cols = isSignal ? budget / (pixelBytes * s.stride[1]) / 56 * 56 : 0;
  const int64_t colLimit = std::clamp<int64_t>(cols, 56, 1120);
  plan.blockCols =
      s.ow.dynamic ? std::min<int64_t>(colLimit, 280) : evenPiece(s.ow.value, colLimit);
  const int64_t inputRows = budget / (pixelBytes * inputExtent(s, 1, plan.blockCols));
  const int64_t reach = (s.kernel[0] - 1) * s.dilation[0] + 1;
  const int64_t limit = std::max<int64_t>(1, (inputRows - reach) / s.stride[0] + 1);
  plan.blockRows = s.oh.dynamic ? std::min<int64_t>(limit, 14) : evenPiece(s.oh.value, limit);
  if (plan.padded)
    plan.scratchBytes = patchBytes(plan);
  if (plan.gathersPixels)
    plan.scratchBytes = plan.blockRows * plan.blockCols * pixelBytes;
  return plan;
}

/// Packed words of each tap.
static int64_t tapWords(const ConvShape &s, int64_t channelWords) {
  return alignTo(s.k / s.groups, 16) * s.groups * channelWords;
}

int64_t ConvPlan::packedElements() const {
  const int64_t side = winograd + 2;
  if (winograd)
    return tapWords(shape, alignTo(shape.c, 16)) * side * side +
           (hasDirect ? direct().packedElements() : 0);
  return tapWords(shape, shape.groupBlocks() * shape.blockWords()) * shape.kernel[0] *
         shape.kernel[1];
}

ConvPlan ConvPlan::direct() const {
  ConvPlan plan = *this;
  plan.winograd = 0;
  plan.hasDirect = false;
  plan.packedBase = tapWords(shape, alignTo(shape.c, 16)) * (winograd + 2) * (winograd + 2);
  plan.scratchBytes = plan.padded ? patchBytes(plan) : 0;
  return plan;
}

int64_t ConvPlan::units(int64_t n, int64_t oh, int64_t ow) const {
  const int64_t rows = flat ? 1 : oh, cols = flat ? oh * ow : ow;
  return n * divideCeil(rows, blockRows) * divideCeil(cols, blockCols) * shape.groups * groupPanels;
}

template <typename From, typename To>
void dynac::cpu::packConv(const ConvPlan &plan, llvm::ArrayRef<From> weights,
                          llvm::MutableArrayRef<To> packed) {
  if constexpr (std::is_same_v<To, float>)
    if (plan.winograd)
      return packWinograd(plan, weights, packed);
  if constexpr (std::is_same_v<To, uint16_t>)
    if (plan.winograd) {
      std::vector<float> rounded;
      for (From weight : weights)
        rounded.push_back(widened(packedNumber<To>(weight)));
      const ConvPlan direct = plan.direct();
      packWinograd(plan, rounded,
                   {reinterpret_cast<float *>(packed.data()), size_t(direct.packedBase)});
      if (plan.hasDirect)
        packConv(direct, weights, packed.drop_front(2 * direct.packedBase));
      return;
    }
  const ConvShape &s = plan.shape;
  const int64_t k = s.k / s.groups, c = s.c / s.groups, taps = s.kernel[0] * s.kernel[1];
  const int64_t words = s.blockWords(), perWord = groupOf(s.dot);
  To *out = packed.data();
  for (int64_t group = 0; group < s.groups; ++group)
    for (int64_t first = 0; first < k; first += panelWidth) {
      const int64_t width = std::min(panelWidth, int64_t(alignTo(k, 16)) - first);
      for (int64_t cb = 0; cb < s.groupBlocks(); ++cb)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t word = 0; word < words; ++word)
            for (int64_t j = 0; j < width; ++j)
              for (int64_t i = 0; i < perWord; ++i) {
                const int64_t channel = (cb * words + word) * perWord + i, filter = first + j;
                *out++ = channel < c && filter < k
                             ? packedNumber<To>(
                                   weights[((group * k + filter) * c + channel) * taps + tap])
                             : To(0);
              }
    }
}

template void dynac::cpu::packConv(const ConvPlan &, llvm::ArrayRef<float>,
                                   llvm::MutableArrayRef<float>);
template void dynac::cpu::packConv(const ConvPlan &, llvm::ArrayRef<float>,
                                   llvm::MutableArrayRef<uint16_t>);
template void dynac::cpu::packConv(const ConvPlan &, llvm::ArrayRef<uint16_t>,
                                   llvm::MutableArrayRef<uint16_t>);
template void dynac::cpu::packConv(const ConvPlan &, llvm::ArrayRef<int8_t>,
                                   llvm::MutableArrayRef<int8_t>);
