//===- Linker.h - the linker that makes a .so of an object ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_LINKER_H
#define DYNAC_TARGET_COMMON_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace dynac {

/// The path of the linker to use: `wanted` (a path or a name on PATH) if not empty, else $DYNAC_LD,
/// else the first on PATH of ld.lld-19, ld.lld, ld.bfd, ld. Error: ExitCode::System with what to
/// install.
llvm::Expected<std::string> findLinker(llvm::StringRef wanted = "");

/// Runs `linker` (no shell) with `arguments`. Error: ExitCode::System with the first line that it
/// wrote.
llvm::Error runLinker(llvm::StringRef linker, llvm::ArrayRef<std::string> arguments);

/// Links one object into a shared library that exports `symbol` only. `undefined` are the names
/// that the object needs of libc and libm; another name is an error. Neither library has to be
/// installed.
llvm::Error linkSharedLibrary(llvm::StringRef linker, llvm::StringRef object,
                              llvm::ArrayRef<std::string> undefined, llvm::StringRef symbol,
                              llvm::StringRef output);

/// Whether kernels may call `name`: a function of ISO C's <string.h> or <math.h>, and which library
/// has it ("libc.so.6", "libm.so.6"); "" if not.
llvm::StringRef libraryOf(llvm::StringRef name);

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_LINKER_H
