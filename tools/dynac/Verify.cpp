//===- Verify.cpp - an artifact against the generic way -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Bisect.h"
#include "Values.h"
#include "dynac/Driver/Pipeline.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/ScratchFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace dynac::tool {

namespace {

/// Sizes for what the user left open: small, allowed, and different from each other, so that two
/// that were mixed up are found.
void chooseSizes(const Session &session, SymbolSizes &sizes) {
  int64_t next = 2;
  for (const dynac_symbol_desc_t &symbol : session.symbols()) {
    if (symbol.data_dependent || sizes.count(symbol.name))
      continue;
    int64_t multiple = std::max<int64_t>(symbol.multiple_of, 1);
    int64_t size = std::max(symbol.min, next++);
    size = (size + multiple - 1) / multiple * multiple;
    sizes[symbol.name] = std::min(size, symbol.max / multiple * multiple);
  }
}

void printJson(const Session &artifact, llvm::ArrayRef<OutputVerdict> verdicts,
               const std::optional<FirstDifference> &first) {
  llvm::json::OStream os(llvm::outs(), 2);
  auto difference = [&](const std::string &text, double error) {
    os.attribute("difference", llvm::json::fixUTF8(text));
    if (std::isfinite(error))
      os.attribute("largest_error", error);
    else
      os.attribute("largest_error", nullptr);
  };
  os.object([&] {
    os.attributeArray("outputs", [&] {
      for (size_t i = 0; i < verdicts.size(); ++i)
        os.object([&] {
          const OutputVerdict &verdict = verdicts[i];
          os.attribute("name", llvm::json::fixUTF8(artifact.outputs()[i].name));
          os.attribute("equal", !verdict.difference);
          if (verdict.difference)
            difference(*verdict.difference, verdict.largestError);
        });
    });
    if (!first)
      return;
    os.attributeObject("first", [&] {
      os.attribute("kind", first->kind == FirstDifference::Kind::Node ? "node" : "region");
      os.attribute("where", llvm::json::fixUTF8(first->where));
      os.attributeArray("inputs", [&] {
        for (const std::string &input : first->inputs)
          os.value(input);
      });
      difference(first->difference, first->largestError);
    });
  });
  llvm::outs() << '\n';
}

} // namespace

llvm::Expected<Finished> runOn(const Session &session, std::vector<HostTensor> &inputs,
                               dynac_step_fn callback, void *user) {
  auto context = session.createContext();
  if (!context)
    return context.takeError();
  Finished result{std::move(*context), std::vector<dynac_value_t>(session.outputs().size()), {}};
  dynac_context_set_step_callback(result.context.get(), callback, user);
  std::vector<dynac_value_t> in;
  for (HostTensor &tensor : inputs)
    in.push_back(tensor.view());
  if (llvm::Error error = toError(dynac_context_run(result.context.get(), in.data(), in.size(),
                                                    result.outputs.data(), result.outputs.size())))
    return error;
  if (llvm::Error error = makeDense(result.outputs, result.dense))
    return error;
  return result;
}

OutputVerdict judge(const dynac_value_t &got, const dynac_value_t &want,
                    const VerifyOptions &options, Precision precision) {
  Summary summary = summarise(want);
  double largest = std::max(std::abs(summary.min), std::abs(summary.max));
  Tolerance tolerance;
  tolerance.relative = options.relative;
  // Operands of bf16 are off by up to 2^-9 of themselves; errors of layers add up.
  const double part = precision == Precision::Bf16 ? 0.03 : 1e-4;
  tolerance.absolute =
      options.absolute.value_or(std::isfinite(largest) ? largest * part : tolerance.absolute);
  OutputVerdict verdict;
  verdict.difference = difference(got, want, tolerance);
  verdict.largestError = verdict.difference ? largestError(got, want) : 0;
  return verdict;
}

llvm::Error verifyArtifact(CompileOptions reference, const std::string &path,
                           const VerifyOptions &options) {
  auto artifact = Session::load(path, options.threads, options.isa);
  if (!artifact)
    return artifact.takeError();
  auto sizes = readSizes(*artifact, options.dims);
  if (!sizes)
    return sizes.takeError();
  chooseSizes(*artifact, *sizes);
  auto tensors = readInputs(*artifact, options.inputs, *sizes);
  if (!tensors)
    return tensors.takeError();

  ScratchFile scratch;
  if (llvm::Error error = scratch.create("so"))
    return error;
  auto native = parseMarchOption("native");
  if (!native)
    return native.takeError();
  reference.output = scratch.path();
  reference.levels = *native;
  reference.optLevel = 0;
  reference.weights = "embed";
  reference.saveTemps.clear();
  reference.name.clear();
  reference.aliases.clear(); // where outputs lie does not matter
  Progress silent;
  if (auto report = compileModel(reference, silent); !report)
    return report.takeError();
  auto plain = Session::load(reference.output, options.threads);
  if (!plain)
    return plain.takeError();

  auto got = runOn(*artifact, *tensors);
  if (!got)
    return got.takeError();
  auto want = runOn(*plain, *tensors);
  if (!want)
    return want.takeError();
  if (got->outputs.size() != want->outputs.size())
    return makeDiagnostic(ExitCode::ResultsDiffer,
                          "'" + printable(path) + "' is of another model: it has " +
                              std::to_string(got->outputs.size()) + " outputs, not " +
                              std::to_string(want->outputs.size()));

  llvm::Error errors = llvm::Error::success();
  std::vector<OutputVerdict> verdicts;
  for (auto [desc, value, expected] : llvm::zip(artifact->outputs(), got->outputs, want->outputs)) {
    verdicts.push_back(judge(value, expected, options, reference.precision));
    const std::optional<std::string> &what = verdicts.back().difference;
    if (!options.json)
      llvm::outs() << (what ? "differs  " : "equal    ") << summaryLine(desc.name, value) << '\n';
    if (what)
      errors = llvm::joinErrors(std::move(errors),
                                makeDiagnostic(ExitCode::ResultsDiffer,
                                               "output '" + printable(desc.name) + "': " + *what));
  }
  std::optional<FirstDifference> first;
  if (errors && options.bisect) {
    auto found = bisect(reference, *artifact, *tensors, options);
    if (found)
      first = std::move(*found);
    else
      errors = llvm::joinErrors(std::move(errors), found.takeError());
  }
  if (options.json)
    printJson(*artifact, verdicts, first);
  else if (first)
    llvm::outs() << first->line() << '\n';
  return errors;
}

} // namespace dynac::tool
