//===- ExternalData.h - tensor elements in files beside the model ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_EXTERNALDATA_H
#define DYNAC_LIB_FRONTEND_ONNX_EXTERNALDATA_H

#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/MappedFile.h"

#include "llvm/ADT/StringMap.h"

namespace dynac::onnx {

/// The entries of TensorProto.external_data.
struct ExternalEntry {
  std::string location;
  std::optional<std::string> offset, length;
};

/// Keeps `file` mapped as the storage of a model.
std::shared_ptr<ByteStorage> asStorage(std::unique_ptr<MappedFile> file);

/// Maps files beside a model, each once.
class ExternalFiles {
public:
  /// `baseDir` is the folder of the path that the user gave, unresolved; `modelPath` may be "".
  ExternalFiles(llvm::StringRef baseDir, llvm::StringRef modelPath, const ReadOptions &options,
                std::vector<SourceFile> &files);

  /// Sets the bytes of `tensor` (type and dims are set). `where` is the file and the tensor, for
  /// messages.
  llvm::Error read(TensorData &tensor, const ExternalEntry &entry, llvm::StringRef where);

private:
  llvm::Expected<unsigned> open(llvm::StringRef location, llvm::StringRef where);

  std::string baseDir;
  std::vector<std::string> roots; ///< Resolved folders below which data may lie.
  std::vector<SourceFile> &files;
  llvm::StringMap<unsigned> byLocation;
};

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_EXTERNALDATA_H
