//===- Fuzz.h - what the fuzzers share --------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_FUZZ_FUZZ_H
#define DYNAC_TEST_FUZZ_FUZZ_H

#include <fuzzer/FuzzedDataProvider.h>

#include <filesystem>
#include <stdlib.h>

/// Ends the process, as a sanitizer does, unless `holds`.
inline void check(bool holds) {
  if (!holds)
    __builtin_trap();
}

/// An empty folder with a canonical path, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        std::filesystem::canonical(std::filesystem::temp_directory_path()) / "dynac-fuzz-XXXXXX";
    check(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  TemporaryFolder(TemporaryFolder &&other) : path(std::exchange(other.path, {})) {}
  ~TemporaryFolder() {
    std::error_code code;
    if (!path.empty())
      std::filesystem::remove_all(path, code);
  }

  std::filesystem::path path;
};

#endif // DYNAC_TEST_FUZZ_FUZZ_H
