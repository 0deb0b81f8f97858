//===- DType.h - element types: names, sizes, conversion to double ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_DTYPE_H
#define DYNAC_LIB_RUNTIME_DTYPE_H

#include "dynac/Runtime/dynac.h"

namespace dynac::rt {

/// What the runtime knows of an element type. `exponent`, `mantissa`, `bias` describe small floats.
struct DTypeInfo {
  const char *name;
  int32_t bits;
  enum Class : uint8_t { None, Float, SmallFloat, Signed, Unsigned, Bool, Complex, String } kind;
  uint8_t exponent, mantissa;
  int16_t bias;
  /// Which bit patterns of a small float are not finite: IEEE (all-ones exponent), Fn (only the
  /// all-ones pattern is NaN), Fnuz (only negative zero is NaN), Finite (none), E8M0 (0xFF is NaN).
  enum Specials : uint8_t { Ieee, Fn, Fnuz, Finite, E8M0 } specials;
};

/// nullptr if `dtype` is no element type.
const DTypeInfo *dtypeInfo(int32_t dtype);

/// "f32"; "invalid".
const char *dtypeName(int32_t dtype);

/// Bytes of `count` contiguous elements; -1 if that is not possible or does not fit.
int64_t dtypeBytes(int32_t dtype, int64_t count);

/// Elements [first, first + count) as doubles; false for complex and string types.
bool toDouble(int32_t dtype, const void *src, int64_t first, int64_t count, double *dst);

/// Doubles as elements [0, count); rounds to nearest even, integers saturate (NaN gives 0).
bool fromDouble(int32_t dtype, const double *src, int64_t count, void *dst);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_DTYPE_H
