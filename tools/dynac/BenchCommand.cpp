//===- BenchCommand.cpp - dynac bench -------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "RunOptions.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <iostream>
#include <thread>

namespace dynac::tool {

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What one call passes. Outputs that update inputs lie where these do, as they do for a program
/// that keeps a cache; the others stay in the context.
struct Call {
  std::vector<dynac_value_t> inputs, outputs;
  std::vector<HostTensor> caches;           ///< memory of inputs that are updated
  std::deque<std::vector<int64_t>> numbers; ///< their shapes and strides

  llvm::Error shareMemory(const Session &session, dynac_context_t *context) {
    outputs.assign(session.outputs().size(), dynac_value_t{});
    auto isAlias = [](const dynac_value_desc_t &desc) { return desc.alias_input >= 0; };
    if (llvm::none_of(session.outputs(), isAlias))
      return llvm::Error::success();
    std::vector<dynac_value_t> first(outputs.size());
    if (llvm::Error error = toError(
            dynac_context_run(context, inputs.data(), inputs.size(), first.data(), first.size())))
      return error;
    caches.reserve(outputs.size());
    for (auto [desc, value, output] : llvm::zip(session.outputs(), first, outputs)) {
      if (!isAlias(desc) || value.kind != DYNAC_VALUE_TENSOR)
        continue;
      dynac_value_t &input = inputs[static_cast<size_t>(desc.alias_input)];
      const dynac_tensor_t &made = value.as.tensor;
      // Every stream has a cache of its own. One that grows has what was appended already.
      auto cache = made.strides ? HostTensor::zeros(DYNAC_U8, {made.bytes})
                                : HostTensor::copyOf(input.as.tensor);
      if (!cache)
        return cache.takeError();
      input.as.tensor.data = cache->bytes().data();
      output = input;
      if (made.strides) {
        std::memcpy(cache->bytes().data(), made.data, cache->bytes().size());
        input.as.tensor.strides = output.as.tensor.strides = keep(made.strides, made.rank);
        output.as.tensor.shape = keep(made.shape, made.rank);
      }
      caches.push_back(std::move(*cache));
    }
    return llvm::Error::success();
  }

private:
  const int64_t *keep(const int64_t *list, int32_t count) {
    numbers.emplace_back(list, list + count);
    return numbers.back().data();
  }
};

struct Stream {
  ContextHandle context;
  Call call;
  std::vector<int64_t> times;

  /// Nanoseconds of one run.
  llvm::Expected<int64_t> runOnce() { return runOnce(call); }
  llvm::Expected<int64_t> runOnce(Call &values) {
    for (dynac_value_t &value : values.outputs)
      if (value.borrowed)
        value = dynac_value_t{};
    int64_t begin = nowNs();
    dynac_status_t *status =
        dynac_context_run(context.get(), values.inputs.data(), values.inputs.size(),
                          values.outputs.data(), values.outputs.size());
    int64_t time = nowNs() - begin;
    if (status)
      return toError(status);
    return time;
  }
};

/// A figure of /proc/self/status in bytes ("VmRSS", "VmHWM"), or 0.
uint64_t memoryFigure(llvm::StringRef name) {
  auto status = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!status)
    return 0;
  llvm::StringRef text = (*status)->getBuffer();
  size_t at = text.find(("\n" + name + ":").str());
  if (at == llvm::StringRef::npos)
    return 0;
  text = text.substr(at + name.size() + 2).ltrim();
  uint64_t kilobytes = 0;
  text.consumeInteger(10, kilobytes);
  return kilobytes * 1024;
}

std::vector<dynac_value_t> viewsOf(std::vector<HostTensor> &tensors) {
  std::vector<dynac_value_t> views;
  for (HostTensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

class BenchCommand : public Command {
public:
  explicit BenchCommand(CLI::App &parent) : Command(parent, "bench", "Time an artifact") {
    options.declare(*app);
    addSpecs(*app, "--input-alt", alternative, "The second set of inputs of --paced");
    app->add_option("--seconds", seconds, "How long to measure")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 86400.0));
    app->add_option("--warmup", warmup, "Runs before that, not measured")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000000));
    app->add_option("--streams", streams, "Runs at the same time, each with a context of its own")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    app->add_flag("--paced", paced,
                  "Print 'ready'; then for each line on standard input (0: the inputs, 1: the "
                  "alternative ones) run "
                  "once and print the wall nanoseconds");
    app->add_flag("--json", json, "Print the figures as JSON");
  }

  llvm::Error run() override {
    memoryBefore = memoryFigure("VmRSS");
    auto session = options.load();
    if (!session)
      return session.takeError();
    auto tensors = options.read(*session);
    if (!tensors)
      return tensors.takeError();
    return paced ? runPaced(*session, *tensors) : runTimed(*session, *tensors);
  }

