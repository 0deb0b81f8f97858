//===- ScratchFile.h - a temporary file for the length of a scope ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_SCRATCHFILE_H
#define DYNAC_SUPPORT_SCRATCHFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace dynac {

/// An empty file of the system's temporary folder, removed at the end of its scope or when a signal
/// ends the process.
class ScratchFile {
public:
  ScratchFile() = default;
  ScratchFile(const ScratchFile &) = delete;
  ~ScratchFile();
  /// Makes the file, of a name that begins with "dynac". Errors are ExitCode::System.
  llvm::Error create(llvm::StringRef suffix);
  const std::string &path() const { return filePath; }

private:
  std::string filePath;
};

} // namespace dynac

#endif // DYNAC_SUPPORT_SCRATCHFILE_H
