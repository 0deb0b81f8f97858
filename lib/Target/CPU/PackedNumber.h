//===- PackedNumber.h - a weight's number as it is packed -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_PACKEDNUMBER_H
#define DYNAC_LIB_TARGET_CPU_PACKEDNUMBER_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dynac::cpu {

/// `value` as a To; f32 as the bits (uint16_t) of the nearest bf16, ties to even.
template <typename To, typename From> To packedNumber(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else {
    static_assert(std::is_same_v<From, float> && std::is_same_v<To, uint16_t>);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
      return 0x7FC0; // NaN
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
}

/// The value of a bf16's bits.
inline float widened(uint16_t bf16) {
  const uint32_t bits = uint32_t(bf16) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_PACKEDNUMBER_H
