//===- InspectCommand.cpp - dynac inspect ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "InspectArtifact.h"
#include "InspectModel.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"

namespace dynac::tool {

namespace {

class InspectCommand : public Command {
public:
  explicit InspectCommand(CLI::App &parent)
      : Command(parent, "inspect", "Tell what a model or an artifact holds") {
    app->add_option("FILE", path, "A model (ONNX) or an artifact (.so)")
        ->required()
        ->type_name("FILE");
    app->add_flag("--plan", detail.plan, "Of an artifact: also the steps");
    app->add_flag("--kernels", detail.kernels, "Of an artifact: also each kernel");
    app->add_flag("--weights", detail.weights, "Also each weight");
    app->add_flag("--json", json, "Print as JSON, with everything");
  }

  llvm::Error run() override {
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(path, status))
      return ioError("cannot read '{0}': {1}", printable(path), error.message());
    if (llvm::sys::fs::is_directory(status))
      return ioError("cannot read '{0}': it is a folder", printable(path));
    llvm::file_magic magic;
    if (std::error_code error = llvm::identify_magic(path, magic))
      return ioError("cannot read '{0}': {1}", printable(path), error.message());
    if (magic.is_object() || magic == llvm::file_magic::archive)
      return inspectArtifact(path, detail, json);
    return inspectModel(path, detail.weights, json);
  }

private:
  std::string path;
  ArtifactDetail detail;
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeInspectCommand(CLI::App &parent) {
  return std::make_unique<InspectCommand>(parent);
}

} // namespace dynac::tool
