//===- HostNms.cpp - non-maximum suppression --------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include <algorithm>
#include <vector>

namespace dynac::rt {

namespace {
struct Box {
  float x0, y0, x1, y1;
};
} // namespace

/// Corners may come in any order.
static Box toBox(const float *b, bool center) {
  if (center)
    return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}

static float area(const Box &b) { return (b.x1 - b.x0) * (b.y1 - b.y0); }

/// intersection / union > threshold
static bool suppresses(const Box &a, const Box &b, float threshold) {
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0) || !(height > 0))
    return false;
  const float both = width * height, either = area(a) + area(b) - both;
  return either > 0 && both / either > threshold;
}

Status nonMaxSuppression(const HostKernelArgs &args) {
  const int32_t dtypes[] = {DYNAC_F32, DYNAC_F32, DYNAC_I64, DYNAC_F32,
                            DYNAC_F32, DYNAC_I64, DYNAC_I64};
  if (args.bufferCount != 7 || args.dimCount != 4 || !std::equal(dtypes, dtypes + 7, args.dtypes))
    return failure(DYNAC_MISMATCH, "nms wants seven buffers and four dims");
  const int64_t batch = args.dims[0], n = args.dims[1], classes = args.dims[2];
  // 2^20 in each keeps the products from overflowing; the buffers' sizes then bound them.
  const int64_t limit = int64_t(1) << 20;
  if (batch < 0 || n < 0 || classes < 0 || batch > limit || n > limit || classes > limit ||
      args.bytes[0] < batch * n * 16 || args.bytes[1] < batch * classes * n * 4 ||
      args.bytes[2] < 8 || args.bytes[3] < 4 || args.bytes[4] < 4 || args.bytes[6] < 8)
    return failure(DYNAC_MISMATCH, "nms: buffers do not fit batch %lld, boxes %lld, classes %lld",
                   (long long)batch, (long long)n, (long long)classes);
  const auto *boxes = static_cast<const float *>(args.buffers[0]);
  const auto *scores = static_cast<const float *>(args.buffers[1]);
  const int64_t most = *static_cast<const int64_t *>(args.buffers[2]);
  const float overlap = *static_cast<const float *>(args.buffers[3]);
  const float least = *static_cast<const float *>(args.buffers[4]);
  auto *selected = static_cast<int64_t *>(args.buffers[5]);
  const int64_t capacity = args.bytes[5] / 24;
  int64_t count = 0;
  std::vector<Box> corners(static_cast<size_t>(n)), kept;
  std::vector<int64_t> order;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < n; ++i)
      corners[i] = toBox(boxes + (b * n + i) * 4, args.dims[3] != 0);
    for (int64_t c = 0; c < classes; ++c) {
      const float *score = scores + (b * classes + c) * n;
      order.clear();
      kept.clear();
      for (int64_t i = 0; i < n; ++i)
        if (score[i] > least)
          order.push_back(i);
      std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
        return score[x] != score[y] ? score[x] > score[y] : x < y;
      });
      for (int64_t i : order) {
        if (int64_t(kept.size()) >= most)
          break;
        if (std::any_of(kept.begin(), kept.end(),
                        [&](const Box &k) { return suppresses(k, corners[i], overlap); }))
          continue;
        if (count == capacity)
          return failure(DYNAC_MISMATCH, "nms: room for %lld boxes is too little",
                         (long long)capacity);
        kept.push_back(corners[i]);
        int64_t *row = selected + 3 * count++;
        row[0] = b;
        row[1] = c;
        row[2] = i;
      }
    }
  }
  *static_cast<int64_t *>(args.buffers[6]) = count;
  return {};
}

} // namespace dynac::rt
