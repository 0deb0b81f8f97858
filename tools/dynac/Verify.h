//===- Verify.h - an artifact against the generic way -----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_VERIFY_H
#define DYNAC_TOOLS_DYNAC_VERIFY_H

#include "Inputs.h"
#include "Values.h"
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
  bool bisect = false; ///< finds the first node or region that differs
  bool json = false;
};

/// A run's context, which owns the outputs.
struct Finished {
  ContextHandle context;
  std::vector<dynac_value_t> outputs;
  std::vector<HostTensor> dense; ///< instead of outputs that the context has with strides
};

/// Runs once, with the step callback if there is one.
llvm::Expected<Finished> runOn(const Session &session, std::vector<HostTensor> &inputs,
                               dynac_step_fn callback = nullptr, void *user = nullptr);

/// How an output compares with what was expected.
struct OutputVerdict {
  std::optional<std::string> difference; ///< nothing: it is equal
  double largestError = 0;               ///< of all elements
};

/// Compares within the tolerance of `options`, whose absolute part follows from the largest
/// expected element and from what `precision` rounds away if it is not given.
OutputVerdict judge(const dynac_value_t &got, const dynac_value_t &want,
                    const VerifyOptions &options, Precision precision);

/// Compiles `reference` the generic way (its output is ignored), runs it and the artifact at `path`
/// on the same inputs, and prints a line for each output. Error: ExitCode::ResultsDiffer, or why
/// one of them could not be compiled or run.
llvm::Error verifyArtifact(CompileOptions reference, const std::string &path,
                           const VerifyOptions &options);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_VERIFY_H
