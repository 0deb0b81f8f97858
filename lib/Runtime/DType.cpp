//===- DType.cpp - element types: names, sizes, conversion to double --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DType.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace dynac::rt {

using Info = DTypeInfo;

const DTypeInfo *dtypeInfo(int32_t dtype) {
  // Indexed by dynac_dtype_t.
  static constexpr Info table[] = {
      {"invalid", 0, Info::None, 0, 0, 0, Info::Ieee},
      {"f32", 32, Info::Float, 8, 23, 127, Info::Ieee},
      {"f64", 64, Info::Float, 11, 52, 1023, Info::Ieee},
      {"f16", 16, Info::SmallFloat, 5, 10, 15, Info::Ieee},
      {"bf16", 16, Info::SmallFloat, 8, 7, 127, Info::Ieee},
      {"i8", 8, Info::Signed, 0, 0, 0, Info::Ieee},
      {"i16", 16, Info::Signed, 0, 0, 0, Info::Ieee},
      {"i32", 32, Info::Signed, 0, 0, 0, Info::Ieee},
      {"i64", 64, Info::Signed, 0, 0, 0, Info::Ieee},
      {"u8", 8, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"u16", 16, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"u32", 32, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"u64", 64, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"bool", 8, Info::Bool, 0, 0, 0, Info::Ieee},
      {"f8e4m3fn", 8, Info::SmallFloat, 4, 3, 7, Info::Fn},
      {"f8e4m3fnuz", 8, Info::SmallFloat, 4, 3, 8, Info::Fnuz},
      {"f8e5m2", 8, Info::SmallFloat, 5, 2, 15, Info::Ieee},
      {"f8e5m2fnuz", 8, Info::SmallFloat, 5, 2, 16, Info::Fnuz},
      {"f8e8m0", 8, Info::SmallFloat, 8, 0, 127, Info::E8M0},
      {"i4", 4, Info::Signed, 0, 0, 0, Info::Ieee},
      {"u4", 4, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"f4e2m1", 4, Info::SmallFloat, 2, 1, 1, Info::Finite},
      {"i2", 2, Info::Signed, 0, 0, 0, Info::Ieee},
      {"u2", 2, Info::Unsigned, 0, 0, 0, Info::Ieee},
      {"c64", 64, Info::Complex, 8, 23, 127, Info::Ieee},
      {"c128", 128, Info::Complex, 11, 52, 1023, Info::Ieee},
      {"string", 8 * int32_t(sizeof(dynac_string_t)), Info::String, 0, 0, 0, Info::Ieee},
  };
  static_assert(sizeof(table) / sizeof(table[0]) == DYNAC_STRING + 1);
  if (dtype <= DYNAC_DTYPE_INVALID || dtype > DYNAC_STRING)
    return nullptr;
  return &table[dtype];
}

const char *dtypeName(int32_t dtype) {
  const DTypeInfo *info = dtypeInfo(dtype);
  return info ? info->name : "invalid";
}

int64_t dtypeBytes(int32_t dtype, int64_t count) {
  const DTypeInfo *info = dtypeInfo(dtype);
  int64_t bits;
  if (!info || count < 0 || __builtin_mul_overflow(count, int64_t(info->bits), &bits) ||
      bits > std::numeric_limits<int64_t>::max() - 7)
    return -1;
  return (bits + 7) / 8;
}

/// The value of a small float's bit pattern.
static double decode(const Info &info, uint32_t bits) {
  const uint32_t width = info.bits;
  if (info.specials == Info::E8M0)
    return bits == 0xFF ? std::nan("") : std::ldexp(1.0, int(bits) - info.bias);
  const uint32_t mantissaMask = (1u << info.mantissa) - 1, exponentMask = (1u << info.exponent) - 1;
  const uint32_t mantissa = bits & mantissaMask, exponent = (bits >> info.mantissa) & exponentMask;
  const bool negative = bits >> (width - 1) & 1;
  const double sign = negative ? -1.0 : 1.0;
  if (info.specials == Info::Ieee && exponent == exponentMask)
    return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (info.specials == Info::Fn && exponent == exponentMask && mantissa == mantissaMask)
    return std::nan("");
  if (info.specials == Info::Fnuz && bits == 1u << (width - 1))
    return std::nan("");
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - info.bias - info.mantissa);
  return sign * std::ldexp(double(mantissa | 1u << info.mantissa),
                           int(exponent) - info.bias - info.mantissa);
}

/// The bit pattern nearest to `value`, ties to even. Where the type has infinities, overflow gives
/// infinity; otherwise NaN (Fn, Fnuz) or the largest value (Finite, E8M0).
static uint32_t encode(const Info &info, double value) {
  const uint32_t width = info.bits, exponentMask = (1u << info.exponent) - 1;
  const uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
  const uint32_t infinity = exponentMask << info.mantissa;
  if (info.specials == Info::E8M0) {
    if (!(value > 0))
      return std::isnan(value) || value < 0 ? 0xFF : 0;
    if (std::isinf(value))
      return 0xFE;
    const double exponent = std::nearbyint(std::log2(value)) + info.bias;
    return exponent < 0 ? 0 : exponent > 254 ? 254 : uint32_t(exponent);
  }
  uint32_t largest = infinity - 1;
  uint32_t nan = sign | infinity | (1u << info.mantissa >> 1);
  uint32_t overflow = sign | infinity;
  if (info.specials == Info::Fn) {
    largest = (1u << (width - 1)) - 2;
    nan = overflow = sign | ((1u << (width - 1)) - 1);
  } else if (info.specials == Info::Fnuz) {
    largest = (1u << (width - 1)) - 1;
    nan = overflow = 1u << (width - 1);
  } else if (info.specials == Info::Finite) {
    largest = (1u << (width - 1)) - 1;
    overflow = sign | largest;
    nan = 0;
  }
  if (std::isnan(value))
    return nan;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return overflow;
  int exponent;
  std::frexp(magnitude, &exponent); // magnitude = m * 2^exponent, m in [0.5, 1)
  // The spacing of the type's values around the magnitude; subnormals share the smallest one.
  int scale = (magnitude == 0 ? 0 : exponent - 1) - info.mantissa;
  const int smallest = 1 - info.bias - info.mantissa;
  if (scale < smallest || magnitude == 0)
    scale = smallest;
  const uint64_t units = uint64_t(std::nearbyint(std::ldexp(magnitude, -scale)));
  // A carry out of the mantissa moves into the exponent by itself.
  const uint64_t pattern = (uint64_t(scale - smallest) << info.mantissa) + units;
  if (pattern > largest)
    return overflow;
  if (pattern == 0 && info.specials == Info::Fnuz)
    return 0;
  return sign | uint32_t(pattern);
}

