//===- Runner.h - compiles and runs a test file in all ways -----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a file are compiled together, as one model: an operator's tests are many and
// small, and a compilation costs more than what they hold. Where that model fails, each is compiled
// alone, so that a failure has the name of its function.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_CHECK_RUNNER_H
#define DYNAC_TOOLS_DYNAC_CHECK_RUNNER_H

#include "TestFile.h"

#include <set>

namespace dynac::tool {

struct RunnerOptions {
  std::vector<dynac_cpu_level_t> levels; ///< code for these, and a run on each; not empty
  std::string function;                  ///< only this one; "" all
  bool verbose = false;                  ///< says what it compiles
};

class Runner {
public:
  Runner(const TestFile &file, const RunnerOptions &options) : file(file), options(options) {}

  /// Prints a line for each failure to standard output.
  void run();
  unsigned failures() const { return failureCount; }

private:
  using Functions = llvm::ArrayRef<const TestFunction *>;
  /// One way to compile, with what to call it.
  struct Way {
    std::string name;
    unsigned optLevel;
    InputWay inputs;
  };

  void runWay(const Way &way);
  void runTogether(const Way &way, Functions functions);
  /// Success includes failures of checks, which are printed. Nothing for a program that ran before.
  llvm::Error runArtifact(const Way &way, const std::string &path, const std::string &level,
                          Functions functions);
  llvm::Expected<bool> compileTo(const Way &way, const std::string &path, Functions functions);
  void expectRefusal(const Way &way, const TestFunction &function, const Refusal &refusal);
  void fail(unsigned line, const TestFunction &function, const std::string &way,
            const std::string &what);

  const TestFile &file;
  const RunnerOptions &options;
  unsigned failureCount = 0;
  std::set<std::string> programs; ///< inputs' way, functions and hash of what ran already
};

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_CHECK_RUNNER_H
