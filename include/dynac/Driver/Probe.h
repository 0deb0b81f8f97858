//===- Probe.h - a model's nodes, and their results as outputs --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_PROBE_H
#define DYNAC_DRIVER_PROBE_H

#include "dynac/Driver/Options.h"

#include <string>
#include <vector>

namespace dynac {

/// What a node reads: the result of another node, or an input or weight of the model.
struct NodeOperand {
  std::optional<size_t> node; ///< nothing: an input or weight
  std::string name;           ///< of the input or weight
  std::string type;           ///< "f32[2x3]" of a weight; "" otherwise: known when it runs
};

/// A node of the model's main graph.
struct ModelNode {
  std::string name;        ///< as steps and messages call it
  std::string description; ///< "node 'conv1' (Conv, opset 17)"
  std::vector<NodeOperand> operands;
  size_t results = 0;
};

/// The nodes in the file's order, which is that of `CompileOptions::probes`. Errors: as of the
/// import phase.
llvm::Expected<std::vector<ModelNode>> listNodes(const std::string &model);

} // namespace dynac

#endif // DYNAC_DRIVER_PROBE_H
