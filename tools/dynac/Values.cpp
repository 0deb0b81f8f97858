//===- Values.cpp - what a run gave: summaries and comparisons ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "dynac/Support/Diagnostic.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace dynac::tool {

ValueType typeOf(const dynac_value_t &value) {
  ValueType type;
  if (value.kind == DYNAC_VALUE_TENSOR) {
    const dynac_tensor_t &tensor = value.as.tensor;
    type.dtype = tensor.dtype;
    type.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  } else if (value.kind == DYNAC_VALUE_STRINGS) {
    const dynac_strings_t &strings = value.as.strings;
    type.dtype = DYNAC_STRING;
    type.shape.assign(strings.shape, strings.shape + strings.rank);
  }
  type.count = elementCount(type.shape);
  return type;
}

/// The real type of a complex one's parts, and how many parts an element has.
static std::pair<int32_t, int64_t> partsOf(int32_t dtype) {
  if (dtype == DYNAC_C64)
    return {DYNAC_F32, 2};
  if (dtype == DYNAC_C128)
    return {DYNAC_F64, 2};
  return {dtype, 1};
}

/// Calls `visit(first element's number, values)` for pieces of the tensor's elements (or parts).
template <typename Visit>
static void forPieces(const dynac_tensor_t &tensor, int64_t count, Visit visit) {
  constexpr int64_t piece = 2048;
  double values[piece];
  int32_t dtype = partsOf(tensor.dtype).first;
  for (int64_t begin = 0; begin < count; begin += piece) {
    int64_t n = std::min(piece, count - begin);
    dynac_dtype_to_f64(dtype, tensor.data, begin, n, values);
    visit(begin, llvm::ArrayRef<double>(values, static_cast<size_t>(n)));
  }
}

static std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

static bool isInteger(int32_t dtype) { return dtype >= DYNAC_I8 && dtype <= DYNAC_U64; }

/// Whole integers, also those that a double cannot hold.
static std::string elementText(const dynac_tensor_t &tensor, int64_t index, double value) {
  if (tensor.dtype == DYNAC_BOOL)
    return value != 0 ? "true" : "false";
  if (tensor.dtype == DYNAC_I64)
    return std::to_string(static_cast<const int64_t *>(tensor.data)[index]);
  if (tensor.dtype == DYNAC_U64)
    return std::to_string(static_cast<const uint64_t *>(tensor.data)[index]);
  if (isInteger(tensor.dtype))
    return std::to_string(static_cast<int64_t>(value));
  return numberText(value);
}

Summary summarise(const dynac_value_t &value) {
  Summary summary;
  ValueType type = typeOf(value);
  if (value.kind == DYNAC_VALUE_STRINGS) {
    for (int64_t i = 0; i < std::min<int64_t>(type.count, 8); ++i) {
      const dynac_string_t &text = value.as.strings.data[i];
      summary.first.push_back("\"" + printable(llvm::StringRef(text.data, text.length), 60) + "\"");
    }
    return summary;
  }
  int64_t count = type.count * partsOf(type.dtype).second, counted = 0;
  summary.min = std::numeric_limits<double>::infinity();
  summary.max = -summary.min;
  double sum = 0;
  forPieces(value.as.tensor, count, [&](int64_t begin, llvm::ArrayRef<double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      double x = values[i];
      if (summary.first.size() < 8)
        summary.first.push_back(elementText(value.as.tensor, begin + static_cast<int64_t>(i), x));
      if (std::isnan(x)) {
        ++summary.nanCount;
        continue;
      }
      summary.infCount += std::isinf(x);
      summary.min = std::min(summary.min, x);
      summary.max = std::max(summary.max, x);
      sum += x;
      ++counted;
    }
  });
  if (!counted)
    summary.min = summary.max = std::numeric_limits<double>::quiet_NaN();
  summary.mean = counted ? sum / static_cast<double>(counted) : summary.min;
  return summary;
}

std::string summaryLine(llvm::StringRef name, const dynac_value_t &value) {
  if (value.kind != DYNAC_VALUE_TENSOR && value.kind != DYNAC_VALUE_STRINGS)
    return printable(name) + ": not a tensor";
  ValueType type = typeOf(value);
  Summary summary = summarise(value);
  std::string line = printable(name) + ": " + describeType(type.dtype, type.shape);
  if (type.dtype != DYNAC_STRING && type.count)
    line += " min " + numberText(summary.min) + " max " + numberText(summary.max) + " mean " +
            numberText(summary.mean);
  if (summary.nanCount)
    line += " nan " + std::to_string(summary.nanCount);
  if (summary.infCount)
    line += " inf " + std::to_string(summary.infCount);
  if (!summary.first.empty())
    line += " first";
  for (const std::string &text : summary.first)
    line += " " + text;
  if (type.count * partsOf(type.dtype).second > static_cast<int64_t>(summary.first.size()))
    line += " ...";
  return line;
}

/// JSON has no NaN or infinity: null.
static void number(llvm::json::OStream &json, llvm::StringRef key, double value) {
  if (std::isfinite(value))
    json.attribute(key, value);
  else
    json.attribute(key, nullptr);
}

