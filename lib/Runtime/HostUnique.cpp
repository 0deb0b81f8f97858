//===- HostUnique.cpp - the different slices of a tensor --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DType.h"
#include "HostKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace dynac::rt {

namespace {

/// x [outer, count, inner]; slice i is x[:, i, :].
struct Slices {
  const char *data;
  int32_t dtype;
  int64_t outer, count, inner, width; // width: bytes of an element

  /// Negative, 0 or positive as element `i` is before, like or after element `j`.
  int compareElements(int64_t i, int64_t j) const {
    if (dtype == DYNAC_I64 || dtype == DYNAC_U64) { // a double does not hold all of these
      uint64_t a, b;
      std::memcpy(&a, data + i * 8, 8);
      std::memcpy(&b, data + j * 8, 8);
      const uint64_t flip = dtype == DYNAC_I64 ? uint64_t(1) << 63 : 0;
      return ((a ^ flip) > (b ^ flip)) - ((a ^ flip) < (b ^ flip));
    }
    double a, b;
    toDouble(dtype, data, i, 1, &a);
    toDouble(dtype, data, j, 1, &b);
    if (std::isnan(a) || std::isnan(b))
      return int(std::isnan(a)) - int(std::isnan(b));
    return (a > b) - (a < b);
  }

  int compare(int64_t x, int64_t y) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        if (int order = compareElements((o * count + x) * inner + i, (o * count + y) * inner + i))
          return order;
    return 0;
  }
};

} // namespace

static Status checkOperands(const HostKernelArgs &args, Slices &x) {
  if (args.bufferCount != 6 || args.dimCount != 4 || args.dtypes[1] != args.dtypes[0] ||
      std::any_of(args.dtypes + 2, args.dtypes + 6, [](int32_t d) { return d != DYNAC_I64; }))
    return failure(DYNAC_MISMATCH, "unique wants six buffers and four dims");
  const DTypeInfo *info = dtypeInfo(args.dtypes[0]);
  if (info->bits % 8 != 0 || info->kind == DTypeInfo::Complex || info->kind == DTypeInfo::String)
    return failure(DYNAC_MISMATCH, "unique cannot compare %s", info->name);
  x = {static_cast<const char *>(args.buffers[0]),
       args.dtypes[0],
       args.dims[0],
       args.dims[1],
       args.dims[2],
       info->bits / 8};
  int64_t bytes = x.width;
  bool overflow = false;
  for (int64_t extent : {x.outer, x.count, x.inner})
    overflow |= extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes);
  bool fits = !overflow && args.bytes[0] >= bytes && args.bytes[1] >= bytes && args.bytes[5] >= 8;
  for (int i = 2; i < 5; ++i)
    fits = fits && args.bytes[i] / 8 >= x.count;
  if (!fits)
    return failure(DYNAC_MISMATCH, "unique: buffers do not fit [%lld, %lld, %lld]",
                   (long long)x.outer, (long long)x.count, (long long)x.inner);
  return {};
}

Status unique(const HostKernelArgs &args) {
  Slices x;
  if (Status status = checkOperands(args, x); status.failed())
    return status;
  std::vector<int64_t> order(static_cast<size_t>(x.count));
  std::iota(order.begin(), order.end(), int64_t(0));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int sign = x.compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });

  // Groups of like slices, each led by its first position.
  auto *first = static_cast<int64_t *>(args.buffers[2]);
  auto *inverse = static_cast<int64_t *>(args.buffers[3]);
  auto *occurrences = static_cast<int64_t *>(args.buffers[4]);
  std::vector<int64_t> leaders, group(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || x.compare(order[i - 1], order[i]) != 0)
      leaders.push_back(order[i]);
    group[size_t(order[i])] = int64_t(leaders.size()) - 1;
  }
  const size_t k = leaders.size();
  std::vector<int64_t> place(k), sequence(k); // group -> its number in the results, and back
  std::iota(sequence.begin(), sequence.end(), int64_t(0));
  if (args.dims[3] == 0)
    std::sort(sequence.begin(), sequence.end(),
              [&](int64_t a, int64_t b) { return leaders[size_t(a)] < leaders[size_t(b)]; });
  for (size_t i = 0; i < k; ++i) {
    place[size_t(sequence[i])] = int64_t(i);
    first[i] = leaders[size_t(sequence[i])];
    occurrences[i] = 0;
  }
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[i] = place[size_t(group[i])];
    ++occurrences[inverse[i]];
  }
  auto *values = static_cast<char *>(args.buffers[1]);
  const int64_t row = x.inner * x.width;
  for (int64_t o = 0; o < x.outer; ++o)
    for (size_t i = 0; i < k && row > 0; ++i)
      std::memcpy(values + (o * int64_t(k) + int64_t(i)) * row,
                  x.data + (o * x.count + first[i]) * row, size_t(row));
  *static_cast<int64_t *>(args.buffers[5]) = int64_t(k);
  return {};
}

} // namespace dynac::rt
