//===- dynac-check.cpp - runs operator test files -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/CPU/Isa.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace dynac;
using namespace dynac::tool;
namespace cl = llvm::cl;

static const char overview[] =
    "dynac-check compiles the functions of test files, runs them and compares what they compute\n\n"
    "A file holds small models with inputs and the numbers that must come out:\n\n"
    "  func.func @negative() {\n"
    "    %x = check.input dense<[-1.0, 2.0]> : tensor<2xf32>\n"
    "    %y = model.node \"onnx.Relu\" opset 14 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    check.equal %y, dense<[0.0, 2.0]> : tensor<2xf32>\n"
    "    return\n"
    "  }\n\n"
    "Each is compiled with the generic way only and with claimed kernels; its inputs given at run\n"
    "time, then as constants, then with unknown shapes. include/dynac/Dialect/Check/Check.td\n"
    "describes the files.\n";

static const char footer[] = "\nExit codes:\n"
                             "  0 all as expected    1 a check failed    2 wrong usage or file\n";

/// The levels that are asked for and that this machine and DYNAC_ISA allow.
static llvm::Expected<std::vector<dynac_cpu_level_t>> chooseLevels(llvm::StringRef march) {
  auto best = cpu::isaNamed(dynac_cpu_level_name());
  const dynac_cpu_level_t host = best ? best->level : cpu::isaFor(cpu::hostCpuLevel()).level;
  if (march.empty())
    return host > DYNAC_CPU_V3 ? std::vector{DYNAC_CPU_V3, host} : std::vector{host};
  std::vector<dynac_cpu_level_t> levels;
  if (march == "all") {
    for (const cpu::Isa &isa : cpu::allIsas())
      levels.push_back(isa.level);
  } else if (auto parsed = parseMarchOption(march)) {
    levels = *parsed;
  } else {
    return parsed.takeError();
  }
  llvm::erase_if(levels, [&](dynac_cpu_level_t level) { return level > host; });
  if (levels.empty())
    return usageError("--march {0}: this machine has none of them", march);
  return levels;
}

int main(int argc, char **argv) {
  cl::OptionCategory category("Options");
  cl::list<std::string> files(cl::Positional, cl::OneOrMore, cl::desc("FILE..."),
                              cl::cat(category));
  cl::opt<std::string> march(
      "march", cl::value_desc("LIST"), cl::cat(category),
      cl::desc("CPU levels to make code for and to run at, comma-separated, of those that this "
               "machine has; all: every one (default: x86-64-v3 and the machine's best)"));
  cl::opt<std::string> function("function", cl::value_desc("NAME"), cl::cat(category),
                                cl::desc("Only this function"));
  cl::opt<bool> verbose("v", cl::cat(category),
                        cl::desc("Tell what is compiled, on standard error"));
  cl::extrahelp moreHelp(footer);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;

  RunnerOptions options;
  auto levels = chooseLevels(march);
  if (!levels) {
    reportError(llvm::errs(), levels.takeError());
    return 2;
  }
  options.levels = *levels;
  options.function = function;
  options.verbose = verbose;
  unsigned failures = 0;
  bool malformed = false, found = function.empty();
  for (const std::string &path : files) {
    auto file = TestFile::read(path);
    if (!file) {
      malformed = true;
      continue;
    }
    found |= llvm::any_of(file->functions,
                          [&](const TestFunction &f) { return f.name == options.function; });
    Runner runner(*file, options);
    runner.run();
    failures += runner.failures();
  }
  if (!found) {
    reportError(llvm::errs(), usageError("--function {0}: there is none", options.function));
    return 2;
  }
  return malformed ? 2 : failures ? 1 : 0;
}