void summaryJson(llvm::json::OStream &json, const dynac_value_t &value) {
  ValueType type = typeOf(value);
  Summary summary = summarise(value);
  json.attribute("dtype", dynac_dtype_name(type.dtype));
  json.attributeArray("shape", [&] {
    for (int64_t extent : type.shape)
      json.value(extent);
  });
  if (type.dtype != DYNAC_STRING) {
    number(json, "min", summary.min);
    number(json, "max", summary.max);
    number(json, "mean", summary.mean);
    json.attribute("nan", summary.nanCount);
    json.attribute("inf", summary.infCount);
  }
  json.attributeArray("first", [&] {
    for (const std::string &text : summary.first)
      json.value(llvm::json::fixUTF8(text));
  });
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::string positionText(int64_t index, llvm::ArrayRef<int64_t> shape) {
  std::string text = "]";
  for (size_t d = shape.size(); d-- > 0;) {
    text = (d ? "," : "") + std::to_string(index % shape[d]) + text;
    index /= shape[d];
  }
  return "[" + text;
}

static std::optional<std::string>
stringDifference(const dynac_strings_t &got, const dynac_strings_t &want, const ValueType &type) {
  for (int64_t i = 0; i < type.count; ++i) {
    llvm::StringRef a(got.data[i].data, got.data[i].length),
        b(want.data[i].data, want.data[i].length);
    if (a != b)
      return "at " + positionText(i, type.shape) + " got \"" + printable(a, 60) +
             "\", expected \"" + printable(b, 60) + "\"";
  }
  return std::nullopt;
}

double largestError(const dynac_value_t &got, const dynac_value_t &want) {
  ValueType type = typeOf(got), wanted = typeOf(want);
  double largest = 0;
  if (type.dtype != wanted.dtype || type.shape != wanted.shape || got.kind == DYNAC_VALUE_STRINGS)
    return largest;
  const int32_t partType = partsOf(type.dtype).first;
  const int64_t parts = partsOf(type.dtype).second;
  std::vector<double> expected;
  forPieces(got.as.tensor, type.count * parts, [&](int64_t begin, llvm::ArrayRef<double> values) {
    expected.resize(values.size());
    dynac_dtype_to_f64(partType, want.as.tensor.data, begin, static_cast<int64_t>(values.size()),
                       expected.data());
    for (auto [a, b] : llvm::zip(values, expected)) {
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      const double distance = std::abs(a - b);
      largest = std::max(largest,
                         std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
    }
  });
  return largest;
}

std::optional<std::string> difference(const dynac_value_t &got, const dynac_value_t &want,
                                      const Tolerance &tolerance) {
  ValueType type = typeOf(got), wanted = typeOf(want);
  if (type.dtype != wanted.dtype || type.shape != wanted.shape)
    return "got " + describeType(type.dtype, type.shape) + ", expected " +
           describeType(wanted.dtype, wanted.shape);
  if (got.kind == DYNAC_VALUE_STRINGS)
    return stringDifference(got.as.strings, want.as.strings, type);

  const int32_t partType = partsOf(type.dtype).first;
  const int64_t parts = partsOf(type.dtype).second;
  bool exact =
      (isInteger(type.dtype) || type.dtype == DYNAC_BOOL || dynac_dtype_bits(partType) < 8) &&
      !tolerance.forIntegers;
  double relative = exact ? 0 : tolerance.relative, absolute = exact ? 0 : tolerance.absolute;
  int64_t count = type.count * parts, differing = 0, worstAt = -1;
  double worst = -1, worstGot = 0, worstWant = 0;
  std::vector<double> expected;
  // Large integers can be different where their doubles are equal.
  const bool isWide = exact && dynac_dtype_bits(type.dtype) == 64;
  auto sameBits = [&](int64_t at) {
    return !isWide || static_cast<const int64_t *>(got.as.tensor.data)[at] ==
                          static_cast<const int64_t *>(want.as.tensor.data)[at];
  };
  forPieces(got.as.tensor, count, [&](int64_t begin, llvm::ArrayRef<double> values) {
    expected.resize(values.size());
    dynac_dtype_to_f64(partType, want.as.tensor.data, begin, static_cast<int64_t>(values.size()),
                       expected.data());
    for (size_t i = 0; i < values.size(); ++i) {
      double a = values[i], b = expected[i];
      if ((a == b && sameBits(begin + static_cast<int64_t>(i))) || (std::isnan(a) && std::isnan(b)))
        continue;
      double distance = std::abs(a - b);
      if (a != b && distance <= absolute + relative * std::abs(b) && std::isfinite(b))
        continue;
      ++differing;
      double excess = std::isnan(distance) ? std::numeric_limits<double>::infinity()
                                           : distance - relative * std::abs(b);
      if (excess > worst || worstAt < 0) {
        worst = excess;
        worstAt = begin + static_cast<int64_t>(i);
        worstGot = a;
        worstWant = b;
      }
    }
  });
  if (!differing)
    return std::nullopt;
  return std::to_string(differing) + " of " + std::to_string(count) +
         " elements differ, worst at " + positionText(worstAt / parts, type.shape) + ": got " +
         elementText(got.as.tensor, worstAt, worstGot) + ", expected " +
         elementText(want.as.tensor, worstAt, worstWant) + " (difference " +
         numberText(std::abs(worstGot - worstWant)) + ", allowed " +
         numberText(absolute + relative * std::abs(worstWant)) + ")";
}

} // namespace dynac::tool
