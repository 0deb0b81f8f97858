//===- WinogradPacking.cpp - plan and weights of Winograd convolutions ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WinogradKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace dynac::cpu;
using llvm::alignTo;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

WinogradGeometry::WinogradGeometry(const ConvPlan &plan) {
  const ConvShape &s = plan.shape;
  side = plan.winograd;
  inputs = side + 2;
  products = inputs * inputs;
  phases = s.dilation[0] * s.dilation[1];
  phaseRows = divideCeil(s.oh.value, s.dilation[0]);
  phaseCols = divideCeil(s.ow.value, s.dilation[1]);
  channels = alignTo(s.c, 16);
  tileRows = divideCeil(plan.blockRows, side * s.dilation[0]);
  tileCols = divideCeil(phaseCols, side);
  tiles = phases * tileRows * tileCols;
  paddedTiles = tiles + 14;
  patchRows = side * tileRows + 2;
  patchCols = side * tileCols + 2;
  v = 0;
  m = v + products * paddedTiles * channels;
  patch = m + products * paddedTiles * 32;
  outputs = patch + patchRows * patchCols * 16;
  elements = outputs + side * side * 16;
}

llvm::SmallVector<int64_t> dynac::cpu::winogradSides(const ConvShape &s) {
  auto all = [](const std::array<int64_t, 2> &pair, int64_t value) {
    return pair[0] == value && pair[1] == value;
  };
  if (!s.allowWinograd || s.dot == DotKind::U8S8 || !all(s.kernel, 3) || !all(s.stride, 1) ||
      s.groups != 1 || s.plainInput || s.oh.dynamic || s.ow.dynamic || s.h.dynamic || s.w.dynamic ||
      s.c < 32 || s.k < 32)
    return {};
  // A product of bf16 takes half of the time of one of f32. F(4x4) takes about a third of the
  // direct way's, F(2x2) two thirds.
  if (s.dot == DotKind::Bf16)
    return {4};
  return {2, 4};
}

int64_t dynac::cpu::winogradTile(const ConvShape &s) {
  if (winogradSides(s).empty())
    return 0;
  const int64_t rows = divideCeil(s.oh.value, s.dilation[0]),
                cols = divideCeil(s.ow.value, s.dilation[1]);
  auto tiles = [&](int64_t side) {
    return s.dilation[0] * s.dilation[1] * int64_t(divideCeil(rows, side) * divideCeil(cols, side));
  };
  // What the tiles compute for each output that exists.
  auto waste = [&](int64_t side) {
    return double(tiles(side) * side * side) / double(s.oh.value * s.ow.value);
  };
  // Weights of 4 or 1.8 times the size are read once for all tiles: there should be many.
  if ((rows >= 12 && cols >= 12) || (tiles(4) >= 16 && waste(4) < 1.4))
    return 4;
  return s.dot == DotKind::F32 && tiles(2) >= 16 && waste(2) < 1.4 ? 2 : 0;
}

void dynac::cpu::planWinograd(ConvPlan &plan, int64_t cachePercent) {
  const ConvShape &s = plan.shape;
  const int64_t side = plan.winograd, products = (side + 2) * (side + 2);
  const int64_t tileRows = divideCeil(divideCeil(s.oh.value, s.dilation[0]), side),
                tileCols = divideCeil(divideCeil(s.ow.value, s.dilation[1]), side);
  // V and M of a block stay in the second-level cache; but each block reads all weights, which
  // come from further away.
  const int64_t perTile = products * 4 * int64_t(alignTo(s.c, 16) + 32);
  const int64_t limit = std::max<int64_t>(700 * 1024 * cachePercent / 100 / perTile, 32);
  const int64_t rowsOfBlock =
      std::max<int64_t>(1, limit / (tileCols * s.dilation[0] * s.dilation[1]));
  const int64_t blocks = divideCeil(tileRows, rowsOfBlock);
  plan.blockRows = side * s.dilation[0] * int64_t(divideCeil(tileRows, blocks));
  plan.blockCols = s.ow.value;
  plan.scratchBytes = WinogradGeometry(plan).elements * int64_t(sizeof(float));
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The rows of G, which take three taps to the values at the points of interpolation.
static llvm::ArrayRef<std::array<double, 3>> weightTransform(int64_t side) {
  static constexpr double a = winogradA, b = winogradB, a2 = a * a, b2 = b * b;
  static constexpr double na = 2 * a2 * (a2 - b2), nb = 2 * b2 * (b2 - a2);
  static constexpr std::array<double, 3> four[6] = {
      {1 / (a2 * b2), 0, 0},     {1 / na, a / na, a2 / na},  {1 / na, -a / na, a2 / na},
      {1 / nb, b / nb, b2 / nb}, {1 / nb, -b / nb, b2 / nb}, {0, 0, 1}};
  static constexpr std::array<double, 3> two[4] = {
      {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  return side == 4 ? llvm::ArrayRef(four) : llvm::ArrayRef(two);
}

void dynac::cpu::packWinograd(const ConvPlan &plan, llvm::ArrayRef<float> weights,
                              llvm::MutableArrayRef<float> packed) {
  const llvm::ArrayRef<std::array<double, 3>> g = weightTransform(plan.winograd);
  const ConvShape &s = plan.shape;
  const int64_t channels = alignTo(s.c, 16), columns = alignTo(s.k, 16), points = g.size();
  std::fill(packed.begin(), packed.end(), 0.f);
  for (int64_t k = 0; k < s.k; ++k) {
    const int64_t first = k / 32 * 32, width = std::min<int64_t>(32, columns - first);
    float *panel = packed.data() + first * channels * points * points + (k - first);
    for (int64_t c = 0; c < s.c; ++c) {
      const float *w = weights.data() + (k * s.c + c) * 9;
      double half[6][3];
      for (int64_t i = 0; i < points; ++i)
        for (int64_t j = 0; j < 3; ++j)
          half[i][j] = g[i][0] * w[j] + g[i][1] * w[3 + j] + g[i][2] * w[6 + j];
      for (int64_t i = 0; i < points; ++i)
        for (int64_t j = 0; j < points; ++j)
          panel[((i * points + j) * channels + c) * width] =
              float(half[i][0] * g[j][0] + half[i][1] * g[j][1] + half[i][2] * g[j][2]);
    }
  }
}
