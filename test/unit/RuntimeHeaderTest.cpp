//===- RuntimeHeaderTest.cpp - the C++ API and DLPack -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Runtime/dynac.hpp"

#include "RuntimeArtifact.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace dynac;
using dynac::test::ArtifactBuilder;
using testing::ElementsAre;

namespace {

int32_t addOne(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args->buffers[1])[i] = static_cast<const float *>(args->buffers[0])[i] + 1;
  return 0;
}

/// x[N, 2] -> y[N, 2]; past[N, 2] -> present[N, 2] in place, as it is.
ArtifactBuilder addModel() {
  ArtifactBuilder b("add");
  const int32_t n = b.symbol("N", 1), two = b.constant(2);
  const int32_t x = b.input("x", DYNAC_F32, {n, two}), past = b.input("past", DYNAC_F32, {n, two});
  b.call("add", addOne, b.count({n, two}), {x, b.output("y", DYNAC_F32, {n, two})});
  b.outputOf("present", past, {n, two}, 1);
  return b;
}

std::vector<float> values(const Tensor &tensor) {
  const Span<float> span = tensor.span<float>();
  return {span.begin(), span.end()};
}

} // namespace

TEST(RuntimeHeader, RunByPositionAndByName) {
  ArtifactBuilder b = addModel();
  Model model(*b.build(), Options{1});
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), past = Tensor::zeros<float>({2, 2});
  std::vector<Tensor> y = model.run({x, past});
  EXPECT_THAT(values(y[0]), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(y[0].shape(), ElementsAre(2, 2));
  std::map<std::string, Tensor> named = model.runNamed({{"past", past}, {"x", y[0]}});
  EXPECT_THAT(values(named.at("y")), ElementsAre(3, 4, 5, 6));
  EXPECT_THROW(model.runNamed({{"z", x}}), Error);
  const std::vector<ValueInfo> inputs = model.inputs();
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].dims[0].text, "N");
  EXPECT_EQ(inputs[0].dims[1].extent, 2);
  EXPECT_EQ(model.outputs()[1].aliasInput, 1);
  EXPECT_EQ(model.target(), "x86-64-v2");
}

TEST(RuntimeHeader, ErrorsAreThrown) {
  ArtifactBuilder b = addModel();
  Model model(*b.build());
  try {
    model.run({Tensor::zeros<float>({2, 3}), Tensor::zeros<float>({2, 2})});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), DYNAC_SIGNATURE);
    EXPECT_STREQ(error.what(), "input \"x\" axis 1: got 3, expected 2");
  }
  EXPECT_THROW(Model("/no/such/file.so"), Error);
  EXPECT_THROW(Tensor::zeros<float>({2}).span<double>(), Error);
}

TEST(RuntimeHeader, CallersOutputsAndState) {
  ArtifactBuilder b = addModel();
  Model model(*b.build());
  Context context = model.context();
  float memory[4] = {};
  const Tensor past = Tensor::of<float>({2, 2}, {9, 8, 7, 6});
  std::vector<Tensor> out = {Tensor::view(memory, {2, 2}), past};
  context.run({Tensor::of<float>({2, 2}, {1, 2, 3, 4}), past}, out);
  EXPECT_EQ(memory[3], 5);
  EXPECT_EQ(out[1].data(), past.data());
  EXPECT_THAT(values(past), ElementsAre(9, 8, 7, 6));
}

TEST(RuntimeHeader, ACacheThatGrows) {
  ArtifactBuilder b = dynac::test::growingModel();
  Model model(*b.build());
  EXPECT_EQ(model.outputs()[0].growsAlong, 1);
  EXPECT_EQ(model.outputs()[0].capacity, 4);
  Context context = model.context();
  std::vector<Tensor> in = {Tensor::of<float>({2, 1}, {1, 10}), Tensor()}, out;
  void *memory = nullptr;
  for (int64_t length = 2; length <= 4; ++length) {
    in[1] = Tensor::of<float>({2}, {float(length), float(10 * length)});
    context.run(in, out);
    EXPECT_THAT(out[0].shape(), ElementsAre(2, length));
    EXPECT_THAT(out[0].strides(), ElementsAre(16, 4));
    if (memory)
      EXPECT_EQ(out[0].data(), memory);
    memory = out[0].data();
    for (int64_t i = 0; i < length; ++i) {
      EXPECT_EQ(static_cast<float *>(memory)[i], float(i + 1));
      EXPECT_EQ(static_cast<float *>(memory)[4 + i], float(10 * (i + 1)));
    }
    in[0] = std::exchange(out[0], {});
  }
  try {
    context.run(in, out);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), DYNAC_SIGNATURE);
    EXPECT_STREQ(error.what(),
                 "input \"past\" axis 1: got 4, output \"present\" would have 5 there "
                 "and was compiled with a capacity of 4");
  }
}

