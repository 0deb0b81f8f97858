//===- Artifact.h - opens an artifact and maps its weights ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_ARTIFACT_H
#define DYNAC_LIB_RUNTIME_ARTIFACT_H

#include "Status.h"

#include <string>

namespace dynac::rt {

/// A checked artifact and its weights, mapped or, if they are few, copied; closes and frees them.
class Artifact {
public:
  Artifact() = default;
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;
  ~Artifact();

  /// A shared library. The file is checked before the dynamic linker sees it, because that would
  /// crash on a truncated one.
  Status open(const char *path);
  /// Tables that are linked into the program.
  Status attach(const dynac_artifact_t *linked);

  const dynac_artifact_t &tables() const { return *artifact; }
  /// Start of the weights region; nullptr if there are no weights.
  const char *weights() const { return weightsBase; }
  /// What messages call it: the path, or the name of linked tables.
  const char *origin() const { return originText.c_str(); }

private:
  Status check();
  Status mapTrailerWeights(int file, int64_t fileBytes);
  Status mapExternalWeights();
  Status mapRegion(int file, int64_t offset, int64_t bytes);
  /// Reads the weights into huge pages; false if that fails.
  bool copyRegion(int file, int64_t offset, int64_t bytes);

  const dynac_artifact_t *artifact = nullptr;
  void *library = nullptr;
  void *mapping = nullptr;
  int64_t mappingBytes = 0;
  const char *weightsBase = nullptr;
  std::string originText, folder;
};

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_ARTIFACT_H
