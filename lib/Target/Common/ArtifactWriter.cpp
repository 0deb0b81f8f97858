//===- ArtifactWriter.cpp - plan and kernels become an artifact -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels and tables are joined into one object. That object is the `.o`, the member of the `.a`,
// or the only input of the linker for the `.so`. Weights never pass through a linker: they follow
// the linked file, or are the last bytes of the object.
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/ArtifactWriter.h"

#include "ArtifactTables.h"
#include "RelocatableObject.h"
#include "WeightsWriter.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/OutputFile.h"
#include "dynac/Target/Common/Linker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace dynac {

llvm::Expected<ArtifactFormat> artifactFormatOf(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".so")
    return ArtifactFormat::SharedLibrary;
  if (extension == ".o")
    return ArtifactFormat::Object;
  if (extension == ".a")
    return ArtifactFormat::Archive;
  return usageError("output '{0}': the name must end in .so, .o or .a", printable(path));
}

std::string cIdentifier(llvm::StringRef name) {
  std::string result;
  if (name.empty() || llvm::isDigit(name.front()))
    result = "_";
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

namespace {

/// Writes one artifact; the steps share the plan and the options.
class Writer {
public:
  Writer(const Plan &plan, const ArtifactOptions &options, ArtifactFormat format)
      : plan(plan), options(options), format(format), layout(layOutWeights(plan.weights)) {}

  llvm::Expected<ArtifactReport> write(llvm::ArrayRef<llvm::MemoryBufferRef> objects);

private:
  llvm::Error writeShared(const RelocatableObject &object);
  llvm::Error writeObject(const RelocatableObject &object);
  llvm::Error writeHeader();
  llvm::Error writeExternalWeights();
  llvm::Error saveTemporaries(llvm::ArrayRef<llvm::MemoryBufferRef> objects,
                              llvm::StringRef joined);
  /// Creates the file `path`, to be renamed with all others at the end.
  llvm::Expected<OutputFile *> addFile(llvm::StringRef path, bool executable = false);
  std::string beside(llvm::StringRef name) const;

  const Plan &plan;
  const ArtifactOptions &options;
  ArtifactFormat format;
  WeightsLayout layout;
  std::string symbol;
  std::vector<std::unique_ptr<OutputFile>> files;
  ArtifactReport report;
};

std::string Writer::beside(llvm::StringRef name) const {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(options.output));
  llvm::sys::path::append(path, name);
  return std::string(path);
}

llvm::Expected<OutputFile *> Writer::addFile(llvm::StringRef path, bool executable) {
  auto file = OutputFile::create(path, executable);
  if (!file)
    return file.takeError();
  files.push_back(std::make_unique<OutputFile>(std::move(*file)));
  return files.back().get();
}

/// A stream's bytes in memory: the object without weights is a few megabytes.
static llvm::Expected<std::string> bytesOf(const RelocatableObject &object) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (llvm::Error error = object.write(os))
    return error;
  os.flush();
  return bytes;
}

llvm::Error Writer::saveTemporaries(llvm::ArrayRef<llvm::MemoryBufferRef> objects,
                                    llvm::StringRef joined) {
  if (options.saveTemps.empty())
    return llvm::Error::success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.saveTemps))
    return ioError("cannot make folder '{0}': {1}", printable(options.saveTemps), error.message());
  auto save = [&](const llvm::Twine &name, llvm::StringRef bytes) -> llvm::Error {
    llvm::SmallString<128> path(options.saveTemps);
    llvm::sys::path::append(path, name);
    auto file = OutputFile::create(path);
    if (!file)
      return file.takeError();
    if (llvm::Error error = file->write(bytes))
      return error;
    return file->commit();
  };
  for (auto [index, object] : llvm::enumerate(objects))
    if (llvm::Error error = save("kernels." + llvm::Twine(index) + ".o", object.getBuffer()))
      return error;
  return save("artifact.o", joined);
}

llvm::Error Writer::writeShared(const RelocatableObject &object) {
  auto linker = findLinker(options.linker);
  if (!linker)
    return linker.takeError();
  auto file = addFile(options.output, /*executable=*/true);
  if (!file)
    return file.takeError();
  OutputFile &out = **file;
  {
    // The linker's input and output lie in the output's folder: it has the space, or nothing has.
    auto input = OutputFile::create(options.output);
    if (!input)
      return input.takeError();
    auto bytes = bytesOf(object);
    if (!bytes)
      return bytes.takeError();
    if (llvm::Error error = input->write(*bytes))
      return error;
    if (llvm::Error error = linkSharedLibrary(*linker, input->temporaryPath(),
                                              object.undefinedNames(), symbol, out.temporaryPath()))
      return error;
  }
  if (llvm::Error error = out.reopen())
    return error;
  report.codeBytes = out.size();
  if (!options.weightsFile.empty())
    return llvm::Error::success();

  if (llvm::Error error = out.align(4096))
    return error;
  dynac_trailer_t trailer;
  std::memset(&trailer, 0, sizeof(trailer));
  trailer.magic = DYNAC_ABI_MAGIC;
  trailer.weights_offset = out.size();
  trailer.weights_bytes = layout.bytes;
  trailer.ir_hash = plan.irHash;
  if (llvm::Error error = writeWeights(out, plan.weights, layout, options.progress))
    return error;
  if (llvm::Error error = out.align(8))
    return error;
  trailer.file_bytes = out.size() + sizeof(trailer);
  return out.write(llvm::ArrayRef<char>(reinterpret_cast<const char *>(&trailer), sizeof(trailer)));
}