TEST(RuntimeHeader, StridedView) {
  ArtifactBuilder b = addModel();
  Model model(*b.build());
  float columns[] = {1, 2, 3, 10, 20, 30};
  const Tensor x = Tensor::view(columns, {3, 2}, {4, 12});
  EXPECT_THAT(values(model.run({x, Tensor::zeros<float>({3, 2})})[0]),
              ElementsAre(2, 11, 3, 21, 4, 31));
}

TEST(RuntimeHeader, ManyThreads) {
  ArtifactBuilder b = addModel();
  const Model model(*b.build());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Tensor x = Tensor::of<float>({1, 2}, {float(t), float(i)});
        EXPECT_THAT(values(model.run({x, x})[0]), ElementsAre(t + 1, i + 1));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(RuntimeDLPack, Layout) {
  // The offsets that the DLPack 1 ABI fixes on 64-bit machines.
  EXPECT_EQ(sizeof(dlpack::DLTensor), 48u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, dtype), 20u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, byte_offset), 40u);
  EXPECT_EQ(offsetof(dlpack::DLManagedTensor, deleter), 56u);
  EXPECT_EQ(offsetof(dlpack::DLManagedTensorVersioned, dl_tensor), 32u);
}

TEST(RuntimeDLPack, OutAndIn) {
  dlpack::DLManagedTensor *lent;
  {
    const Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    lent = tensor.toDLPack(); // lives longer than the tensor
  }
  EXPECT_EQ(lent->dl_tensor.ndim, 2);
  EXPECT_EQ(lent->dl_tensor.dtype.code, 2);
  EXPECT_EQ(lent->dl_tensor.dtype.bits, 32);
  EXPECT_THAT(std::vector<int64_t>(lent->dl_tensor.strides, lent->dl_tensor.strides + 2),
              ElementsAre(3, 1));
  void *memory = lent->dl_tensor.data;
  const Tensor back = Tensor::fromDLPack(lent); // its last copy runs the deleter
  EXPECT_EQ(back.data(), memory);
  EXPECT_THAT(values(back), ElementsAre(1, 2, 3, 4, 5, 6));
  const Tensor again = Tensor::fromDLPack(back.toDLPackVersioned());
  EXPECT_EQ(again.data(), memory);
}

TEST(RuntimeDLPack, DeleterOffsetAndStrides) {
  static int deleted;
  deleted = 0;
  float memory[] = {0, 1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 3}, strides[] = {1, 2};
  dlpack::DLManagedTensor foreign = {};
  foreign.dl_tensor.data = memory;
  foreign.dl_tensor.device.device_type = decltype(foreign.dl_tensor.device.device_type)(1);
  foreign.dl_tensor.ndim = 2;
  foreign.dl_tensor.dtype = {2, 32, 1};
  foreign.dl_tensor.shape = shape;
  foreign.dl_tensor.strides = strides;
  foreign.dl_tensor.byte_offset = 4;
  foreign.deleter = [](dlpack::DLManagedTensor *) { ++deleted; };
  {
    Tensor tensor = Tensor::fromDLPack(&foreign), copy = tensor;
    EXPECT_EQ(tensor.data(), memory + 1);
    EXPECT_THAT(tensor.strides(), ElementsAre(4, 8));
  }
  EXPECT_EQ(deleted, 1);
  foreign.dl_tensor.dtype = {2, 32, 4};
  EXPECT_THROW(Tensor::fromDLPack(&foreign), Error);
  foreign.dl_tensor.dtype = {2, 32, 1};
  foreign.dl_tensor.device.device_type = decltype(foreign.dl_tensor.device.device_type)(2);
  EXPECT_THROW(Tensor::fromDLPack(&foreign), Error);
  EXPECT_EQ(deleted, 1) << "the caller still owns what was refused";
}