private:
  llvm::Expected<Stream> makeStream(const Session &session, std::vector<HostTensor> &tensors) {
    Stream stream;
    auto context = session.createContext();
    if (!context)
      return context.takeError();
    stream.context = std::move(*context);
    stream.call.inputs = viewsOf(tensors);
    if (llvm::Error error = stream.call.shareMemory(session, stream.context.get()))
      return error;
    return stream;
  }

  llvm::Error runPaced(const Session &session, std::vector<HostTensor> &tensors) {
    auto sizes = readSizes(session, options.dims);
    if (!sizes)
      return sizes.takeError();
    auto other = readInputs(session, alternative.empty() ? options.inputs : alternative, *sizes,
                            "--input-alt");
    if (!other)
      return other.takeError();
    auto stream = makeStream(session, tensors);
    if (!stream)
      return stream.takeError();
    Call second;
    second.inputs = viewsOf(*other);
    if (llvm::Error error = second.shareMemory(session, stream->context.get()))
      return error;
    Call *const sets[] = {&stream->call, &second};
    // Both once: the first run of a shape plans the memory.
    for (Call *set : sets)
      for (int i = 0; i < std::max(1, warmup); ++i)
        if (auto time = stream->runOnce(*set); !time)
          return time.takeError();
    llvm::outs() << "ready\n";
    llvm::outs().flush();
    std::string line;
    while (std::getline(std::cin, line)) {
      llvm::StringRef which = llvm::StringRef(line).trim();
      if (which != "0" && which != "1")
        return usageError("bench --paced: expected a line 0 or 1, got '{0}'", printable(which));
      auto time = stream->runOnce(*sets[which == "1"]);
      if (!time)
        return time.takeError();
      llvm::outs() << *time << '\n';
      llvm::outs().flush();
    }
    return llvm::Error::success();
  }

  llvm::Error runTimed(const Session &session, std::vector<HostTensor> &tensors) {
    std::vector<Stream> all;
    for (int i = 0; i < streams; ++i) {
      auto stream = makeStream(session, tensors);
      if (!stream)
        return stream.takeError();
      for (int run = 0; run < warmup; ++run)
        if (auto time = stream->runOnce(); !time)
          return time.takeError();
      all.push_back(std::move(*stream));
    }
    std::vector<std::string> failures(all.size());
    int64_t begin = nowNs(), end = begin + static_cast<int64_t>(seconds * 1e9);
    auto work = [&](size_t index) {
      Stream &stream = all[index];
      do {
        auto time = stream.runOnce();
        if (!time) {
          failures[index] = llvm::toString(time.takeError());
          return;
        }
        stream.times.push_back(*time);
      } while (nowNs() < end);
    };
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < all.size(); ++i)
      helpers.emplace_back(work, i);
    work(0);
    for (std::thread &helper : helpers)
      helper.join();
    double elapsed = static_cast<double>(nowNs() - begin) * 1e-9;
    for (const std::string &failure : failures)
      if (!failure.empty())
        return makeDiagnostic(ExitCode::SignatureMismatch, failure);

    std::vector<int64_t> times;
    int64_t contextBytes = 0;
    for (Stream &stream : all) {
      times.insert(times.end(), stream.times.begin(), stream.times.end());
      contextBytes += dynac_context_total_bytes(stream.context.get());
    }
    llvm::sort(times);
    print(session, times, elapsed, contextBytes, dynac_context_arena_bytes(all[0].context.get()));
    return llvm::Error::success();
  }

  void print(const Session &session, llvm::ArrayRef<int64_t> times, double elapsed,
             int64_t contextBytes, int64_t arenaBytes) {
    auto ms = [&](double share) {
      // Nearest rank: the smallest time that at least this share of the runs does not exceed.
      auto rank = static_cast<size_t>(share * static_cast<double>(times.size()) + 0.999999);
      return static_cast<double>(times[std::min(times.size(), std::max<size_t>(rank, 1)) - 1]) *
             1e-6;
    };
    double perSecond = static_cast<double>(times.size()) / elapsed;
    uint64_t peak = memoryFigure("VmHWM"), growth = peak - std::min(peak, memoryBefore);
    if (json) {
      printJson([&](llvm::json::OStream &os) {
        os.attribute("target", dynac_model_target(session.model()));
        os.attribute("threads", dynac_model_threads(session.model()));
        os.attribute("streams", streams);
        os.attribute("runs", static_cast<int64_t>(times.size()));
        os.attribute("min_ms", ms(0));
        os.attribute("p50_ms", ms(0.5));
        os.attribute("p90_ms", ms(0.9));
        os.attribute("p99_ms", ms(0.99));
        os.attribute("max_ms", ms(1));
        os.attribute("runs_per_second", perSecond);
        os.attribute("arena_bytes", arenaBytes);
        os.attribute("context_bytes", contextBytes);
        os.attribute("peak_rss_bytes", peak);
        os.attribute("peak_growth_bytes", growth);
      });
      return;
    }
    // Microseconds for what is over in less than one tenth of a millisecond.
    double unit = ms(0) < 0.1 ? 1e3 : 1;
    llvm::outs() << "target      " << dynac_model_target(session.model()) << ", "
                 << dynac_model_threads(session.model()) << " threads, " << streams << " streams, "
                 << times.size() << " runs\n"
                 << llvm::format("latency     min %.3f  p50 %.3f  p90 %.3f  p99 %.3f  max %.3f ",
                                 ms(0) * unit, ms(0.5) * unit, ms(0.9) * unit, ms(0.99) * unit,
                                 ms(1) * unit)
                 << (unit > 1 ? "us\n" : "ms\n")
                 << llvm::format("throughput  %.1f runs/s\n", perSecond)
                 << llvm::format("memory      arena %.2f MB, contexts %.2f MB, peak %.2f MB, of it "
                                 "%.2f MB since the start\n",
                                 static_cast<double>(arenaBytes) / 1e6,
                                 static_cast<double>(contextBytes) / 1e6,
                                 static_cast<double>(peak) / 1e6,
                                 static_cast<double>(growth) / 1e6);
  }

  RunOptions options;
  std::vector<std::string> alternative;
  double seconds = 3;
  uint64_t memoryBefore = 0;
  int warmup = 3, streams = 1;
  bool paced = false, json = false;
};

} // namespace

std::unique_ptr<Command> makeBenchCommand(CLI::App &parent) {
  return std::make_unique<BenchCommand>(parent);
}

} // namespace dynac::tool
