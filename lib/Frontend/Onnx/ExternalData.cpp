//===- ExternalData.cpp - tensor elements in files beside the model -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "Elements.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/MappedFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace dynac::onnx {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
class MappedStorage : public ByteStorage {
public:
  explicit MappedStorage(std::unique_ptr<MappedFile> mapped) : file(std::move(mapped)) {
    content = file->bytes();
  }

private:
  std::unique_ptr<MappedFile> file;
};
} // namespace

std::shared_ptr<ByteStorage> asStorage(std::unique_ptr<MappedFile> file) {
  return std::make_shared<MappedStorage>(std::move(file));
}

static void addRoot(std::vector<std::string> &roots, llvm::StringRef folder) {
  llvm::SmallString<256> resolved;
  if (!fs::real_path(folder, resolved))
    roots.push_back(resolved.str().str());
}

ExternalFiles::ExternalFiles(llvm::StringRef baseDir, llvm::StringRef modelPath,
                             const ReadOptions &options, std::vector<SourceFile> &files)
    : baseDir(baseDir), files(files) {
  if (!baseDir.empty())
    addRoot(roots, baseDir);
  // In a content-addressed cache the model and its data are links into one other folder.
  llvm::SmallString<256> resolved;
  if (!modelPath.empty() && !fs::real_path(modelPath, resolved))
    roots.push_back(path::parent_path(resolved).str());
  for (const std::string &root : options.trustedRoots)
    addRoot(roots, root);
}

static bool liesBelow(llvm::StringRef file, llvm::StringRef root) {
  return file.consume_front(root) && (root.ends_with("/") || file.starts_with("/"));
}

llvm::Expected<unsigned> ExternalFiles::open(llvm::StringRef location, llvm::StringRef where) {
  if (auto found = byLocation.find(location); found != byLocation.end())
    return found->second;
  std::string shown = printable(location);
  if (location.empty())
    return invalidModel("{0}: external_data has no location", where);
  if (location.contains("_ORT_MEM_ADDR_"))
    return invalidModel(
        "{0}: the elements are in memory of the program that wrote the model (location "
        "'{1}'); save it with its weights",
        where, shown);
  if (location.contains('\0') || path::is_absolute(location))
    return invalidModel("{0}: external data location '{1}' is no relative path", where, shown);
  for (llvm::StringRef part : llvm::make_range(path::begin(location), path::end(location)))
    if (part == "..")
      return invalidModel("{0}: external data location '{1}' leaves the model's folder", where,
                          shown);
  if (baseDir.empty())
    return ioError("{0}: external data '{1}' cannot be found: the model has no folder", where,
                   shown);
  llvm::SmallString<256> joined(baseDir), resolved;
  path::append(joined, location);
  if (std::error_code code = fs::real_path(joined, resolved))
    return ioError("{0}: external data file {1}: {2}", where, printable(joined), code.message());
  if (llvm::none_of(roots, [&](llvm::StringRef root) { return liesBelow(resolved, root); }))
    return invalidModel("{0}: external data location '{1}' is a link out of the model's folder, to "
                        "{2}",
                        where, shown, printable(resolved));
  llvm::Expected<std::unique_ptr<MappedFile>> mapped = MappedFile::open(resolved);
  if (!mapped) {
    std::string reason = llvm::toString(mapped.takeError());
    return ioError("{0}: external data file {1}", where, reason);
  }
  files.push_back({joined.str().str(), asStorage(std::move(*mapped))});
  unsigned index = files.size() - 1;
  byLocation[location] = index;
  return index;
}

/// Parses a non-negative decimal number.
static llvm::Error parseNumber(const std::optional<std::string> &text, llvm::StringRef key,
                               llvm::StringRef where, std::optional<uint64_t> &value) {
  uint64_t number = 0;
  if (!text)
    return llvm::Error::success();
  if (llvm::StringRef(*text).getAsInteger(10, number))
    return invalidModel("{0}: external data {1} is '{2}', expected a non-negative number", where,
                        key, printable(*text));
  value = number;
  return llvm::Error::success();
}

llvm::Error ExternalFiles::read(TensorData &tensor, const ExternalEntry &entry,
                                llvm::StringRef where) {
  std::optional<uint64_t> offset, length;
  if (llvm::Error error = parseNumber(entry.offset, "offset", where, offset))
    return error;
  if (llvm::Error error = parseNumber(entry.length, "length", where, length))
    return error;
  if (tensor.type == ElementType::String)
    return invalidModel("{0}: STRING elements cannot be external data", where);
  std::optional<uint64_t> size = packedSize(tensor.type, tensor.numElements());
  if (!size)
    return invalidModel("{0}: {1} {2} has more than 2^63 bytes", where,
                        elementTypeName(tensor.type), shapeString(tensor.dims));
  if (length && *length != *size)
    return invalidModel("{0}: external data has {1} bytes, expected {2} ({3} {4})", where, *length,
                        *size, elementTypeName(tensor.type), shapeString(tensor.dims));
  llvm::Expected<unsigned> file = open(entry.location, where);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<char> content = files[*file].content->bytes();
  uint64_t begin = offset.value_or(0);
  if (begin > content.size() || *size > content.size() - begin)
    return invalidModel("{0}: external data '{1}' has {2} bytes, but {3} at offset {4} are needed",
                        where, printable(entry.location), content.size(), *size, begin);
  if (*size == 0)
    return llvm::Error::success();
  tensor.bytes = content.slice(begin, *size);
  tensor.location = DataLocation::ExternalFile;
  tensor.file = *file;
  tensor.offset = begin;
  return llvm::Error::success();
}

} // namespace dynac::onnx