llvm::Error Writer::writeObject(const RelocatableObject &object) {
  auto file = addFile(options.output);
  if (!file)
    return file.takeError();
  OutputFile &out = **file;
  auto bytes = bytesOf(object);
  if (!bytes)
    return bytes.takeError();
  report.codeBytes = bytes->size();
  auto writeAll = [&](OutputFile &to) -> llvm::Error {
    if (llvm::Error error = to.write(*bytes))
      return error;
    if (!options.weightsFile.empty())
      return llvm::Error::success();
    return writeWeights(to, plan.weights, layout, options.progress);
  };
  if (format == ArtifactFormat::Object)
    return writeAll(out);

  // The archive's writer takes whole members; the member is mapped, not read.
  auto member = OutputFile::create(options.output);
  if (!member)
    return member.takeError();
  if (llvm::Error error = writeAll(*member))
    return error;
  return member->fillAt(0, member->size(), [&](llvm::MutableArrayRef<char> mapped) -> llvm::Error {
    std::string name = symbol + ".o";
    std::vector<llvm::NewArchiveMember> members;
    members.emplace_back(
        llvm::MemoryBufferRef(llvm::StringRef(mapped.data(), mapped.size()), name));
    if (llvm::Error error =
            llvm::writeArchive(out.temporaryPath(), members, llvm::SymtabWritingMode::NormalSymtab,
                               llvm::object::Archive::K_GNU,
                               /*Deterministic=*/true, /*Thin=*/false))
      return ioError("cannot write '{0}': {1}", printable(options.output),
                     llvm::toString(std::move(error)));
    return out.reopen();
  });
}

/// `text` within a C comment.
static std::string cComment(llvm::StringRef text) {
  std::string result = printable(text);
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result.replace(at, 2, "* ");
  return result;
}

llvm::Error Writer::writeHeader() {
  llvm::SmallString<128> path(options.output);
  llvm::sys::path::replace_extension(path, ".h");
  auto file = addFile(path);
  if (!file)
    return file.takeError();
  std::string guard = llvm::StringRef(symbol).upper() + "_H";
  std::string text =
      llvm::formatv("/* Written by {0}: the artifact of model '{1}' in {2}. */\n"
                    "#ifndef {3}\n#define {3}\n\n"
                    "#include \"dynac/Runtime/abi.h\"\n\n"
                    "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
                    "/* For dynac_model_from_linked. */\n"
                    "extern const dynac_artifact_t {4};\n\n"
                    "#ifdef __cplusplus\n}\n#endif\n\n"
                    "#endif /* {3} */\n",
                    compilerVersion(), cComment(plan.name),
                    cComment(llvm::sys::path::filename(options.output)), guard, symbol)
          .str();
  return (*file)->write(text);
}

llvm::Error Writer::writeExternalWeights() {
  auto file = addFile(beside(options.weightsFile));
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(safetensorsHead(plan.weights, layout, plan.irHash)))
    return error;
  return writeWeights(**file, plan.weights, layout, options.progress);
}

llvm::Expected<ArtifactReport> Writer::write(llvm::ArrayRef<llvm::MemoryBufferRef> objects) {
  bool shared = format == ArtifactFormat::SharedLibrary;
  std::string name = options.symbolName.empty() ? cIdentifier(llvm::sys::path::stem(options.output))
                                                : options.symbolName;
  symbol = shared ? "dynac_artifact" : "dynac_artifact_" + name;
  dynac_weights_kind_t kind = !options.weightsFile.empty() ? DYNAC_WEIGHTS_EXTERNAL
                              : shared                     ? DYNAC_WEIGHTS_TRAILER
                                                           : DYNAC_WEIGHTS_POINTER;
  ArtifactTables tables(plan, layout, kind, options.weightsFile);
  RelocatableObject object;
  for (llvm::MemoryBufferRef kernels : objects)
    if (llvm::Error error = object.merge(kernels))
      return error;
  tables.addTo(object, symbol);

  if (!options.saveTemps.empty()) {
    auto bytes = bytesOf(object);
    if (!bytes)
      return bytes.takeError();
    if (llvm::Error error = saveTemporaries(objects, *bytes))
      return error;
  }
  if (llvm::Error error = shared ? writeShared(object) : writeObject(object))
    return error;
  if (!shared)
    if (llvm::Error error = writeHeader())
      return error;
  if (!options.weightsFile.empty())
    if (llvm::Error error = writeExternalWeights())
      return error;
  // The artifact last: once it is there, what it needs is there.
  for (auto &file : llvm::reverse(files))
    if (llvm::Error error = file->commit())
      return error;
  for (auto &file : files)
    report.files.push_back(file->path());
  report.weightsBytes = layout.bytes;
  return report;
}

} // namespace

llvm::Expected<ArtifactReport> writeArtifact(const Plan &plan,
                                             llvm::ArrayRef<llvm::MemoryBufferRef> objects,
                                             const ArtifactOptions &options) {
  auto format = artifactFormatOf(options.output);
  if (!format)
    return format.takeError();
  return Writer(plan, options, *format).write(objects);
}

} // namespace dynac
