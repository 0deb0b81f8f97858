//===- RuntimeDTypeTest.cpp - element types ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Runtime/dynac.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <vector>

namespace {

uint32_t encode(int32_t dtype, double value) {
  uint64_t bits = 0;
  EXPECT_EQ(dynac_dtype_from_f64(dtype, &value, 1, &bits), 0);
  return uint32_t(bits);
}

double decode(int32_t dtype, uint32_t bits) {
  double value = 0;
  EXPECT_EQ(dynac_dtype_to_f64(dtype, &bits, 0, 1, &value), 0);
  return value;
}

const double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST(RuntimeDType, NamesAndSizes) {
  for (int32_t dtype = DYNAC_F32; dtype <= DYNAC_STRING; ++dtype) {
    EXPECT_EQ(dynac_dtype_parse(dynac_dtype_name(dtype)), dtype);
    EXPECT_GT(dynac_dtype_bits(dtype), 0);
  }
  EXPECT_STREQ(dynac_dtype_name(0), "invalid");
  EXPECT_STREQ(dynac_dtype_name(1000), "invalid");
  EXPECT_EQ(dynac_dtype_parse("float"), DYNAC_DTYPE_INVALID);
  EXPECT_EQ(dynac_dtype_bytes(DYNAC_I4, 3), 2);
  EXPECT_EQ(dynac_dtype_bytes(DYNAC_U2, 5), 2);
  EXPECT_EQ(dynac_dtype_bytes(DYNAC_C128, 2), 32);
  EXPECT_EQ(dynac_dtype_bytes(DYNAC_F32, -1), -1);
  EXPECT_EQ(dynac_dtype_bytes(DYNAC_F32, INT64_MAX), -1);
}

/// Every pattern of the small floats survives the way to double and back.
TEST(RuntimeDType, SmallFloatsRoundTrip) {
  for (int32_t dtype : {DYNAC_F16, DYNAC_BF16, DYNAC_F8E4M3FN, DYNAC_F8E4M3FNUZ, DYNAC_F8E5M2,
                        DYNAC_F8E5M2FNUZ, DYNAC_F8E8M0, DYNAC_F4E2M1}) {
    for (uint32_t bits = 0; bits < 1u << dynac_dtype_bits(dtype); ++bits) {
      const double value = decode(dtype, bits);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode(dtype, encode(dtype, value)))) << dtype << " " << bits;
      else
        ASSERT_EQ(encode(dtype, value), bits) << dynac_dtype_name(dtype) << " " << value;
    }
  }
}

TEST(RuntimeDType, KnownValuesAndRounding) {
  EXPECT_EQ(encode(DYNAC_F16, 1), 0x3C00u);
  EXPECT_EQ(encode(DYNAC_F16, 65504), 0x7BFFu);
  EXPECT_EQ(encode(DYNAC_F16, 65519), 0x7BFFu);
  EXPECT_EQ(encode(DYNAC_F16, 65520), 0x7C00u); // ties to even: infinity
  EXPECT_EQ(encode(DYNAC_F16, -infinity), 0xFC00u);
  EXPECT_EQ(encode(DYNAC_F16, 5.960464477539063e-08), 1u);
  EXPECT_EQ(encode(DYNAC_F16, 2.9802322387695312e-08), 0u); // half of that, to even
  EXPECT_EQ(encode(DYNAC_BF16, 1), 0x3F80u);
  EXPECT_EQ(encode(DYNAC_BF16, 1.00390625), 0x3F80u); // tie to even
  EXPECT_EQ(encode(DYNAC_BF16, 1.01171875), 0x3F82u);
  EXPECT_EQ(decode(DYNAC_F8E4M3FN, 0x7E), 448);
  EXPECT_EQ(decode(DYNAC_F8E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(decode(DYNAC_F8E5M2, 0x7B), 57344);
  EXPECT_EQ(decode(DYNAC_F8E5M2FNUZ, 0x7F), 57344);
  EXPECT_EQ(decode(DYNAC_F8E8M0, 127), 1);
  EXPECT_EQ(decode(DYNAC_F4E2M1, 7), 6);
  EXPECT_EQ(encode(DYNAC_F4E2M1, 100), 7u);
  EXPECT_TRUE(std::isnan(decode(DYNAC_F8E4M3FN, encode(DYNAC_F8E4M3FN, 1e9))));
}

TEST(RuntimeDType, IntegersSaturate) {
  EXPECT_EQ(decode(DYNAC_I8, encode(DYNAC_I8, 1000)), 127);
  EXPECT_EQ(decode(DYNAC_I8, encode(DYNAC_I8, -1000)), -128);
  EXPECT_EQ(decode(DYNAC_U8, encode(DYNAC_U8, -3)), 0);
  EXPECT_EQ(decode(DYNAC_I32, encode(DYNAC_I32, 2.5)), 2);
  EXPECT_EQ(decode(DYNAC_I32, encode(DYNAC_I32, std::nan(""))), 0);
  EXPECT_EQ(decode(DYNAC_BOOL, encode(DYNAC_BOOL, 0.25)), 1);
  const double big[] = {1e30, -1e30};
  int64_t i64[2];
  uint64_t u64[2];
  dynac_dtype_from_f64(DYNAC_I64, big, 2, i64);
  dynac_dtype_from_f64(DYNAC_U64, big, 2, u64);
  EXPECT_EQ(i64[0], INT64_MAX);
  EXPECT_EQ(i64[1], INT64_MIN);
  EXPECT_EQ(u64[0], UINT64_MAX);
  EXPECT_EQ(u64[1], 0u);
}

TEST(RuntimeDType, PackedTypes) {
  const double values[] = {-8, 7, -1, 3, 100};
  uint8_t packed[3] = {};
  ASSERT_EQ(dynac_dtype_from_f64(DYNAC_I4, values, 5, packed), 0);
  EXPECT_EQ(packed[0], 0x78); // the first element in the low bits
  double back[4];
  dynac_dtype_to_f64(DYNAC_I4, packed, 1, 4, back);
  EXPECT_EQ(std::vector<double>(back, back + 4), (std::vector<double>{7, -1, 3, 7}));
  double none;
  EXPECT_EQ(dynac_dtype_to_f64(DYNAC_C64, packed, 0, 0, &none), 1);
  EXPECT_EQ(dynac_dtype_to_f64(DYNAC_STRING, packed, 0, 0, &none), 1);
}
