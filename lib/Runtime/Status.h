//===- Status.h - success, or an error code with its message ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_STATUS_H
#define DYNAC_LIB_RUNTIME_STATUS_H

#include "dynac/Runtime/dynac.h"

#include <memory>
#include <string>

/// The object behind the C API's status handle.
struct dynac_status {
  int32_t code;
  std::string message;
};

namespace dynac::rt {

/// Success (no allocation) or a failure. Has to be looked at.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(dynac_code_t code, std::string message)
      : error(new dynac_status{code, std::move(message)}) {}

  bool failed() const { return error != nullptr; }
  int32_t code() const { return error ? error->code : DYNAC_OK; }
  const char *message() const { return error ? error->message.c_str() : ""; }
  /// Hands the error to a C caller; NULL on success.
  dynac_status *release() { return error.release(); }

private:
  std::unique_ptr<dynac_status> error;
};

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *text, ...);

/// A failure with a printf-style message.
[[gnu::format(printf, 2, 3)]] Status failure(dynac_code_t code, const char *text, ...);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_STATUS_H
