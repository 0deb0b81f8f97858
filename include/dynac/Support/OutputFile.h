//===- OutputFile.h - a file that appears when complete, or not at all ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_OUTPUTFILE_H
#define DYNAC_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace dynac {

/// A temporary file in the folder of the file that it becomes. Until `commit` nothing of the final
/// name is touched; without a commit, or when a signal ends the process, the temporary is removed.
/// All errors are ExitCode::System and name the final path and the system's reason.
class OutputFile {
public:
  /// Creates the temporary. Refuses a `path` that exists and is no regular file (renaming over a
  /// device or folder would destroy it).
  static llvm::Expected<OutputFile> create(llvm::StringRef path, bool executable = false);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  const std::string &path() const { return finalPath; }
  const std::string &temporaryPath() const { return tempPath; }

  /// Bytes in the file, all written so far.
  uint64_t size() const { return length; }
  llvm::Error write(llvm::ArrayRef<char> bytes);
  llvm::Error write(llvm::StringRef bytes) {
    return write(llvm::ArrayRef<char>(bytes.data(), bytes.size()));
  }
  /// Zeros up to the next multiple of `alignment`.
  llvm::Error align(uint64_t alignment);
  /// Reserves `bytes` more bytes on the disk, zero for now, for `fillAt`.
  llvm::Error reserve(uint64_t bytes);
  /// Calls `fill` with the file's bytes [offset, offset + bytes) mapped into memory; they must be
  /// reserved. The mapping is shared, so the bytes are never held in anonymous memory.
  llvm::Error fillAt(uint64_t offset, uint64_t bytes,
                     llvm::function_ref<llvm::Error(llvm::MutableArrayRef<char>)> fill);
  /// Follows the temporary after another program wrote it anew (a linker replaces its output).
  llvm::Error reopen();
  /// Renames to the final name.
  llvm::Error commit();

private:
  OutputFile(std::string finalPath, std::string tempPath, int fd)
      : finalPath(std::move(finalPath)), tempPath(std::move(tempPath)), fd(fd) {}
  llvm::Error failed(int error) const;

  std::string finalPath, tempPath;
  int fd = -1;
  uint64_t length = 0;
  unsigned mode = 0;
};

} // namespace dynac

#endif // DYNAC_SUPPORT_OUTPUTFILE_H
