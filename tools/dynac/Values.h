//===- Values.h - what a run gave: summaries and comparisons ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_VALUES_H
#define DYNAC_TOOLS_DYNAC_VALUES_H

#include "HostTensor.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace dynac::tool {

/// dtype, shape and element count of a tensor or string tensor.
struct ValueType {
  int32_t dtype = DYNAC_DTYPE_INVALID;
  std::vector<int64_t> shape;
  int64_t count = 0;
};
ValueType typeOf(const dynac_value_t &value);

/// Figures over the elements; of a complex tensor over its parts. NaN are counted and left out.
struct Summary {
  double min = 0, max = 0, mean = 0;
  int64_t nanCount = 0, infCount = 0;
  std::vector<std::string> first; ///< as text, at most 8
};
Summary summarise(const dynac_value_t &value);

/// "y: f32[1x1000] min -1.2 max 3.4 mean 0.1 first 0.25 1.5 ...".
std::string summaryLine(llvm::StringRef name, const dynac_value_t &value);
void summaryJson(llvm::json::OStream &json, const dynac_value_t &value);

/// How close is close enough: |got - want| <= absolute + relative * |want|. NaN equals NaN and an
/// infinity itself. Integers, booleans and strings have to be equal unless the user gave a
/// tolerance.
struct Tolerance {
  double relative = 1e-3, absolute = 1e-5;
  bool forIntegers = false;
};

/// The largest |got - want| of all elements; NaN against a number is infinite. 0 where shapes or
/// types differ, or elements are no numbers.
double largestError(const dynac_value_t &got, const dynac_value_t &want);

/// Nothing if `got` is as expected, otherwise what differs, without the output's name.
std::optional<std::string> difference(const dynac_value_t &got, const dynac_value_t &want,
                                      const Tolerance &tolerance);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_VALUES_H
