//===- RuntimeHostTest.cpp - host kernels -----------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include "dynac/Runtime/dynac.hpp"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace dynac;
using dynac::rt::findHostKernel;
using testing::ElementsAre;

namespace {

/// Calls a host kernel; returns "code: message" or "".
std::string call(const char *name, const std::vector<Tensor> &buffers,
                 const std::vector<int64_t> &dims) {
  std::vector<void *> data;
  std::vector<int64_t> bytes;
  std::vector<int32_t> dtypes;
  for (const Tensor &buffer : buffers) {
    data.push_back(buffer.data());
    bytes.push_back(buffer.bytes());
    dtypes.push_back(buffer.dtype());
  }
  rt::HostKernelFn kernel = findHostKernel(name);
  if (!kernel)
    return "no such kernel";
  rt::Status status = kernel({data.data(), bytes.data(), dtypes.data(), int32_t(buffers.size()),
                              dims.data(), int32_t(dims.size())});
  return status.failed() ? std::to_string(status.code()) + ": " + status.message() : "";
}

template <typename T> std::vector<T> list(const Tensor &tensor, size_t count) {
  return {tensor.span<T>().begin(), tensor.span<T>().begin() + count};
}

template <typename T> Tensor scalar(T value) { return Tensor::of<T>({}, {value}); }

Tensor integers(int64_t count) { return Tensor::zeros<int64_t>({count}); }

} // namespace

TEST(RuntimeHost, NonMaxSuppression) {
  // The boxes of ONNX's own example: two clusters and one far away.
  const std::vector<float> corners = {0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
                                      0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,   1, 101};
  const std::vector<float> centers = {0.5f, 0.5f,  1, 1, 0.5f, 0.6f,  1, 1, 0.5f, 0.4f,   1, 1,
                                      0.5f, 10.5f, 1, 1, 0.5f, 10.6f, 1, 1, 0.5f, 100.5f, 1, 1};
  const Tensor scores = Tensor::of<float>({1, 1, 6}, {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f});
  const Tensor selected = Tensor::zeros<int64_t>({6, 3}), count = scalar<int64_t>(0);
  const auto run = [&](const std::vector<float> &boxes, int64_t most, float least, int64_t center) {
    EXPECT_EQ(call("nms@1",
                   {Tensor::of<float>({1, 6, 4}, boxes), scores, scalar<int64_t>(most),
                    scalar(0.5f), scalar(least), selected, count},
                   {1, 6, 1, center}),
              "");
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < count.span<int64_t>()[0]; ++i)
      indices.push_back(selected.span<int64_t>()[size_t(3 * i + 2)]);
    return indices;
  };
  EXPECT_THAT(run(corners, 3, 0, 0), ElementsAre(3, 0, 5));
  EXPECT_THAT(run(centers, 3, 0, 1), ElementsAre(3, 0, 5));
  EXPECT_THAT(run(corners, 2, 0, 0), ElementsAre(3, 0));
  EXPECT_THAT(run(corners, 3, 0.4f, 0), ElementsAre(3, 0));
  EXPECT_THAT(run(corners, 0, 0, 0), ElementsAre());
  std::vector<float> flipped = corners;
  std::swap(flipped[0], flipped[2]);
  std::swap(flipped[13], flipped[15]);
  EXPECT_THAT(run(flipped, 3, 0, 0), ElementsAre(3, 0, 5));
}

TEST(RuntimeHost, NonMaxSuppressionChecksItsOperands) {
  EXPECT_EQ(call("nms@1", {}, {}), "8: nms wants seven buffers and four dims");
  const Tensor boxes = Tensor::zeros<float>({1, 2, 4}),
               scores = Tensor::of<float>({1, 1, 2}, {1, 1});
  const Tensor one = scalar<int64_t>(5), half = scalar(2.0f), none = scalar(0.0f);
  EXPECT_EQ(call("nms@1", {boxes, scores, one, half, none, integers(6), one}, {1, 3, 1, 0}),
            "8: nms: buffers do not fit batch 1, boxes 3, classes 1");
  EXPECT_EQ(call("nms@1", {boxes, scores, one, half, none, integers(3), scalar<int64_t>(0)},
                 {1, 2, 1, 0}),
            "8: nms: room for 1 boxes is too little");
}

TEST(RuntimeHost, Unique) {
  const Tensor x = Tensor::of<float>({6}, {2, 1, 1, 3, 4, 3}), values = Tensor::zeros<float>({6});
  const Tensor first = integers(6), inverse = integers(6), times = integers(6), k = integers(1);
  ASSERT_EQ(call("unique@1", {x, values, first, inverse, times, k}, {1, 6, 1, 1}), "");
  EXPECT_EQ(k.span<int64_t>()[0], 4);
  EXPECT_THAT(list<float>(values, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(list<int64_t>(first, 4), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(list<int64_t>(inverse, 6), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(list<int64_t>(times, 4), ElementsAre(2, 1, 2, 1));
  ASSERT_EQ(call("unique@1", {x, values, first, inverse, times, k}, {1, 6, 1, 0}), "");
  EXPECT_THAT(list<float>(values, 4), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(list<int64_t>(first, 4), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(list<int64_t>(inverse, 6), ElementsAre(0, 1, 1, 2, 3, 2));
}

TEST(RuntimeHost, UniqueSlices) {
  // Columns of [[5, 1, 5], [7, 2, 7]].
  const Tensor x = Tensor::of<int64_t>({2, 3}, {5, 1, 5, 7, 2, 7}), values = integers(6);
  const Tensor first = integers(3), inverse = integers(3), times = integers(3), k = integers(1);
  ASSERT_EQ(call("unique@1", {x, values, first, inverse, times, k}, {2, 3, 1, 1}), "");
  EXPECT_EQ(k.span<int64_t>()[0], 2);
  EXPECT_THAT(list<int64_t>(values, 4), ElementsAre(1, 5, 2, 7));
  EXPECT_THAT(list<int64_t>(inverse, 3), ElementsAre(1, 0, 1));
}

TEST(RuntimeHost, UniqueOfLargeIntegersAndNaN) {
  const Tensor first = integers(4), inverse = integers(4), times = integers(4), k = integers(1);
  const int64_t big = int64_t(1) << 60;
  const Tensor i = Tensor::of<int64_t>({4}, {big + 1, big, -big, big + 1}), values = integers(4);
  ASSERT_EQ(call("unique@1", {i, values, first, inverse, times, k}, {1, 4, 1, 1}), "");
  EXPECT_EQ(k.span<int64_t>()[0], 3);
  EXPECT_THAT(list<int64_t>(values, 3), ElementsAre(-big, big, big + 1));
  const float nan = std::nanf("");
  const Tensor f = Tensor::of<float>({4}, {nan, 1, nan, 0}), sorted = Tensor::zeros<float>({4});
  ASSERT_EQ(call("unique@1", {f, sorted, first, inverse, times, k}, {1, 4, 1, 1}), "");
  EXPECT_EQ(k.span<int64_t>()[0], 3);
  EXPECT_THAT(list<int64_t>(first, 3), ElementsAre(3, 1, 0));
  ASSERT_EQ(call("unique@1", {integers(0), integers(0), first, inverse, times, k}, {1, 0, 1, 1}),
            "");
  EXPECT_EQ(k.span<int64_t>()[0], 0);
  EXPECT_EQ(call("unique@1", {f, sorted, first, inverse, times, k}, {1, 5, 1, 1}),
            "8: unique: buffers do not fit [1, 5, 1]");
}
