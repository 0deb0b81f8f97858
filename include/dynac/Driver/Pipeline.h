//===- Pipeline.h - from a model file to an artifact ------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_PIPELINE_H
#define DYNAC_DRIVER_PIPELINE_H

#include "dynac/Driver/Options.h"

#include <cstdint>

namespace dynac {

/// What a compilation tells while it runs. The functions are called by the compiling thread.
class Progress {
public:
  virtual ~Progress() = default;
  virtual void phaseBegins(Phase phase) {}
  /// After the fuse phase, with a hash of the program (weights left out): false ends the
  /// compilation there, for who needs no code of this program. The report then has no files.
  virtual bool fused(uint64_t hash) { return true; }
  /// With Mode::MaxAutotune: choice number `choice` of a kernel is compiled and run.
  virtual void tries(llvm::StringRef kernel, unsigned choice) {}
  /// Bytes of the weights region written so far, and in all.
  virtual void weightsWritten(uint64_t done, uint64_t total) {}
  /// One line that is no error: something new in a file, a default that was taken.
  virtual void warning(llvm::StringRef message) {}
  virtual void info(llvm::StringRef message) {}
};

/// What storing a weight in fewer bits costs.
struct WeightError {
  std::string layer;   ///< the names of the nodes that multiply by it first
  std::string weight;  ///< its name
  double relative = 0; ///< |stored - exact| / |exact|, Euclidean norms
};

/// What was made.
struct CompileReport {
  std::vector<std::string> files; ///< the artifact first
  uint64_t codeBytes = 0, weightsBytes = 0;
  size_t kernels = 0, steps = 0;
  /// Weights that are stored in fewer bits (CompileOptions::weightsPrecision), in the order of
  /// their layers.
  std::vector<WeightError> weightErrors;
};

/// Compiles `options.model` into `options.output`, which appears when complete, or not at all.
llvm::Expected<CompileReport> compileModel(const CompileOptions &options, Progress &progress);

} // namespace dynac

#endif // DYNAC_DRIVER_PIPELINE_H
