//===- Bisect.h - where an artifact first goes wrong ------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_BISECT_H
#define DYNAC_TOOLS_DYNAC_BISECT_H

#include "Verify.h"

namespace dynac::tool {

/// The first place, in the model's order, whose result differs while what it reads does not.
struct FirstDifference {
  /// Node: the compiler's code for it is at fault. Region: the artifact differs from what the
  /// compiler makes of the model, in its weights or its code.
  enum class Kind { Node, Region } kind = Kind::Node;
  std::string where;               ///< the node, or the region's nodes
  std::vector<std::string> inputs; ///< "f32[2x3]", of the (first) node
  std::string difference;
  double largestError = 0;

  std::string line() const;
};

/// Finds it for the artifact whose outputs differ from those of `reference`, compiled the generic
/// way. First the artifact's regions are held against those of the same model compiled now; where
/// they agree the compiler is at fault, and the model is cut at nodes until the first one is found.
/// Error: the model cannot be compiled to the artifact's program (it is of another model, another
/// version or other options), or no single node differs.
llvm::Expected<FirstDifference> bisect(const CompileOptions &reference, const Session &artifact,
                                       std::vector<HostTensor> &inputs,
                                       const VerifyOptions &options);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_BISECT_H
