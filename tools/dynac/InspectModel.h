//===- InspectModel.h - what a model file holds -----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_INSPECTMODEL_H
#define DYNAC_TOOLS_DYNAC_INSPECTMODEL_H

#include "llvm/Support/Error.h"

#include <string>

namespace dynac::tool {

/// Prints the ONNX file at `path` to standard output: signature, opsets, parameters, operators and
/// which of them are not supported. `eachWeight`: also each initializer.
llvm::Error inspectModel(const std::string &path, bool eachWeight, bool json);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_INSPECTMODEL_H
