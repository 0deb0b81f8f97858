//===- VerifyCommand.cpp - dynac verify -----------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "RunOptions.h"
#include "Verify.h"

namespace dynac::tool {

namespace {

class VerifyCommand : public Command {
public:
  explicit VerifyCommand(CLI::App &parent)
      : Command(parent, "verify", "Compare an artifact with its model compiled the generic way") {
    app->add_option("MODEL", reference.model, "The model that the artifact was compiled from")
        ->required()
        ->type_name("FILE");
    target.declare(*app);
    app->add_option("--rtol", options.relative,
                    "Allowed difference, relative to the expected value")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    absolute = app->add_option("--atol", absoluteValue,
                               "Allowed difference, absolute (default: 1e-4 of the largest "
                               "expected element)")
                   ->check(CLI::NonNegativeNumber);
    app->add_flag("--bisect", options.bisect,
                  "On a difference find the first node or region that differs (compiles the model "
                  "several times)");
    app->add_flag("--json", options.json, "Print the comparison as JSON");
    app->add_option("-j,--jobs", reference.jobs,
                    "Threads that compile; 0: as many as the process may use")
        ->capture_default_str()
        ->check(CLI::Range(0, 4096));
    app->add_option("--linker", reference.linker, "As of dynac compile")->type_name("PROGRAM");
  }

  llvm::Error run() override {
    options.inputs = target.inputs;
    options.dims = target.dims;
    options.threads = target.threads;
    options.isa = target.isa;
    if (absolute->count())
      options.absolute = absoluteValue;
    return verifyArtifact(reference, target.path, options);
  }

private:
  CompileOptions reference;
  RunOptions target;
  VerifyOptions options;
  CLI::Option *absolute = nullptr;
  double absoluteValue = 0;
};

} // namespace

std::unique_ptr<Command> makeVerifyCommand(CLI::App &parent) {
  return std::make_unique<VerifyCommand>(parent);
}

} // namespace dynac::tool
