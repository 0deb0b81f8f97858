//===- TestFile.h - the functions of a test file ----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_CHECK_TESTFILE_H
#define DYNAC_TOOLS_DYNAC_CHECK_TESTFILE_H

#include "HostTensor.h"
#include "Values.h"
#include "dynac/Driver/ModelSource.h"
#include "dynac/Support/Diagnostic.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynac::tool {

/// What a value of a function has to be.
struct Expectation {
  unsigned line = 0;
  HostTensor want;
  Tolerance tolerance;
};

/// A part of the message that a function must be refused with, and the exit code.
struct Refusal {
  ExitCode code;
  std::string text;
};

/// One function of a test file.
struct TestFunction {
  std::string name;
  unsigned line = 0;
  std::vector<HostTensor> inputs;
  std::vector<Expectation> expectations;
  std::optional<Refusal> refused;        ///< in every way
  std::optional<Refusal> refusedDynamic; ///< where shapes are not known
};

/// How a function's inputs reach the compiler.
enum class InputWay { Given, Constant, Dynamic };

/// A test file: text that is parsed again for each compilation, as each has its own context.
struct TestFile {
  std::string path, text;
  std::vector<TestFunction> functions;

  /// Errors go to standard error as MLIR prints them; the result is null then.
  static std::unique_ptr<TestFile> read(const std::string &path);
};

/// Some functions of a file as one model: the inputs and the checked values of all, in order.
class FunctionsSource : public ModelSource {
public:
  FunctionsSource(const TestFile &file, llvm::ArrayRef<const TestFunction *> functions,
                  InputWay way)
      : file(file), functions(functions), way(way) {}

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  import(mlir::MLIRContext &context, WeightStore &weights, Progress &progress) override;
  OpTable operators() const override { return makeOnnxOpTable(); }

private:
  const TestFile &file;
  llvm::ArrayRef<const TestFunction *> functions;
  InputWay way;
};

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_CHECK_TESTFILE_H
