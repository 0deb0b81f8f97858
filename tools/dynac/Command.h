//===- Command.h - a subcommand of dynac ------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_COMMAND_H
#define DYNAC_TOOLS_DYNAC_COMMAND_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace dynac::tool {

/// A subcommand: its constructor declares the options, `run` does the work after they were parsed.
class Command {
public:
  Command(CLI::App &parent, const char *name, const char *summary)
      : app(parent.add_subcommand(name, summary)) {}
  virtual ~Command() = default;
  Command(const Command &) = delete;

  /// Results go to standard output; the error's code is the program's.
  virtual llvm::Error run() = 0;
  bool wasGiven() const { return app->parsed(); }

protected:
  CLI::App *app;
};

std::unique_ptr<Command> makeCompileCommand(CLI::App &parent);
std::unique_ptr<Command> makeRunCommand(CLI::App &parent);
std::unique_ptr<Command> makeBenchCommand(CLI::App &parent);
std::unique_ptr<Command> makeProfileCommand(CLI::App &parent);
std::unique_ptr<Command> makeVerifyCommand(CLI::App &parent);
std::unique_ptr<Command> makeInspectCommand(CLI::App &parent);
std::unique_ptr<Command> makeOpsCommand(CLI::App &parent);
std::unique_ptr<Command> makeDoctorCommand(CLI::App &parent);

/// Calls `body` with a JSON writer over standard output and ends the line.
template <typename Body> void printJson(Body body) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] { body(json); });
  llvm::outs() << '\n';
}

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_COMMAND_H