static uint32_t loadBits(const void *src, int32_t bits, int64_t i) {
  const auto *bytes = static_cast<const uint8_t *>(src);
  if (bits == 16) {
    uint16_t v;
    std::memcpy(&v, bytes + 2 * i, 2);
    return v;
  }
  const int64_t perByte = 8 / bits;
  return bytes[i / perByte] >> (i % perByte * bits) & ((1u << bits) - 1);
}

static void storeBits(void *dst, int32_t bits, int64_t i, uint32_t value) {
  auto *bytes = static_cast<uint8_t *>(dst);
  if (bits == 16) {
    const uint16_t v = uint16_t(value);
    std::memcpy(bytes + 2 * i, &v, 2);
    return;
  }
  const int64_t perByte = 8 / bits;
  const int shift = int(i % perByte * bits);
  const uint32_t mask = ((1u << bits) - 1) << shift;
  bytes[i / perByte] = uint8_t((bytes[i / perByte] & ~mask) | (value << shift & mask));
}

template <typename T> static double load(const void *src, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(src) + i * int64_t(sizeof(T)), sizeof(T));
  return double(value);
}

template <typename T> static void store(void *dst, int64_t i, T value) {
  std::memcpy(static_cast<char *>(dst) + i * int64_t(sizeof(T)), &value, sizeof(T));
}

static double loadElement(int32_t dtype, const Info &info, const void *src, int64_t i) {
  switch (dtype) {
  case DYNAC_F32:
    return load<float>(src, i);
  case DYNAC_F64:
    return load<double>(src, i);
  case DYNAC_I16:
    return load<int16_t>(src, i);
  case DYNAC_I32:
    return load<int32_t>(src, i);
  case DYNAC_I64:
    return load<int64_t>(src, i);
  case DYNAC_U16:
    return load<uint16_t>(src, i);
  case DYNAC_U32:
    return load<uint32_t>(src, i);
  case DYNAC_U64:
    return load<uint64_t>(src, i);
  default:
    break;
  }
  const uint32_t bits = loadBits(src, info.bits, i);
  if (info.kind == Info::SmallFloat)
    return decode(info, bits);
  if (info.kind == Info::Bool)
    return bits ? 1 : 0;
  if (info.kind == Info::Signed && bits >> (info.bits - 1))
    return double(bits) - double(1u << info.bits);
  return bits;
}

/// `value` rounded to an integer of `bits` bits, saturated.
static int64_t saturate(double value, int32_t bits, bool isSigned) {
  if (std::isnan(value))
    return 0;
  value = std::nearbyint(value);
  const double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0;
  const double limit = std::ldexp(1.0, isSigned ? bits - 1 : bits); // first value too large
  if (value <= low)
    return isSigned ? int64_t(-std::ldexp(1.0, bits - 2) * 2) : 0;
  if (value >= limit)
    return isSigned ? int64_t((uint64_t(1) << (bits - 1)) - 1)
                    : int64_t(bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
  return isSigned ? int64_t(value) : int64_t(uint64_t(value));
}

static void storeElement(int32_t dtype, const Info &info, void *dst, int64_t i, double value) {
  if (dtype == DYNAC_F32)
    return store<float>(dst, i, float(value));
  if (dtype == DYNAC_F64)
    return store<double>(dst, i, value);
  if (info.kind == Info::SmallFloat)
    return storeBits(dst, info.bits, i, encode(info, value));
  if (info.kind == Info::Bool)
    return storeBits(dst, info.bits, i, value != 0);
  const int64_t v = saturate(value, info.bits, info.kind == Info::Signed);
  if (info.bits == 64)
    return store<int64_t>(dst, i, v);
  if (info.bits == 32)
    return store<uint32_t>(dst, i, uint32_t(v));
  storeBits(dst, info.bits, i, uint32_t(v));
}

bool toDouble(int32_t dtype, const void *src, int64_t first, int64_t count, double *dst) {
  const DTypeInfo *info = dtypeInfo(dtype);
  if (!info || info->kind == Info::Complex || info->kind == Info::String)
    return false;
  for (int64_t i = 0; i < count; ++i)
    dst[i] = loadElement(dtype, *info, src, first + i);
  return true;
}

bool fromDouble(int32_t dtype, const double *src, int64_t count, void *dst) {
  const DTypeInfo *info = dtypeInfo(dtype);
  if (!info || info->kind == Info::Complex || info->kind == Info::String)
    return false;
  for (int64_t i = 0; i < count; ++i)
    storeElement(dtype, *info, dst, i, src[i]);
  return true;
}

} // namespace dynac::rt
