//===- ScratchFile.cpp - a temporary file for the length of a scope -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/ScratchFile.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/Interrupt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

namespace dynac {

llvm::Error ScratchFile::create(llvm::StringRef suffix) {
  Uninterrupted guard;
  llvm::SmallString<128> made;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("dynac", suffix, made))
    return ioError("cannot make a temporary file: {0}", error.message());
  filePath = made.str();
  llvm::sys::RemoveFileOnSignal(filePath);
  return llvm::Error::success();
}

ScratchFile::~ScratchFile() {
  if (filePath.empty())
    return;
  llvm::sys::fs::remove(filePath);
  llvm::sys::DontRemoveFileOnSignal(filePath);
}

} // namespace dynac
