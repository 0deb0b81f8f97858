//===- Runner.cpp - compiles and runs a test file in all ways -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Session.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/ScratchFile.h"
#include "dynac/Target/CPU/Isa.h"

#include "llvm/Support/raw_ostream.h"

namespace dynac::tool {

namespace {

/// Ends the compilation of a program that ran already.
class NewPrograms : public Progress {
public:
  NewPrograms(std::set<std::string> &seen, std::string prefix)
      : seen(seen), prefix(std::move(prefix)) {}
  bool fused(uint64_t hash) override {
    isNew = seen.insert(prefix + std::to_string(hash)).second;
    return isNew;
  }
  bool isNew = true;

private:
  std::set<std::string> &seen;
  std::string prefix;
};

/// All messages of an error on one line, and the first one's exit code.
std::pair<std::string, ExitCode> take(llvm::Error error) {
  std::string text;
  ExitCode code = ExitCode::Done;
  for (const Diagnostic &diagnostic : takeDiagnostics(std::move(error))) {
    if (text.empty())
      code = diagnostic.code;
    text += (text.empty() ? "" : "; ") + diagnostic.message;
  }
  return {text, code};
}

} // namespace

void Runner::fail(unsigned line, const TestFunction &function, const std::string &way,
                  const std::string &what) {
  ++failureCount;
  llvm::outs() << file.path << ':' << line << ": @" << function.name << ", " << way << ": " << what
               << '\n';
}

llvm::Expected<bool> Runner::compileTo(const Way &way, const std::string &path,
                                       Functions functions) {
  FunctionsSource source(file, functions, way.inputs);
  CompileOptions compileOptions;
  compileOptions.model = file.path;
  compileOptions.output = path;
  compileOptions.levels = options.levels;
  compileOptions.optLevel = way.optLevel;
  compileOptions.jobs = 1;
  compileOptions.verifyEach = true;
  std::string prefix = std::to_string(static_cast<int>(way.inputs));
  for (const TestFunction *function : functions)
    prefix += " " + function->name;
  NewPrograms progress(programs, prefix + " ");
  auto report = compile(source, compileOptions, progress);
  if (!report)
    return report.takeError();
  return progress.isNew;
}

llvm::Error Runner::runArtifact(const Way &way, const std::string &path, const std::string &level,
                                Functions functions) {
  auto session = Session::load(path, 1, level);
  if (!session)
    return session.takeError();
  auto context = session->createContext();
  if (!context)
    return context.takeError();
  std::vector<dynac_value_t> inputs, outputs(session->outputs().size());
  if (way.inputs != InputWay::Constant)
    for (const TestFunction *function : functions)
      for (const HostTensor &input : function->inputs)
        inputs.push_back(const_cast<HostTensor &>(input).view());
  if (llvm::Error error = toError(dynac_context_run(context->get(), inputs.data(), inputs.size(),
                                                    outputs.data(), outputs.size())))
    return error;
  const dynac_value_t *got = outputs.data();
  for (const TestFunction *function : functions)
    for (const Expectation &expectation : function->expectations)
      if (auto what = difference(*got++, const_cast<HostTensor &>(expectation.want).view(),
                                 expectation.tolerance))
        fail(expectation.line, *function, way.name + ", " + level, *what);
  return llvm::Error::success();
}

void Runner::runTogether(const Way &way, Functions functions) {
  if (functions.empty())
    return;
  ScratchFile artifact;
  llvm::Error error = artifact.create("so");
  const std::string &path = artifact.path();
  if (!error) {
    auto isNew = compileTo(way, path, functions);
    if (!isNew)
      error = isNew.takeError();
    else if (!*isNew)
      return;
  }
  for (dynac_cpu_level_t level : options.levels)
    if (!error)
      error = runArtifact(way, path, cpu::isaFor(level).name.str(), functions);
  if (!error)
    return;
  auto [text, code] = take(std::move(error));
  if (functions.size() == 1)
    return fail(functions.front()->line, *functions.front(), way.name, text);
  unsigned before = failureCount;
  for (const TestFunction *function : functions)
    runTogether(way, function);
  if (failureCount == before)
    fail(functions.front()->line, *functions.front(), way.name,
         "fails together with the other functions only: " + text);
}

void Runner::expectRefusal(const Way &way, const TestFunction &function, const Refusal &refusal) {
  ScratchFile artifact;
  const TestFunction *one = &function;
  llvm::Error error = artifact.create("so");
  if (!error)
    error = compileTo(way, artifact.path(), one).takeError();
  if (!error)
    return fail(function.line, function, way.name,
                "compiles, expected an error with \"" + refusal.text + "\"");
  auto [text, code] = take(std::move(error));
  // Shapes that do not fit are the model's fault only where they are numbers.
  bool isExpected =
      code == refusal.code || (way.inputs == InputWay::Dynamic && code == ExitCode::Unsupported);
  if (!isExpected || text.find(refusal.text) == std::string::npos)
    fail(function.line, function, way.name,
         "expected exit code " + std::to_string(static_cast<int>(refusal.code)) + " with \"" +
             refusal.text + "\", got " + std::to_string(static_cast<int>(code)) + ": " + text);
}

void Runner::runWay(const Way &way) {
  if (options.verbose)
    llvm::errs() << file.path << ": " << way.name << '\n';
  std::vector<const TestFunction *> together;
  for (const TestFunction &function : file.functions) {
    if (!options.function.empty() && function.name != options.function)
      continue;
    if (function.refused)
      expectRefusal(way, function, *function.refused);
    else if (function.refusedDynamic && way.inputs == InputWay::Dynamic)
      expectRefusal(way, function, *function.refusedDynamic);
    else
      together.push_back(&function);
  }
  runTogether(way, together);
}

void Runner::run() {
  struct {
    const char *name;
    InputWay inputs;
  } inputWays[] = {{"inputs given", InputWay::Given},
                   {"inputs constant", InputWay::Constant},
                   {"shapes unknown", InputWay::Dynamic}};
  for (auto [name, inputs] : inputWays) {
    runWay({std::string("generic, ") + name, 0, inputs});
    runWay({std::string("claimed, ") + name, 2, inputs});
  }
}

} // namespace dynac::tool
