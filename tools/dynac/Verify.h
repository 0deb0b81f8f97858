//===- Verify.h - an artifact against the generic way -----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_VERIFY_H
#define DYNAC_TOOLS_DYNAC_VERIFY_H

#include "Inputs.h"
#include "dynac/Driver/Options.h"

#include <optional>

namespace dynac::tool {

struct VerifyOptions {
  std::vector<std::string> inputs, dims; ///< as of `dynac run`; sizes that are not given are chosen
  int32_t threads = 0;
  std::string isa;
  double relative = 1e-3;
  /// Absolute tolerance; nothing: 1e-4 of the largest expected element.
  std::optional<double> absolute;
};

/// Compiles `reference` the generic way (its output is ignored), runs it and the artifact at `path`
/// on the same inputs, and prints a line for each output. Error: ExitCode::ResultsDiffer, or why
/// one of them could not be compiled or run.
llvm::Error verifyArtifact(CompileOptions reference, const std::string &path,
                           const VerifyOptions &options);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_VERIFY_H
