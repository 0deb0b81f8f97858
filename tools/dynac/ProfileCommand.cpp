//===- ProfileCommand.cpp - dynac profile ---------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "RunOptions.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/OutputFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace dynac::tool {

namespace {

/// What one step took over all measured runs.
struct StepFigures {
  int64_t runs = 0, total = 0, fastest = INT64_MAX, bytes = 0, pieces = 0;
};

/// One execution of a step, for a trace.
struct Event {
  int32_t step;
  int64_t begin, end;
};

/// What the runtime's callback fills.
struct Recorder {
  const dynac_artifact_t *artifact;
  std::vector<StepFigures> steps;
  std::vector<Event> events;
  bool keepEvents = false;

  static void record(void *user, const dynac_step_event_t *event) {
    auto &self = *static_cast<Recorder *>(user);
    StepFigures &figures = self.steps[static_cast<size_t>(event->step)];
    int64_t time = event->end_ns - event->begin_ns;
    ++figures.runs;
    figures.total += time;
    figures.fastest = std::min(figures.fastest, time);
    figures.pieces = event->pieces;
    figures.bytes = 0;
    for (int32_t i = 0; i < self.artifact->steps[event->step].buffer_count; ++i)
      figures.bytes += event->buffer_bytes[i];
    if (self.keepEvents)
      self.events.push_back({event->step, event->begin_ns, event->end_ns});
  }
};

class ProfileCommand : public Command {
public:
  explicit ProfileCommand(CLI::App &parent)
      : Command(parent, "profile", "Tell where an artifact's time goes") {
    options.declare(*app);
    app->add_option("--runs", runs, "Runs to measure, after as many as warm up")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app->add_option("--top", top, "Rows to print; 0: all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app->add_option("--trace", tracePath,
                    "Write the last run for chrome://tracing or ui.perfetto.dev")
        ->type_name("FILE");
    app->add_flag("--json", json, "Print the figures as JSON");
  }

  llvm::Error run() override {
    auto session = options.load();
    if (!session)
      return session.takeError();
    auto tensors = options.read(*session);
    if (!tensors)
      return tensors.takeError();
    auto context = session->createContext();
    if (!context)
      return context.takeError();
    Recorder recorder{&session->artifact(), {}, {}};
    recorder.steps.resize(static_cast<size_t>(session->artifact().step_count));
    std::vector<dynac_value_t> in, out(session->outputs().size());
    for (HostTensor &tensor : *tensors)
      in.push_back(tensor.view());
    for (int i = 0; i < 2 * runs; ++i) {
      if (i == runs)
        dynac_context_set_step_callback(context->get(), Recorder::record, &recorder);
      recorder.keepEvents = !tracePath.empty() && i == 2 * runs - 1;
      for (dynac_value_t &value : out)
        value = dynac_value_t{};
      if (llvm::Error error = toError(
              dynac_context_run(context->get(), in.data(), in.size(), out.data(), out.size())))
        return error;
    }
    print(*session, recorder);
    return tracePath.empty() ? llvm::Error::success() : writeTrace(recorder);
  }

private:
  static llvm::StringRef kernelOf(const dynac_artifact_t &artifact, const dynac_step_t &step) {
    switch (step.kind) {
    case DYNAC_STEP_KERNEL:
      return artifact.kernels[step.index].name;
    case DYNAC_STEP_HOST:
      return artifact.host_kernels[step.index];
    case DYNAC_STEP_COPY:
      return "copy";
    default:
      return "control";
    }
  }

  static llvm::StringRef kindOf(const dynac_artifact_t &artifact, const dynac_step_t &step) {
    return step.kind == DYNAC_STEP_KERNEL ? llvm::StringRef(artifact.kernels[step.index].kind)
                                          : kernelOf(artifact, step);
  }

