//===- Status.cpp - success, or an error code with its message --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <cstdarg>
#include <cstdio>

namespace dynac::rt {

static std::string formatList(const char *text, va_list list) {
  va_list again;
  va_copy(again, list);
  const int length = std::vsnprintf(nullptr, 0, text, list);
  std::string result(length > 0 ? length : 0, '\0');
  if (length > 0)
    std::vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  return result;
}

std::string format(const char *text, ...) {
  va_list list;
  va_start(list, text);
  std::string result = formatList(text, list);
  va_end(list);
  return result;
}

Status failure(dynac_code_t code, const char *text, ...) {
  va_list list;
  va_start(list, text);
  Status result(code, formatList(text, list));
  va_end(list);
  return result;
}

} // namespace dynac::rt
