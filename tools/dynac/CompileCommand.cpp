//===- CompileCommand.cpp - dynac compile ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Log.h"
#include "RunOptions.h"
#include "Verify.h"
#include "dynac/Driver/Pipeline.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <unistd.h>

namespace dynac::tool {

namespace {

/// A line on the terminal that is overwritten as the work goes on; nothing where there is none.
class TerminalProgress : public Progress {
public:
  TerminalProgress() : visible(::isatty(2)) {}
  ~TerminalProgress() override { clear(); }

  void phaseBegins(Phase phase) override {
    endPhase();
    current = phase;
    begin = std::chrono::steady_clock::now();
    show(phaseName(phase).str());
  }
  /// Logs the time of the phase that runs.
  void endPhase() {
    if (!current)
      return;
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    clear();
    logInfo(llvm::formatv("{0,-10}{1,9:f1} ms", phaseName(*current), time.count()).str());
    current.reset();
  }
  void tries(llvm::StringRef kernel, unsigned choice) override {
    show(llvm::formatv("tuning {0}, choice {1}", kernel.take_front(50), choice).str());
  }
  void weightsWritten(uint64_t done, uint64_t total) override {
    if (!total || done * 100 / total == shownPercent)
      return;
    shownPercent = done * 100 / total;
    show("weights " + std::to_string(shownPercent) + "%");
  }
  void warning(llvm::StringRef message) override {
    clear();
    logWarning(message);
  }
  void info(llvm::StringRef message) override {
    clear();
    logInfo(message);
  }
  void clear() {
    if (visible)
      llvm::errs() << "\r\x1b[K";
  }

private:
  void show(const std::string &text) {
    if (visible)
      llvm::errs() << "\r\x1b[Kdynac: " << text << " ...";
  }

