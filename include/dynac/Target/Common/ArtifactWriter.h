//===- ArtifactWriter.h - plan and kernels become an artifact -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_ARTIFACTWRITER_H
#define DYNAC_TARGET_COMMON_ARTIFACTWRITER_H

#include "dynac/Target/Common/Plan.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace dynac {

enum class ArtifactFormat { SharedLibrary, Object, Archive };

/// By the extension `.so`, `.o` or `.a`. Error: ExitCode::Usage.
llvm::Expected<ArtifactFormat> artifactFormatOf(llvm::StringRef path);

/// `name` as part of a C identifier: other characters become `_`, a leading digit gets one before
/// it.
std::string cIdentifier(llvm::StringRef name);

struct ArtifactOptions {
  std::string output;     ///< .so, .o or .a
  std::string symbolName; ///< NAME of `dynac_artifact_NAME` in a .o or .a; "": from the file's name
  std::string linker;     ///< path or name; "": as `findLinker` does
  /// File name for a .safetensors beside the output; "": the weights are in the artifact.
  std::string weightsFile;
  std::string saveTemps; ///< folder that gets the kernels' objects and the joined one; "": none
  /// Called while weights are written, with bytes done and bytes in all; may be null.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

struct ArtifactReport {
  uint64_t codeBytes = 0;         ///< of the ELF part
  uint64_t weightsBytes = 0;      ///< of the weights region
  std::vector<std::string> files; ///< what was written, the artifact first
};

/// Writes the artifact of `plan`, whose kernel symbols `objects` (x86-64 ELF, position-independent)
/// define. The bytes depend on the plan, the objects, the linker and the file names of
/// `weightsFile` and `symbolName` only. Files appear when all are complete. Errors:
/// ExitCode::System, or what a weight's `fill` returns; nothing is left behind.
llvm::Expected<ArtifactReport> writeArtifact(const Plan &plan,
                                             llvm::ArrayRef<llvm::MemoryBufferRef> objects,
                                             const ArtifactOptions &options);

/// "dynac 0.1.0 (LLVM 19.1.7)".
std::string compilerVersion();

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_ARTIFACTWRITER_H
