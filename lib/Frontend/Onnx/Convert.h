//===- Convert.h - from protobuf messages to the data model ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_CONVERT_H
#define DYNAC_LIB_FRONTEND_ONNX_CONVERT_H

#include "ExternalData.h"

namespace dynac::onnx {

/// Fills `model` from `file`, a serialized ModelProto; `model.path` is set. Checks each message
/// for itself; how names and nodes fit together is checkModel's task.
llvm::Error convertModel(OnnxModel &model, llvm::ArrayRef<char> file, ExternalFiles &external,
                         const ReadOptions &options);

/// Checks that names are defined once and before their use, sorts nodes where a file does not list
/// them in topological order, and drops inputs that an IR below 4 lists for its constants.
llvm::Error checkModel(OnnxModel &model);

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_CONVERT_H