  bool visible;
  uint64_t shownPercent = 101;
  std::optional<Phase> current;
  std::chrono::steady_clock::time_point begin;
};

class CompileCommand : public Command {
public:
  explicit CompileCommand(CLI::App &parent)
      : Command(parent, "compile", "Compile a model into a .so, .o or .a") {
    app->add_option("MODEL", options.model, "The model, an ONNX file")
        ->required()
        ->type_name("FILE");
    app->add_option("-o,--output", options.output,
                    "What to write: .so (loaded or linked), .o or .a (linked into a program; a .h "
                    "is written "
                    "beside it)")
        ->type_name("FILE");
    app->add_option("--target", target, "Device")
        ->capture_default_str()
        ->check(CLI::IsMember({"cpu", "cuda"}));
    app->add_option("--march", march,
                    "CPU levels to make code for, comma-separated: native, x86-64-v2, x86-64-v3, "
                    "x86-64-v4, x86-64-v4-bf16-vnni, amx "
                    "(default: all from x86-64-v3 on, chosen at load time)")
        ->type_name("LIST");
    app->add_option(
           "--precision", precision,
           "Arithmetic of f32 models. bf16: matrix products and convolutions round their "
           "operands to bf16, sums and all else stay f32; meant for CPUs with AMX and AMD's "
           "with AVX512-BF16, others get the same numbers slower")
        ->capture_default_str()
        ->check(CLI::IsMember({"f32", "tf32", "bf16", "f16"}));
    app->add_option("--weights-precision", weightsPrecision,
                    "How f32 weights of matrix products are stored: f32, bf16, int8 (a scale per "
                    "column) or int4:block=32 (a scale per 32 numbers). The arithmetic stays f32. "
                    "Products of few rows, which wait for memory, get faster; the error of each "
                    "layer's weights is printed on standard error")
        ->capture_default_str()
        ->type_name("FORMAT");
    app->add_option(
           "--accuracy", accuracy,
           "strict: products of the model's own numbers only: no Winograd convolutions, no "
           "Strassen products, no scales folded into weights, denormal numbers kept, no "
           "--precision bf16; sums "
           "may still be split for vectors, and functions have the error bounds that "
           "they always have (at most a few ulp). fast: the same as default so far")
        ->capture_default_str()
        ->check(CLI::IsMember({"strict", "default", "fast"}));
    app->add_option("--mode", mode,
                    "max-autotune: measures choices of kernels (panels, rows and passes of matrix "
                    "products, blocks of convolutions and attention, Winograd's tiles) on this "
                    "machine, one thread, and takes what is more than 3 % faster than the usual "
                    "one; for symbolic sizes at what --dim calls usual. reduce-overhead: the same "
                    "as default, a run on a CPU has no overhead left to reduce")
        ->capture_default_str()
        ->check(CLI::IsMember({"default", "reduce-overhead", "max-autotune"}));
    app->add_option("--tuning-cache", options.tuningCache,
                    "Measured choices to follow, a text file of one line per kernel; with --mode "
                    "max-autotune what it lacks is measured and added. Files are merged by putting "
                    "their lines together")
        ->type_name("FILE");
    addSpecs(*app, "--shape", shapes, "Sizes of an input: NAME=1x3x224x224, ? leaves one as it is");
    addSpecs(*app, "--dim", dims,
             "A symbolic size: NAME=8 fixes it, NAME=1..64 is a range, *16 says it is a "
             "multiple, :32 the "
             "usual size");
    addSpecs(*app, "--alias", aliases,
             "INPUT=OUTPUT: the output updates the input in place, as KV caches do. "
             "INPUT=OUTPUT:capacity=N: the output appends to the input (a Concat) in memory with "
             "room for N, and only what is new is written. 'past_*=present_*': each such pair");
    app->add_option("--weights", options.weights,
                    "embed: in the output; external: in a .safetensors of the same name beside it; "
                    "or the name of "
                    "that file")
        ->capture_default_str()
        ->type_name("WHERE");
    app->add_option(
           "--name", options.name,
           "NAME of the symbol dynac_artifact_NAME in a .o or .a (default: from the file's name)")
        ->type_name("NAME");
    app->add_option("-O", options.optLevel, "Optimisation, 0 (the generic way only) to 3")
        ->capture_default_str()
        ->check(CLI::Range(0, 3));
    app->add_option("-j,--jobs", options.jobs,
                    "Threads that compile; 0: as many as the process may use")
        ->capture_default_str()
        ->check(CLI::Range(0, 4096));
    app->add_option("--linker", options.linker,
                    "Linker for a .so, path or name (default: $DYNAC_LD, then ld.lld-19, ld.lld, "
                    "ld.bfd, ld)")
        ->type_name("PROGRAM");
    app->add_option("--emit", emit, "Print the IR after this phase and stop: " + phaseNames())
        ->type_name("PHASE");
    app->add_flag("--verify-each", options.verifyEach,
                  "Check the contract of the IR after each phase");
    app->add_option("--save-temps", options.saveTemps, "Folder for intermediate files")
        ->type_name("DIR");
    app->add_flag("--verify", verify,
                  "Compare the result with the generic way on random inputs (a .so only)");
    app->add_flag("--json", json, "Print what was made as JSON");
  }

  llvm::Error run() override {
    if (llvm::Error error = takeOptions())
      return error;
    auto begin = std::chrono::steady_clock::now();
    TerminalProgress progress;
    auto report = compileModel(options, progress);
    progress.endPhase();
    progress.clear();
    if (!report)
      return report.takeError();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (options.emit)
      return llvm::Error::success();
    printWeightErrors(*report);
    print(*report, seconds.count());
    return verify ? verifyArtifact(options, options.output, {}) : llvm::Error::success();
  }

private:
  static std::string phaseNames() {
    std::string text;
    for (Phase phase : allPhases())
      text += (text.empty() ? "" : ", ") + phaseName(phase).str();
    return text;
  }

  /// Reads `texts` with `parse` into `out`.
  template <typename T, typename Parse>
  static llvm::Error parseAll(const std::vector<std::string> &texts, std::vector<T> &out,
                              Parse parse) {
    for (const std::string &text : texts) {
      auto value = parse(text);
      if (!value)
        return value.takeError();
      out.push_back(*value);
    }
    return llvm::Error::success();
  }

