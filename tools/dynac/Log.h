//===- Log.h - log lines on standard error ----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_LOG_H
#define DYNAC_TOOLS_DYNAC_LOG_H

#include "llvm/ADT/StringRef.h"

namespace dynac::tool {

/// Opens the log; `verbose`: information as well as warnings.
void startLog(bool verbose);

/// A line `dynac: warning: ...`, or `dynac: info: ...`.
void logWarning(llvm::StringRef message);
void logInfo(llvm::StringRef message);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_LOG_H
