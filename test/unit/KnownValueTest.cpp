//===- KnownValueTest.cpp - arithmetic on elements known while importing --===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownValue.h"

#include <gtest/gtest.h>

using namespace dynac;

namespace {

using K = KnownValue;

K num(int64_t value) { return K(SymExpr(value)); }
K sym(const char *name) { return K(SymExpr::symbol(name)); }
std::string text(const K &value) {
  if (auto integer = value.integer())
    return integer->str();
  return value.number() ? "real" : "unknown";
}

class KnownValueTest : public ::testing::Test {
protected:
  mlir::MLIRContext context;
  mlir::Builder b{&context};
};

TEST_F(KnownValueTest, IntegersWrapAndTruncate) {
  EXPECT_EQ(text(K::add(num(250), num(10)).as(b.getIntegerType(8, false))), "4");
  EXPECT_EQ(text(K::add(num(127), num(1)).as(b.getI8Type())), "-128");
  EXPECT_EQ(text(K::div(num(-7), num(2), false)), "-3");
  EXPECT_EQ(text(K::div(num(INT64_MIN), num(-1), false)), std::to_string(INT64_MIN));
  EXPECT_EQ(text(K::div(num(3), num(0), false)), "0");
  EXPECT_EQ(text(K::rem(num(-7), num(3))), "-1");
  EXPECT_EQ(text(K::rem(num(INT64_MIN), num(-1))), "0");
}

TEST_F(KnownValueTest, FractionsOfSymbols) {
  K half = K::mul(sym("N"), K::real(0.5));
  EXPECT_EQ(text(half), "unknown");
  EXPECT_EQ(text(half.floor()), "floordiv(N,2)");
  EXPECT_EQ(text(half.converted(b.getI64Type())), "floordiv(N,2)");
  EXPECT_EQ(text(K::add(half, half)), "N");
  EXPECT_EQ(text(K::div(K::mul(sym("N"), num(6)), num(3), true)), "2*N");
  EXPECT_EQ(text(K::div(num(224), sym("N"), true)), "unknown");
}

TEST_F(KnownValueTest, ComparesOnlyWhatIsProved) {
  using D = prim::CompareDirection;
  EXPECT_EQ(text(K::compare(D::eq, sym("N"), num(-1))), "0");
  EXPECT_EQ(text(K::compare(D::eq, sym("N"), num(1))), "unknown");
  EXPECT_EQ(text(K::compare(D::lt, sym("N"), K::add(sym("N"), num(1)))), "1");
  EXPECT_EQ(text(K::compare(D::ge, sym("N"), num(0))), "1");
  EXPECT_EQ(text(K::compare(D::ne, sym("N"), sym("N"))), "0");
}

TEST_F(KnownValueTest, HugeConstantsNeverMeetSymbols) {
  EXPECT_EQ(text(K::add(sym("N"), num(INT64_MAX))), "unknown");
  EXPECT_EQ(text(K::add(num(INT64_MAX), num(1))), std::to_string(INT64_MIN));
}

TEST_F(KnownValueTest, FloatsRoundToTheirType) {
  EXPECT_EQ(K::real(0.1).as(b.getF32Type()).number(), double(0.1f));
  EXPECT_EQ(text(K::real(-2.5).converted(b.getI32Type())), "-2");
  EXPECT_EQ(text(K::real(1e30).converted(b.getI64Type())), "0");
}

} // namespace