  llvm::Error takeOptions() {
    if (target != "cpu")
      return noDevice("--target {0}: this build makes code for cpu only", target);
    if (precision != "f32" && precision != "bf16")
      return unsupported("--precision {0}: only f32 and bf16 are supported", precision);
    options.precision = precision == "bf16" ? Precision::Bf16 : Precision::F32;
    auto stored = parseWeightsPrecision(weightsPrecision);
    if (!stored)
      return stored.takeError();
    options.weightsPrecision = *stored;
    if (stored->kind != WeightsPrecision::F32) {
      if (options.precision != Precision::F32 || options.optLevel == 0 || accuracy == "strict")
        return usageError("--weights-precision {0}: not together with --precision bf16, --accuracy "
                          "strict or -O0",
                          weightsPrecision);
      if (verify)
        return usageError("--weights-precision {0}: not together with --verify, which compares "
                          "with the weights as the model has them",
                          weightsPrecision);
    }
    options.accuracy = accuracy == "strict" ? Accuracy::Strict
                       : accuracy == "fast" ? Accuracy::Fast
                                            : Accuracy::Default;
    options.mode = mode == "max-autotune"      ? Mode::MaxAutotune
                   : mode == "reduce-overhead" ? Mode::ReduceOverhead
                                               : Mode::Default;
    if (llvm::Error error = parseAll(shapes, options.shapes, parseShapeOption))
      return error;
    if (llvm::Error error = parseAll(dims, options.dims, parseDimOption))
      return error;
    if (llvm::Error error = parseAll(aliases, options.aliases, parseAliasOption))
      return error;
    auto levels = parseMarchOption(march);
    if (!levels)
      return levels.takeError();
    options.levels = *levels;
    if (verify && (!emit.empty() || !llvm::StringRef(options.output).ends_with(".so")))
      return usageError("--verify needs a .so, which it can run");
    if (!emit.empty()) {
      auto phase = parsePhase(emit);
      if (!phase)
        return phase.takeError();
      options.emit = *phase;
    }
    return llvm::Error::success();
  }

  void printWeightErrors(const CompileReport &report) {
    if (report.weightErrors.empty())
      return;
    llvm::errs() << "relative error of weights in " << weightsPrecision << ":\n";
    for (const WeightError &error : report.weightErrors)
      llvm::errs() << llvm::format("  %.2e  ", error.relative) << printable(error.layer) << "  ("
                   << printable(error.weight) << ")\n";
  }

  void print(const CompileReport &report, double seconds) {
    if (json) {
      printJson([&](llvm::json::OStream &out) {
        out.attributeArray("files", [&] {
          for (const std::string &file : report.files)
            out.value(llvm::json::fixUTF8(file));
        });
        out.attribute("code_bytes", report.codeBytes);
        out.attribute("weights_bytes", report.weightsBytes);
        out.attribute("kernels", static_cast<uint64_t>(report.kernels));
        out.attribute("steps", static_cast<uint64_t>(report.steps));
        if (!report.weightErrors.empty())
          out.attributeArray("weight_errors", [&] {
            for (const WeightError &error : report.weightErrors)
              out.object([&] {
                out.attribute("layer", llvm::json::fixUTF8(error.layer));
                out.attribute("weight", llvm::json::fixUTF8(error.weight));
                out.attribute("relative_error", error.relative);
              });
          });
        out.attribute("seconds", seconds);
      });
      return;
    }
    llvm::outs() << report.files.front() << ": " << report.kernels << " kernels, " << report.steps
                 << " steps, "
                 << llvm::format("%.2f MB of code and tables, %.2f MB of weights, %.1f s\n",
                                 static_cast<double>(report.codeBytes) / 1e6,
                                 static_cast<double>(report.weightsBytes) / 1e6, seconds);
  }

  CompileOptions options;
  std::string target = "cpu", march, precision = "f32", weightsPrecision = "f32",
              accuracy = "default", mode = "default", emit;
  std::vector<std::string> shapes, dims, aliases;
  bool verify = false, json = false;
};

} // namespace

std::unique_ptr<Command> makeCompileCommand(CLI::App &parent) {
  return std::make_unique<CompileCommand>(parent);
}

} // namespace dynac::tool
