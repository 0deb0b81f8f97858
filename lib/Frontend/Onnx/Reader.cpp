//===- Reader.cpp - reads ONNX files --------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Frontend/Onnx/Reader.h"
#include "Convert.h"
#include "ExternalData.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/MappedFile.h"

#include "llvm/Support/Path.h"

namespace dynac::onnx {

namespace {
/// Memory of the caller.
class BorrowedStorage : public ByteStorage {
public:
  explicit BorrowedStorage(llvm::ArrayRef<char> bytes) { content = bytes; }
};
} // namespace

/// Names the usual things that are handed over instead of a model.
static llvm::Error checkStart(llvm::StringRef start, llvm::StringRef name) {
  if (start.empty())
    return invalidModel("{0}: the file is empty, expected an ONNX model", name);
  if (start.starts_with("version https://git-lfs"))
    return invalidModel("{0}: is a Git LFS pointer, not the model; fetch it with `git lfs pull`",
                        name);
  if (start.starts_with("PK\x03\x04"))
    return invalidModel("{0}: is a zip archive, expected an ONNX model", name);
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<OnnxModel>>
read(std::shared_ptr<ByteStorage> storage, llvm::StringRef name, llvm::StringRef baseDir,
     llvm::StringRef modelPath, const ReadOptions &options) {
  llvm::ArrayRef<char> bytes = storage->bytes();
  if (llvm::Error error = checkStart({bytes.data(), bytes.size()}, name))
    return std::move(error);
  auto model = std::make_unique<OnnxModel>();
  model->path = name.str();
  model->files.push_back({name.str(), std::move(storage)});
  ExternalFiles external(baseDir, modelPath, options, model->files);
  if (llvm::Error error = convertModel(*model, bytes, external, options))
    return std::move(error);
  if (llvm::Error error = checkModel(*model))
    return std::move(error);
  if (options.inlineFunctions && !model->functions.empty()) {
    if (llvm::Error error = inlineFunctions(*model, options.maxInlinedNodes))
      return std::move(error);
    if (llvm::Error error = checkModel(*model))
      return std::move(error);
  }
  return model;
}

llvm::Expected<std::unique_ptr<OnnxModel>> loadOnnx(llvm::StringRef path,
                                                    const ReadOptions &options) {
  llvm::Expected<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return read(asStorage(std::move(*file)), path, folder.empty() ? "." : folder, path, options);
}

llvm::Expected<std::unique_ptr<OnnxModel>> parseOnnx(llvm::ArrayRef<char> bytes,
                                                     llvm::StringRef baseDir,
                                                     const ReadOptions &options,
                                                     llvm::StringRef name) {
  return read(std::make_shared<BorrowedStorage>(bytes), name, baseDir, "", options);
}

} // namespace dynac::onnx
