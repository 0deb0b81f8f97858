//===- Reader.h - reads ONNX files ----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accepts IR versions 1 to 14 (onnx 1.23; newer ones with a warning). Every
// error is a DiagnosticError of one line; its exit code is InvalidModel, or
// System where a file cannot be read. Memory stays proportional to the file
// without its weights, whatever the file says.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_READER_H
#define DYNAC_FRONTEND_ONNX_READER_H

#include "dynac/Frontend/Onnx/Model.h"

#include "llvm/Support/Error.h"

namespace dynac::onnx {

struct ReadOptions {
  /// Leaves tensors whose elements are in other files without elements (DataLocation::Skipped).
  bool skipExternalData = false;
  /// Further folders below which external data may lie after symbolic links are resolved. The
  /// folder of the path that was given and the folder of the file that it links to always count.
  std::vector<std::string> trustedRoots;
  /// A sparse tensor above this many bytes when dense is refused.
  uint64_t maxDenseBytes = uint64_t(1) << 30;
  /// Replaces calls of model-local functions by their bodies.
  bool inlineFunctions = true;
  /// Calls that would expand to more nodes than this are refused.
  uint64_t maxInlinedNodes = 1000000;
};

/// Reads the file at `path`. The file and its external data stay mapped as long as the model lives
/// and must not be truncated meanwhile.
llvm::Expected<std::unique_ptr<OnnxModel>> loadOnnx(llvm::StringRef path,
                                                    const ReadOptions &options = {});

/// Reads a model from memory that outlives the result. External data is looked for in `baseDir`;
/// with an empty one it is an error. `name` stands for the file in messages.
llvm::Expected<std::unique_ptr<OnnxModel>> parseOnnx(llvm::ArrayRef<char> bytes,
                                                     llvm::StringRef baseDir,
                                                     const ReadOptions &options = {},
                                                     llvm::StringRef name = "<memory>");

/// Reads one serialized TensorProto, as in a `.pb` file of test data, from memory that outlives the
/// result; decoded elements go to `owned`.
llvm::Expected<TensorData> parseTensor(llvm::ArrayRef<char> bytes, llvm::StringRef name,
                                       std::vector<std::shared_ptr<ByteStorage>> &owned);

/// Replaces every call of a function of `model`, also in subgraphs, by the function's nodes: with
/// attributes substituted, inner values renamed so that no name occurs twice, and nodes keeping the
/// opset version of their function. Recursion and more than `maxNodes` resulting nodes are errors.
/// `functions` is empty afterwards.
llvm::Error inlineFunctions(OnnxModel &model, uint64_t maxNodes = 1000000);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_READER_H
