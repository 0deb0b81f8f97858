//===- RunCommand.cpp - dynac run -----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Npy.h"
#include "RunOptions.h"
#include "Values.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

namespace dynac::tool {

namespace {

/// An output's name as a file name: other characters than A-Za-z0-9_.- become _.
std::string fileNameOf(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || llvm::StringRef("_.-").contains(c) ? c : '_';
  return result + ".npy";
}

class RunCommand : public Command {
public:
  explicit RunCommand(CLI::App &parent) : Command(parent, "run", "Run an artifact once") {
    options.declare(*app);
    app->add_option("--output-dir", outputDir, "Write each output to NAME.npy in this folder")
        ->type_name("DIR");
    addSpecs(*app, "--expect", expected, "NAME=@FILE: exit code 1 if this output differs");
    rtol = app->add_option("--rtol", tolerance.relative,
                           "Allowed difference, relative to the expected value")
               ->capture_default_str()
               ->check(CLI::NonNegativeNumber);
    atol = app->add_option("--atol", tolerance.absolute,
                           "Allowed difference, absolute; integers have to be equal unless one of "
                           "the two is given")
               ->capture_default_str()
               ->check(CLI::NonNegativeNumber);
    app->add_flag("--json", json, "Print the summaries as JSON");
  }

  llvm::Error run() override {
    auto session = options.load();
    if (!session)
      return session.takeError();
    auto expectedValues = readValues(session->outputs(), expected, "--expect");
    if (!expectedValues)
      return expectedValues.takeError();
    auto tensors = options.read(*session);
    if (!tensors)
      return tensors.takeError();
    auto context = session->createContext();
    if (!context)
      return context.takeError();
    std::vector<dynac_value_t> in, out(session->outputs().size());
    for (HostTensor &tensor : *tensors)
      in.push_back(tensor.view());
    if (llvm::Error error = toError(
            dynac_context_run(context->get(), in.data(), in.size(), out.data(), out.size())))
      return error;
    std::vector<HostTensor> dense;
    if (llvm::Error error = makeDense(out, dense))
      return error;

    print(*session, out);
    if (llvm::Error error = writeOutputs(*session, out))
      return error;
    return compare(*session, out, *expectedValues);
  }

private:
  void print(const Session &session, llvm::ArrayRef<dynac_value_t> out) {
    if (json) {
      printJson([&](llvm::json::OStream &os) {
        os.attribute("target", dynac_model_target(session.model()));
        os.attributeObject("outputs", [&] {
          for (size_t i = 0; i < out.size(); ++i)
            os.attributeObject(llvm::json::fixUTF8(session.outputs()[i].name),
                               [&] { summaryJson(os, out[i]); });
        });
      });
      return;
    }
    for (auto [desc, value] : llvm::zip(session.outputs(), out))
      llvm::outs() << summaryLine(desc.name, value) << '\n';
  }

  llvm::Error writeOutputs(const Session &session, llvm::ArrayRef<dynac_value_t> out) {
    if (outputDir.empty())
      return llvm::Error::success();
    if (std::error_code error = llvm::sys::fs::create_directories(outputDir))
      return ioError("cannot make folder '{0}': {1}", printable(outputDir), error.message());
    llvm::StringSet<> used;
    std::vector<OutputFile> files;
    for (auto [desc, value] : llvm::zip(session.outputs(), out)) {
      std::string name = fileNameOf(desc.name);
      if (!used.insert(name).second)
        return ioError("two outputs would both be written to '{0}'", name);
      auto file = OutputFile::create(outputDir + "/" + name);
      if (!file)
        return file.takeError();
      if (llvm::Error error = writeNpy(*file, value))
        return error;
      files.push_back(std::move(*file));
    }
    for (OutputFile &file : files)
      if (llvm::Error error = file.commit())
        return error;
    return llvm::Error::success();
  }

  llvm::Error compare(const Session &session, llvm::ArrayRef<dynac_value_t> out,
                      llvm::MutableArrayRef<std::optional<HostTensor>> wanted) {
    tolerance.forIntegers = rtol->count() || atol->count();
    llvm::Error errors = llvm::Error::success();
    for (auto [desc, value, want] : llvm::zip(session.outputs(), out, wanted)) {
      if (!want)
        continue;
      if (std::optional<std::string> what = difference(value, want->view(), tolerance))
        errors = llvm::joinErrors(
            std::move(errors), makeDiagnostic(ExitCode::ResultsDiffer,
                                              "output '" + printable(desc.name) + "': " + *what));
    }
    return errors;
  }

  RunOptions options;
  std::string outputDir;
  std::vector<std::string> expected;
  Tolerance tolerance;
  CLI::Option *rtol = nullptr, *atol = nullptr;
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeRunCommand(CLI::App &parent) {
  return std::make_unique<RunCommand>(parent);
}

} // namespace dynac::tool
