//===- Diagnostic.cpp - errors with an exit code and a one-line message ---===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace dynac {

char DiagnosticError::ID = 0;

static void appendEscaped(std::string &out, unsigned char c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c < 0x20 || c == 0x7f) {
    out += "\\x";
    out += llvm::hexdigit(c >> 4, /*LowerCase=*/true);
    out += llvm::hexdigit(c & 15, /*LowerCase=*/true);
  } else {
    out += static_cast<char>(c);
  }
}

DiagnosticError::DiagnosticError(ExitCode exitCode, llvm::StringRef message) : code(exitCode) {
  text.reserve(message.size());
  for (char c : message)
    appendEscaped(text, static_cast<unsigned char>(c));
}

void DiagnosticError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code DiagnosticError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error makeDiagnostic(ExitCode code, llvm::StringRef message) {
  return llvm::make_error<DiagnosticError>(code, message);
}

std::vector<Diagnostic> takeDiagnostics(llvm::Error error) {
  std::vector<Diagnostic> result;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &e) { result.push_back({e.exitCode(), e.message()}); },
      [&](const llvm::ErrorInfoBase &e) { result.push_back({ExitCode::System, e.message()}); });
  return result;
}

int reportError(llvm::raw_ostream &os, llvm::Error error) {
  std::vector<Diagnostic> all = takeDiagnostics(std::move(error));
  for (const Diagnostic &d : all)
    os << "dynac: error: " << d.message << '\n';
  return all.empty() ? 0 : static_cast<int>(all.front().code);
}

std::string printable(llvm::StringRef text, size_t limit) {
  std::string out;
  for (char c : text.take_front(limit)) {
    if (c == '\\')
      out += '\\';
    appendEscaped(out, static_cast<unsigned char>(c));
  }
  if (text.size() > limit)
    out += "...";
  return out;
}

} // namespace dynac
