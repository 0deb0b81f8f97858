//===- MappedFile.h - a file as read-only memory --------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_MAPPEDFILE_H
#define DYNAC_SUPPORT_MAPPEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace dynac {

/// A regular file of any size, mapped read-only and privately: only pages that are read take
/// memory. Truncating the file while it is mapped makes reads of the lost part fault.
class MappedFile {
public:
  /// Maps all of `path`. Errors have exit code System and the form `PATH: REASON`; folders, pipes
  /// and devices are refused without waiting for them.
  static llvm::Expected<std::unique_ptr<MappedFile>> open(llvm::StringRef path);

  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  llvm::ArrayRef<char> bytes() const { return content; }

private:
  explicit MappedFile(llvm::ArrayRef<char> content) : content(content) {}
  llvm::ArrayRef<char> content;
};

} // namespace dynac

#endif // DYNAC_SUPPORT_MAPPEDFILE_H
