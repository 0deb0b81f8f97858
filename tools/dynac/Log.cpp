//===- Log.cpp - log lines on standard error ------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"

#include "dynac/Support/Diagnostic.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace dynac::tool {

void startLog(bool verbose) {
  // Colours only on a terminal: the sink finds out itself.
  auto logger = spdlog::stderr_color_st("dynac");
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(verbose ? spdlog::level::info : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

void logWarning(llvm::StringRef message) { spdlog::warn("{}", printable(message, 4000)); }
void logInfo(llvm::StringRef message) { spdlog::info("{}", printable(message, 4000)); }

} // namespace dynac::tool
