//===- ProfileCommand.cpp - dynac profile ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Profile.h"
#include "RunOptions.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/OutputFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace dynac::tool {

namespace {

class ProfileCommand : public Command {
public:
  explicit ProfileCommand(CLI::App &parent)
      : Command(parent, "profile", "Tell where an artifact's time goes, and how fast it could be") {
    options.declare(*app);
    app->add_option("--runs", runs, "Runs to measure, after as many as warm up")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app->add_option("--top", top, "Rows to print; 0: all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app->add_option("--html", pagePath,
                    "Write a page with the graph of regions, a roofline plot and a table")
        ->type_name("FILE");
    app->add_option("--trace", tracePath,
                    "Write the last run for chrome://tracing or ui.perfetto.dev")
        ->type_name("FILE");
    app->add_flag("--json", json, "Print the figures as JSON");
    app->footer(
        "Times are the fastest of the measured runs, rates and shares follow from them. `roof` is\n"
        "the share of what this machine can do at most: the longer of the time that the "
        "operations\n"
        "take at the measured peak and the time that the bytes take at the measured speed of the\n"
        "memory that holds them. Operations are those that the kernel does: Winograd needs fewer\n"
        "than the convolution that it computes.");
  }

  llvm::Error run() override {
    auto session = options.load();
    if (!session)
      return session.takeError();
    auto tensors = options.read(*session);
    if (!tensors)
      return tensors.takeError();
    // Before the work: a file that cannot be written is known at once.
    std::optional<OutputFile> page, trace;
    if (llvm::Error error = open(pagePath, page))
      return error;
    if (llvm::Error error = open(tracePath, trace))
      return error;
    auto result = profile(*session, *tensors, runs);
    if (!result)
      return result.takeError();
    if (json)
      printJson([&](llvm::json::OStream &os) { result->json(os); });
    else
      printText(*result);
    if (page)
      if (llvm::Error error = write(*page, profilePage(*result)))
        return error;
    return trace ? write(*trace, profileTrace(*result)) : llvm::Error::success();
  }

private:
  static llvm::Error open(const std::string &path, std::optional<OutputFile> &file) {
    if (path.empty())
      return llvm::Error::success();
    auto created = OutputFile::create(path);
    if (!created)
      return created.takeError();
    file.emplace(std::move(*created));
    return llvm::Error::success();
  }

  static llvm::Error write(OutputFile &file, const std::string &text) {
    if (llvm::Error error = file.write(llvm::StringRef(text)))
      return error;
    return file.commit();
  }

  void printText(const Profile &profile) const {
    llvm::raw_ostream &os = llvm::outs();
    const double total = profile.sum(&ProfileStep::fastest);
    os << llvm::formatv("{0}, {1} thread{2}: {3:f1} us a run in {4} steps (mean {5:f1} us)",
                        profile.target, profile.threads, profile.threads == 1 ? "" : "s",
                        total * 1e6, profile.steps.size(), profile.sum(&ProfileStep::mean) * 1e6);
    if (auto share = profile.roofShare())
      os << llvm::formatv(", {0:f0}% of the roofline", 100 * *share);
    os << "\nmeasured ";
    for (const auto &[factor, peak] : profile.roofline.flops)
      os << llvm::formatv(" {0} {1:f1} GFLOP/s,", factor, peak * 1e-9);
    os << " reads of";
    const char *separator = "";
    for (auto [bytes, text] : {std::pair(16 << 10, "16 KiB"), std::pair(512 << 10, "512 KiB"),
                               std::pair(8 << 20, "8 MiB"), std::pair(256 << 20, "256 MiB")}) {
      os << llvm::formatv("{0} {1} {2:f1}", separator, text,
                          profile.roofline.bandwidth.at(bytes) * 1e-9);
      separator = ",";
    }
    os << " GB/s\n\n";

    auto percent = [&](double seconds) { return total > 0 ? 100 * seconds / total : 0; };
    std::map<std::string, double> kinds;
    std::vector<const ProfileStep *> order;
    for (const ProfileStep &step : profile.steps) {
      order.push_back(&step);
      if (!step.isControl)
        kinds[step.kind] += step.fastest;
    }
    for (const auto &[kind, time] : kinds)
      os << llvm::formatv("{0,5:f1}%  {1,10:f1} us  {2}\n", percent(time), time * 1e6, kind);
    llvm::sort(order, [](const ProfileStep *a, const ProfileStep *b) {
      return a->fastest != b->fastest ? a->fastest > b->fastest : a->step < b->step;
    });
    if (top && order.size() > static_cast<size_t>(top))
      order.resize(static_cast<size_t>(top));
    os << "\n share      us/run  GFLOP/s     GB/s   roof  step  kernel  nodes\n";
    for (const ProfileStep *step : order) {
      auto rate = [&](std::optional<double> amount) -> std::string {
        if (step->isControl || !amount || step->fastest <= 0)
          return "-";
        return llvm::formatv("{0:f1}", *amount / step->fastest * 1e-9);
      };
      auto share = step->roofShare();
      os << llvm::formatv("{0,5:f1}%  {1,10:f1}  {2,7}  {3,7}  {4,5}  {5,4}  {6}  {7}\n",
                          percent(step->fastest), step->fastest * 1e6, rate(step->flops),
                          rate(step->bytes),
                          share ? llvm::formatv("{0:f0}%", 100 * *share).str() : "-", step->step,
                          step->kernel, printable(step->nodes, 100));
    }
  }

  RunOptions options;
  std::string tracePath, pagePath;
  int runs = 20, top = 30;
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeProfileCommand(CLI::App &parent) {
  return std::make_unique<ProfileCommand>(parent);
}

} // namespace dynac::tool