  void print(const Session &session, const Recorder &recorder) {
    const dynac_artifact_t &artifact = session.artifact();
    std::vector<int32_t> order;
    std::map<std::string, int64_t> kinds;
    int64_t total = 0;
    for (int32_t i = 0; i < artifact.step_count; ++i) {
      const StepFigures &figures = recorder.steps[static_cast<size_t>(i)];
      if (!figures.runs)
        continue;
      order.push_back(i);
      total += figures.total;
      kinds[kindOf(artifact, artifact.steps[i]).str()] += figures.total;
    }
    llvm::stable_sort(order, [&](int32_t a, int32_t b) {
      return recorder.steps[static_cast<size_t>(a)].total >
             recorder.steps[static_cast<size_t>(b)].total;
    });
    auto perRun = [&](int64_t ns) { return static_cast<double>(ns) / runs / 1e3; };
    if (json) {
      printJson([&](llvm::json::OStream &os) {
        os.attribute("target", dynac_model_target(session.model()));
        os.attribute("threads", dynac_model_threads(session.model()));
        os.attribute("runs", runs);
        os.attributeArray("steps", [&] {
          for (int32_t i : order)
            os.object([&] {
              const StepFigures &figures = recorder.steps[static_cast<size_t>(i)];
              os.attribute("step", i);
              os.attribute("kernel", kernelOf(artifact, artifact.steps[i]));
              os.attribute("kind", kindOf(artifact, artifact.steps[i]));
              os.attribute("name", llvm::json::fixUTF8(artifact.steps[i].name));
              os.attribute("us", perRun(figures.total));
              os.attribute("min_us", static_cast<double>(figures.fastest) / 1e3);
              os.attribute("bytes", figures.bytes);
              os.attribute("pieces", figures.pieces);
            });
        });
      });
      return;
    }
    auto share = [&](int64_t ns) {
      return 100.0 * static_cast<double>(ns) / static_cast<double>(std::max<int64_t>(total, 1));
    };
    llvm::outs() << llvm::formatv(
        "{0}, {1} threads, {2:f1} us a run in {3} steps\n\n", dynac_model_target(session.model()),
        dynac_model_threads(session.model()), perRun(total), order.size());
    for (const auto &[kind, time] : kinds)
      llvm::outs() << llvm::formatv("{0,5:f1}%  {1,10:f1} us  {2}\n", share(time), perRun(time),
                                    kind);
    llvm::outs() << "\n share      us/run     GB/s  step  kernel\n";
    if (top && order.size() > static_cast<size_t>(top))
      order.resize(static_cast<size_t>(top));
    for (int32_t i : order) {
      const StepFigures &figures = recorder.steps[static_cast<size_t>(i)];
      double gbs = static_cast<double>(figures.bytes * figures.runs) /
                   static_cast<double>(std::max<int64_t>(figures.total, 1));
      llvm::outs() << llvm::formatv("{0,5:f1}%  {1,10:f1}  {2,7:f2}  {3,4}  {4}  {5}\n",
                                    share(figures.total), perRun(figures.total), gbs, i,
                                    kernelOf(artifact, artifact.steps[i]),
                                    printable(artifact.steps[i].name, 100));
    }
  }

  /// Chrome's trace event format, in microseconds.
  llvm::Error writeTrace(const Recorder &recorder) {
    auto file = OutputFile::create(tracePath);
    if (!file)
      return file.takeError();
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream os(stream);
    int64_t start = recorder.events.empty() ? 0 : recorder.events.front().begin;
    os.object([&] {
      os.attributeArray("traceEvents", [&] {
        for (const Event &event : recorder.events)
          os.object([&] {
            const dynac_step_t &step = recorder.artifact->steps[event.step];
            os.attribute("name", llvm::json::fixUTF8(step.name));
            os.attribute("cat", kindOf(*recorder.artifact, step));
            os.attribute("ph", "X");
            os.attribute("ts", static_cast<double>(event.begin - start) / 1e3);
            os.attribute("dur", static_cast<double>(event.end - event.begin) / 1e3);
            os.attribute("pid", 1);
            os.attribute("tid", 1);
            os.attributeObject("args", [&] {
              os.attribute("step", event.step);
              os.attribute("kernel", kernelOf(*recorder.artifact, step));
            });
          });
      });
    });
    stream.flush();
    if (llvm::Error error = file->write(llvm::StringRef(text)))
      return error;
    return file->commit();
  }

  RunOptions options;
  std::string tracePath;
  int runs = 20, top = 30;
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeProfileCommand(CLI::App &parent) {
  return std::make_unique<ProfileCommand>(parent);
}

} // namespace dynac::tool
