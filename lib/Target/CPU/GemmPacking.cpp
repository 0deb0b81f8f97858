//===- GemmPacking.cpp - panels of a weight matrix ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmStrassen.h"
#include "PackedNumber.h"
#include "dynac/Target/CPU/GemmKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace dynac::cpu;

/// Relative time of a panel of `width` columns on AVX-512: narrow tiles are bound by loads.
static double panelCost(int64_t width) {
  switch (width) {
  case 64:
    return 64 * 1.01;
  case 48:
    return 48;
  case 32:
    return 32 * 1.02;
  default:
    return 16 * 1.2;
  }
}

GemmPlan dynac::cpu::planGemm(int64_t m, int64_t n, int64_t k, DotKind dot, WeightFormat weight,
                              const GemmChoice &choice) {
  GemmPlan plan = {};
  plan.dot = dot;
  plan.weight = weight;
  k /= groupOf(dot);
  plan.n = n;
  plan.k = k;
  const int64_t columns = llvm::alignTo(std::max<int64_t>(n, 1), 16);
  double best = 0;
  for (int64_t width : {48, 64, 32, 16}) {
    if (choice.panelWidth && choice.panelWidth != width)
      continue;
    const int64_t panels = llvm::divideCeil(columns, width);
    const int64_t last = columns - (panels - 1) * width;
    const double cost = (panels - 1) * panelCost(width) + panelCost(last);
    if (!plan.panelWidth || cost < best) {
      best = cost;
      plan.panelWidth = width;
      plan.panels = panels;
      plan.lastWidth = last;
    }
  }
  // Multiples of every tile height (6, 8, 12). With few panels, smaller units leave work for other
  // threads.
  plan.unitRows = plan.panels >= 16 ? 240 : plan.panels >= 4 ? 120 : 48;
  if (choice.unitRows)
    plan.unitRows = choice.unitRows;
  if (m >= 0 && plan.unitRows > m)
    plan.unitRows = std::max<int64_t>(m, 1);
  // The part of a panel that is read again for each row tile stays in the second-level cache.
  const int64_t longest = weight.kind == WeightFormat::Int4 ? k : 2048; // four bits: all of it does
  const int64_t passes =
      choice.passes ? choice.passes
                    : llvm::divideCeil(std::max<int64_t>(k, 1), std::max<int64_t>(longest, 1));
  plan.kBlock =
      passes == 1 ? std::max<int64_t>(k, 1) : llvm::alignTo(llvm::divideCeil(k, passes), 4);
  plan.scratchBytes = passes == 1 ? 0 : plan.unitRows * plan.panelWidth * int64_t(sizeof(float));
  if (choice.strassen && dot == DotKind::F32 && weight.kind == WeightFormat::F32)
    planStrassen(plan, m, choice.unitRows);
  return plan;
}

template <typename From, typename To>
void dynac::cpu::packGemmB(const GemmPlan &plan, llvm::ArrayRef<From> b, int64_t kStride,
                           int64_t nStride, llvm::MutableArrayRef<To> packed) {
  const int64_t group = groupOf(plan.dot);
  To *out = packed.data();
  for (int64_t panel = 0; panel < plan.panels; ++panel) {
    const int64_t width = panel + 1 == plan.panels ? plan.lastWidth : plan.panelWidth;
    const int64_t first = panel * plan.panelWidth, valid = std::min(width, plan.n - first);
    for (int64_t word = 0; word < plan.k; ++word, out += width * group)
      for (int64_t i = 0; i < group; ++i) {
        const From *row = b.data() + (word * group + i) * kStride + first * nStride;
        for (int64_t j = 0; j < valid; ++j)
          out[j * group + i] = packedNumber<To>(row[j * nStride]);
        for (int64_t j = valid; j < width; ++j)
          out[j * group + i] = To(0);
      }
  }
}

template void dynac::cpu::packGemmB(const GemmPlan &, llvm::ArrayRef<float>, int64_t, int64_t,
                                    llvm::MutableArrayRef<float>);
template void dynac::cpu::packGemmB(const GemmPlan &, llvm::ArrayRef<float>, int64_t, int64_t,
                                    llvm::MutableArrayRef<uint16_t>);
template void dynac::cpu::packGemmB(const GemmPlan &, llvm::ArrayRef<uint16_t>, int64_t, int64_t,
                                    llvm::MutableArrayRef<uint16_t>);
template void dynac::cpu::packGemmB(const GemmPlan &, llvm::ArrayRef<int8_t>, int64_t, int64_t,
                                    llvm::MutableArrayRef<int8_t>);
