//===- InspectArtifact.h - what an artifact holds ---------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_INSPECTARTIFACT_H
#define DYNAC_TOOLS_DYNAC_INSPECTARTIFACT_H

#include "llvm/Support/Error.h"

#include <string>

namespace dynac::tool {

/// Which tables are printed row by row.
struct ArtifactDetail {
  bool plan = false, kernels = false, weights = false;
};

/// Prints the artifact at `path` to standard output: signature, targets, kernels, plan, weights,
/// versions.
llvm::Error inspectArtifact(const std::string &path, const ArtifactDetail &detail, bool json);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_INSPECTARTIFACT_H
