//===- WeightStoreTest.cpp - bytes of derived constants -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/WeightStore.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace dynac;

namespace {

class WeightStoreTest : public ::testing::Test {
protected:
  /// An entry of one byte, the sum of those of `inputs` plus 1 (modulo 256).
  int64_t sum(llvm::ArrayRef<int64_t> inputs) {
    return store.derive("sum", byte, inputs,
                        [this](llvm::ArrayRef<WeightBytes> bytes, llvm::MutableArrayRef<char> out) {
                          ++computed;
                          uint8_t total = 1;
                          for (WeightBytes input : bytes)
                            total += static_cast<uint8_t>(input[0]);
                          out[0] = static_cast<char>(total);
                          return llvm::Error::success();
                        });
  }
  int valueOf(int64_t id) {
    char out = 0;
    EXPECT_FALSE(bool(store.materialize(id, llvm::MutableArrayRef<char>(out))));
    return static_cast<uint8_t>(out);
  }

  mlir::MLIRContext context;
  mlir::RankedTensorType byte =
      mlir::RankedTensorType::get({1}, mlir::Builder(&context).getI8Type());
  WeightStore store;
  int computed = 0;
};

TEST_F(WeightStoreTest, ADerivationSeesItsInputsInOrder) {
  int64_t a = store.addOwned("a", byte, {5}), b = store.addOwned("b", byte, {7});
  int64_t difference =
      store.derive("difference", byte, {sum({b}), a, sum({b}), a},
                   [](llvm::ArrayRef<WeightBytes> bytes, llvm::MutableArrayRef<char> out) {
                     out[0] = bytes[0][0] + bytes[2][0] - bytes[1][0] * bytes[3][0] / 5;
                     return llvm::Error::success();
                   });
  EXPECT_EQ(valueOf(a), 5);
  EXPECT_EQ(valueOf(difference), 8 + 8 - 5);
}

// Every step reads the two before it: a recursion would compute as many entries as Fibonacci's
// numbers.
TEST_F(WeightStoreTest, WhatSeveralEntriesReadIsComputedOnce) {
  llvm::SmallVector<int64_t> steps = {store.addOwned("x", byte, {1}),
                                      store.addOwned("y", byte, {2})};
  int wanted[2] = {1, 2};
  for (int i = 0; i < 100; ++i) {
    steps.push_back(sum({steps[i], steps[i + 1]}));
    const int next = (wanted[0] + wanted[1] + 1) % 256;
    wanted[0] = wanted[1];
    wanted[1] = next;
  }
  EXPECT_EQ(valueOf(steps.back()), wanted[1]);
  EXPECT_EQ(computed, 100);
}

TEST_F(WeightStoreTest, AnErrorOfADerivationIsTheResult) {
  int64_t bad =
      store.derive("bad", byte, {}, [](auto, auto) { return llvm::createStringError("no bytes"); });
  char out;
  llvm::Error error = store.materialize(sum({bad}), llvm::MutableArrayRef<char>(out));
  EXPECT_EQ(llvm::toString(std::move(error)), "no bytes");
}

} // namespace
