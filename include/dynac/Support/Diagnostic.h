//===- Diagnostic.h - errors with an exit code and a one-line message -----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that can go wrong because of a user's file, option or machine is
// an llvm::Error that holds a DiagnosticError: the exit code of the command
// and one line that says what was found and what was expected.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_DIAGNOSTIC_H
#define DYNAC_SUPPORT_DIAGNOSTIC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>
#include <utility>
#include <vector>

namespace dynac {

/// The exit codes of every dynac command.
enum class ExitCode : int {
  Done = 0,
  ResultsDiffer = 1,
  Usage = 2,
  InvalidModel = 3,
  Unsupported = 4,
  SignatureMismatch = 5,
  NoDevice = 6,
  System = 7, ///< I/O, memory or an external tool failed.
  ArtifactMismatch = 8,
};

/// The payload of every llvm::Error that dynac creates. The message is one line: control characters
/// (names in a model file may hold any) are replaced by escapes.
class DiagnosticError : public llvm::ErrorInfo<DiagnosticError> {
public:
  static char ID;

  DiagnosticError(ExitCode exitCode, llvm::StringRef message);

  ExitCode exitCode() const { return code; }
  std::string message() const override { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  ExitCode code;
  std::string text;
};

/// Creates an error from a message that is complete.
llvm::Error makeDiagnostic(ExitCode code, llvm::StringRef message);

/// The factories format as llvm::formatv does: `invalidModel("{0}: node '{1}': ...", file, name)`.
#define DYNAC_DIAGNOSTIC_FACTORY(NAME, CODE)                                                       \
  template <typename... Args> llvm::Error NAME(const char *format, Args &&...args) {               \
    return makeDiagnostic(ExitCode::CODE,                                                          \
                          llvm::formatv(format, std::forward<Args>(args)...).str());               \
  }
DYNAC_DIAGNOSTIC_FACTORY(usageError, Usage)
DYNAC_DIAGNOSTIC_FACTORY(invalidModel, InvalidModel)
DYNAC_DIAGNOSTIC_FACTORY(unsupported, Unsupported)
DYNAC_DIAGNOSTIC_FACTORY(signatureMismatch, SignatureMismatch)
DYNAC_DIAGNOSTIC_FACTORY(noDevice, NoDevice)
DYNAC_DIAGNOSTIC_FACTORY(ioError, System)
DYNAC_DIAGNOSTIC_FACTORY(artifactMismatch, ArtifactMismatch)
#undef DYNAC_DIAGNOSTIC_FACTORY

/// One reported error, taken out of an llvm::Error.
struct Diagnostic {
  ExitCode code;
  std::string message;
};

/// Consumes `error` and returns what it holds, one entry for each joined error, in order; empty for
/// success. An error that is no DiagnosticError counts as ExitCode::System.
std::vector<Diagnostic> takeDiagnostics(llvm::Error error);

/// Consumes `error`, writes `dynac: error: MESSAGE` for each joined error to `os` and returns the
/// exit code of the first one, or 0 for success.
int reportError(llvm::raw_ostream &os, llvm::Error error);

/// `text` with control characters and backslashes escaped and cut after `limit` bytes, for names
/// from a file within a message.
std::string printable(llvm::StringRef text, size_t limit = 200);

} // namespace dynac

#endif // DYNAC_SUPPORT_DIAGNOSTIC_H
