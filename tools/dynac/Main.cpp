//===- Main.cpp - the dynac program ---------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Help.h"
#include "Log.h"
#include "dynac/Runtime/dynac.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/Interrupt.h"
#include "dynac/Support/OutputFile.h"
#include "dynac/Target/Common/ArtifactWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <new>
#include <unistd.h>

using namespace dynac;
using namespace dynac::tool;

namespace {

const char firstSteps[] =
    "To begin with:\n"
    "  dynac compile model.onnx -o model.so     make an artifact\n"
    "  dynac run model.so --input x=@x.npy      run it; inputs that are not given are random\n"
    "  dynac COMMAND --help                     all that a command can do\n\n";
const char exitCodes[] =
    "Exit codes:\n"
    "  0 done                       5 shapes, types or input files do not fit the signature\n"
    "  1 results differ             6 no such device, or no code in the artifact for it\n"
    "  2 wrong usage                7 I/O, memory or an external tool failed\n"
    "  3 the model is invalid       8 artifact and runtime do not match\n"
    "  4 the model uses something unsupported";

/// Out of memory is an ordinary failure: temporaries go, exit code 7.
[[noreturn]] void outOfMemory() {
  static const char message[] = "dynac: error: not enough memory\n";
  llvm::sys::RunInterruptHandlers();
  (void)!::write(2, message, sizeof(message) - 1);
  ::_exit(static_cast<int>(ExitCode::System));
}

void prepareProcess() {
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { outOfMemory(); });
  endOnSignals();
  // Writing beyond a file size limit is an error to report, in linkers too.
  std::signal(SIGXFSZ, SIG_IGN);
  // So is a reader of standard output that went away.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string versionText() {
  return compilerVersion() + ", artifact ABI " + std::to_string(dynac_abi_version());
}

int fail(llvm::Error error) { return reportError(llvm::errs(), std::move(error)); }

/// A TOML string; names may hold any character.
std::string tomlString(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

/// The options of the command that was given, with defaults, as a section of a TOML file.
std::string configOf(const CLI::App &app) {
  std::string text;
  for (const CLI::App *command : app.get_subcommands()) {
    text += "[" + command->get_name() + "]\n";
    for (const CLI::Option *option : command->get_options()) {
      if (!option->get_configurable() || option->get_name() == "--help" ||
          option == command->get_help_ptr())
        continue;
      std::vector<std::string> values = option->results();
      if (values.empty() && !option->get_default_str().empty())
        values = {option->get_default_str()};
      if (values.empty())
        continue;
      text += option->get_single_name() + " = ";
      bool isList = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
      for (size_t i = 0; i < values.size(); ++i)
        text += (i ? ", " : isList ? "[" : "") + tomlString(values[i]);
      text += isList ? "]\n" : "\n";
    }
  }
  return text;
}

llvm::Error saveConfig(const CLI::App &app, const std::string &path) {
  auto file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(llvm::StringRef(configOf(app))))
    return error;
  return file->commit();
}

/// What CLI11 says, on one line; it does not tell an unknown command from a missing one.
std::string usageMessage(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  auto isNamed = [&](const CLI::App *command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && llvm::none_of(app.get_subcommands(nullptr), isNamed))
    return "unknown command '" + printable(argv[1]) + "'";
  return error.what();
}

int runProgram(int argc, char **argv) {
  CLI::App app("dynac compiles neural networks ahead of time into self-contained libraries.",
               "dynac");
  app.footer(exitCodes); // of the commands too
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("--version", versionText(), "Print the versions of dynac, LLVM and the ABI");
  app.set_config("--config", "", "Read options from a TOML file; those on the command line win")
      ->type_name("FILE");
  std::string savePath;
  bool verbose = false;
  app.add_option("--save-config", savePath, "Write the options in effect to this TOML file")
      ->configurable(false)
      ->type_name("FILE");
  app.add_flag("-v,--verbose", verbose, "Tell what happens, on standard error");
  app.require_subcommand(1);
  app.fallthrough();

  std::unique_ptr<Command> commands[] = {makeCompileCommand(app), makeRunCommand(app),
                                         makeBenchCommand(app),   makeProfileCommand(app),
                                         makeVerifyCommand(app),  makeInspectCommand(app),
                                         makeOpsCommand(app),     makeDoctorCommand(app)};
  app.footer(std::string(firstSteps) + exitCodes);
  // A misspelt name in a configuration file is a misspelt option.
  app.allow_config_extras(CLI::config_extras_mode::error);
  for (CLI::App *command : app.get_subcommands(nullptr))
    command->allow_config_extras(CLI::config_extras_mode::error);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &wanted) { // --help, --version
    return app.exit(wanted, std::cout, std::cerr);
  } catch (const CLI::ParseError &error) {
    return fail(usageError("{0}; see dynac --help", usageMessage(app, error, argc, argv)));
  }
  startLog(verbose);
  if (!savePath.empty())
    if (llvm::Error error = saveConfig(app, savePath))
      return fail(std::move(error));
  for (auto &command : commands)
    if (command->wasGiven())
      return fail(command->run());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  prepareProcess();
  int code = runProgram(argc, argv);
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    std::error_code error = llvm::outs().error();
    llvm::outs().clear_error();
    if (!code)
      code = fail(ioError("cannot write to standard output: {0}", error.message()));
  }
  return code;
}
