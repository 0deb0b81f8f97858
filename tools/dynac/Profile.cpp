//===- Profile.cpp - where an artifact's time goes ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include <algorithm>

namespace dynac::tool {

namespace {

/// What a step did in one run.
struct RunFigures {
  int64_t time = 0, calls = 0, pieces = 1, flops = 0, bytes = 0, weightBytes = 0;
  bool isKnown = true; ///< the artifact says what the step computes
};

/// What the runtime's callback fills.
struct Recorder {
  const Session &session;
  std::vector<RunFigures> run;
  std::vector<ProfileEvent> events;
  std::map<int32_t, int64_t> bufferBytes;

  explicit Recorder(const Session &session) : session(session) {}

  void startRun() {
    run.assign(static_cast<size_t>(session.artifact().step_count), {});
    events.clear();
  }

  static void record(void *user, const dynac_step_event_t *event) {
    auto &self = *static_cast<Recorder *>(user);
    const dynac_step_t &step = self.session.artifact().steps[event->step];
    RunFigures &figures = self.run[static_cast<size_t>(event->step)];
    figures.time += event->end_ns - event->begin_ns;
    ++figures.calls;
    figures.pieces = event->pieces;
    int64_t all = 0;
    for (int32_t i = 0; i < step.buffer_count; ++i) {
      self.bufferBytes[step.buffers[i]] = event->buffer_bytes[i];
      all += event->buffer_bytes[i];
    }
    figures.isKnown &= event->flops >= 0;
    figures.flops += std::max<int64_t>(event->flops, 0);
    const int64_t weights = std::max<int64_t>(event->weight_bytes, 0);
    figures.weightBytes += weights;
    figures.bytes += event->bytes >= 0 ? event->bytes + weights : all;
    self.events.push_back({event->step, event->begin_ns, event->end_ns});
  }
};

/// Kernels by name; other steps by what they do.
std::pair<llvm::StringRef, llvm::StringRef> kernelAndKind(const dynac_artifact_t &artifact,
                                                          const dynac_step_t &step) {
  switch (step.kind) {
  case DYNAC_STEP_KERNEL:
    return {artifact.kernels[step.index].name, artifact.kernels[step.index].kind};
  case DYNAC_STEP_HOST:
    return {artifact.host_kernels[step.index], "host"};
  case DYNAC_STEP_COPY:
    return {"copy", "copy"};
  default:
    return {"control", "control"};
  }
}

std::string factorName(int32_t dtype) {
  switch (dtype) {
  case DYNAC_BF16:
    return "bf16";
  case DYNAC_I8:
  case DYNAC_U8:
    return "i8";
  case DYNAC_F64:
    return "f64";
  default:
    return "f32";
  }
}

int32_t cpuLevelOf(const Session &session) {
  const dynac_artifact_t &artifact = session.artifact();
  for (int32_t i = 0; i < artifact.target_count; ++i)
    if (llvm::StringRef(artifact.targets[i].name) == dynac_model_target(session.model()))
      return artifact.targets[i].cpu_level;
  return DYNAC_CPU_V2;
}

Roofline measure(const Session &session, llvm::ArrayRef<ProfileStep> steps) {
  const int32_t level = cpuLevelOf(session), threads = dynac_model_threads(session.model());
  const int bits = level >= DYNAC_CPU_V4 ? 512 : level >= DYNAC_CPU_V3 ? 256 : 128;
  const bool hasDots = level >= DYNAC_CPU_V4_BF16_VNNI;
  const bool hasTiles = level >= DYNAC_CPU_AMX;
  Roofline result;
  const double f32 = result.flops["f32"] = measurePeak(PeakKind::F32, bits, threads);
  for (const ProfileStep &step : steps) {
    if (result.flops.count(step.factor))
      continue;
    if (step.factor == "f64")
      result.flops["f64"] = f32 / 2;
    else if (step.factor == "bf16") // without the instruction its products are those of f32
      result.flops["bf16"] =
          hasDots ? measurePeak(hasTiles ? PeakKind::Bf16Tiles : PeakKind::Bf16, bits, threads)
                  : f32;
    else if (step.factor == "i8")
      result.flops["i8"] = measurePeak(hasTiles  ? PeakKind::ByteTiles
                                       : hasDots ? PeakKind::Bytes
                                                 : PeakKind::ShortPairs,
                                       bits, threads);
  }
  result.bandwidth = measureBandwidth(bits, threads);
  return result;
}

/// The block that a step stands in.
int32_t blockOf(const dynac_artifact_t &artifact, int32_t step) {
  for (int32_t i = 0; i < artifact.block_count; ++i)
    if (step >= artifact.blocks[i].begin && step < artifact.blocks[i].end)
      return i;
  return 0;
}

/// Values come from the level of memory that holds what the step touches; weights from the one that
/// holds all weights of the steps that run before they are read again.
void setFloors(const dynac_artifact_t &artifact, Profile &profile) {
  std::map<int32_t, double> weightsOfBlock;
  double allWeights = 0;
  for (const ProfileStep &step : profile.steps) {
    const double once = step.weightBytes / static_cast<double>(step.calls);
    weightsOfBlock[blockOf(artifact, step.step)] += once;
    allWeights += once;
  }
  const Roofline &roofline = profile.roofline;
  for (ProfileStep &step : profile.steps) {
    if (step.isControl || step.bytes <= 0)
      continue;
    const int32_t block = blockOf(artifact, step.step);
    const double values = step.bytes - step.weightBytes;
    const double set = block == 0 ? allWeights : weightsOfBlock[block];
    const double valueSpeed = roofline.bandwidth.at(step.bytes / static_cast<double>(step.calls)),
                 weightSpeed = roofline.bandwidth.at(set);
    if (valueSpeed > 0 && weightSpeed > 0)
      step.memoryFloor = values / valueSpeed + step.weightBytes / weightSpeed;
    auto peak = roofline.flops.find(step.factor);
    if (step.flops && peak != roofline.flops.end())
      step.computeFloor = *step.flops / peak->second;
  }
}

int32_t rootOf(const dynac_artifact_t &artifact, int32_t buffer) {
  while (artifact.buffers[buffer].kind == DYNAC_BUFFER_ALIAS)
    buffer = artifact.buffers[buffer].index;
  return buffer;
}

/// Who reads what whom wrote. Blocks lie after the steps that run them, so a value's writer is the
/// last one before the reader, or else the first one after it.
std::vector<ProfileEdge> edgesOf(const Session &session, const Recorder &recorder,
                                 llvm::ArrayRef<ProfileStep> steps) {
  const dynac_artifact_t &artifact = session.artifact();
  std::map<int32_t, std::vector<int32_t>> writers;
  auto writes = [&](const ProfileStep &step, int32_t place) {
    const dynac_step_work_t *work = session.work(step.step);
    return work && work->first_result >= 0 && place >= work->first_result;
  };
  for (const ProfileStep &step : steps)
    for (int32_t i = 0; i < artifact.steps[step.step].buffer_count; ++i)
      if (writes(step, i))
        writers[rootOf(artifact, artifact.steps[step.step].buffers[i])].push_back(step.step);

  std::vector<ProfileEdge> edges;
  auto add = [&](int32_t from, int32_t to, const char *name, int64_t bytes) {
    for (const ProfileEdge &edge : edges)
      if (edge.from == from && edge.to == to && edge.name == name)
        return;
    edges.push_back({from, to, name, bytes});
  };
  auto writerOf = [&](int32_t root, int32_t reader) {
    int32_t found = -1;
    for (int32_t writer : writers[root])
      if (writer < reader || (found < 0 && writer > reader))
        found = writer;
    return found;
  };
  auto bytesOf = [&](int32_t buffer) {
    auto it = recorder.bufferBytes.find(buffer);
    return it == recorder.bufferBytes.end() ? 0 : it->second;
  };
  for (const ProfileStep &step : steps)
    for (int32_t i = 0; i < artifact.steps[step.step].buffer_count; ++i) {
      const int32_t buffer = artifact.steps[step.step].buffers[i], root = rootOf(artifact, buffer);
      if (writes(step, i))
        continue;
      if (artifact.buffers[root].kind == DYNAC_BUFFER_INPUT)
        add(-1, step.step, artifact.inputs[artifact.buffers[root].index].name, bytesOf(buffer));
      else if (const int32_t writer = writerOf(root, step.step); writer >= 0)
        add(writer, step.step, "", bytesOf(buffer));
    }
  for (int32_t i = 0; i < artifact.output_count; ++i) {
    const int32_t root = rootOf(artifact, artifact.outputs[i].buffer);
    if (const int32_t writer = writerOf(root, artifact.step_count); writer >= 0)
      add(writer, -1, artifact.outputs[i].name, bytesOf(root));
  }
  return edges;
}

} // namespace

llvm::Expected<Profile> profile(const Session &session, std::vector<HostTensor> &inputs,
                                int32_t runs) {
  auto context = session.createContext();
  if (!context)
    return context.takeError();
  std::vector<dynac_value_t> in, out(session.outputs().size());
  for (HostTensor &tensor : inputs)
    in.push_back(tensor.view());
  const dynac_artifact_t &artifact = session.artifact();
  Recorder recorder(session);
  std::vector<RunFigures> best(static_cast<size_t>(artifact.step_count));
  std::vector<int64_t> sums(best.size());
  for (int32_t i = 0; i < 2 * runs; ++i) {
    if (i == runs)
      dynac_context_set_step_callback(context->get(), Recorder::record, &recorder);
    recorder.startRun();
    for (dynac_value_t &value : out)
      value = dynac_value_t{};
    if (llvm::Error error = toError(
            dynac_context_run(context->get(), in.data(), in.size(), out.data(), out.size())))
      return std::move(error);
    for (size_t step = 0; step < best.size(); ++step) {
      const RunFigures &figures = recorder.run[step];
      sums[step] += figures.time;
      if (figures.calls && (!best[step].calls || figures.time < best[step].time))
        best[step] = figures;
    }
  }

  Profile result;
  result.model = artifact.name;
  result.target = dynac_model_target(session.model());
  result.compiler = artifact.compiler;
  result.threads = dynac_model_threads(session.model());
  result.runs = runs;
  result.trace = recorder.events;
  for (int32_t i = 0; i < artifact.step_count; ++i) {
    const RunFigures &figures = best[static_cast<size_t>(i)];
    const dynac_step_t &step = artifact.steps[i];
    if (!figures.calls)
      continue;
    ProfileStep row;
    row.step = i;
    auto [kernel, kind] = kernelAndKind(artifact, step);
    row.kernel = kernel.str();
    row.kind = kind.str();
    row.nodes = llvm::json::fixUTF8(step.name);
    row.mean = static_cast<double>(sums[static_cast<size_t>(i)]) * 1e-9 / runs;
    row.fastest = static_cast<double>(figures.time) * 1e-9;
    row.calls = figures.calls;
    row.pieces = figures.pieces;
    if (figures.isKnown)
      row.flops = static_cast<double>(figures.flops);
    row.bytes = static_cast<double>(figures.bytes);
    row.weightBytes = static_cast<double>(figures.weightBytes);
    row.factor = factorName(session.work(i) ? session.work(i)->factor : DYNAC_DTYPE_INVALID);
    row.isControl = step.kind == DYNAC_STEP_IF || step.kind == DYNAC_STEP_WHILE;
    result.steps.push_back(std::move(row));
  }
  result.roofline = measure(session, result.steps);
  setFloors(artifact, result);
  result.edges = edgesOf(session, recorder, result.steps);
  return result;
}

double Profile::sum(double ProfileStep::*figure) const {
  double result = 0;
  for (const ProfileStep &step : steps)
    if (!step.isControl)
      result += step.*figure;
  return result;
}

std::optional<double> Profile::roofShare() const {
  double floors = 0;
  for (const ProfileStep &step : steps)
    floors += step.floor().value_or(0);
  const double time = sum(&ProfileStep::fastest);
  return floors > 0 && time > 0 ? std::optional<double>(floors / time) : std::nullopt;
}

void Profile::json(llvm::json::OStream &os) const {
  os.attribute("model", llvm::json::fixUTF8(model));
  os.attribute("compiler", compiler);
  os.attribute("target", target);
  os.attribute("threads", threads);
  os.attribute("runs", runs);
  os.attribute("us", sum(&ProfileStep::mean) * 1e6);
  os.attribute("min_us", sum(&ProfileStep::fastest) * 1e6);
  if (auto share = roofShare())
    os.attribute("roof_share", *share);
  os.attributeObject("peak_gflops", [&] {
    for (const auto &[factor, peak] : roofline.flops)
      os.attribute(factor, peak * 1e-9);
  });
  os.attributeArray("bandwidth", [&] {
    for (const Bandwidth::Point &point : roofline.bandwidth.points)
      os.object([&] {
        os.attribute("bytes", point.bytes);
        os.attribute("gbs", point.bytesPerSecond * 1e-9);
      });
  });
  os.attributeArray("steps", [&] {
    for (const ProfileStep &step : steps)
      os.object([&] {
        os.attribute("step", step.step);
        os.attribute("kernel", step.kernel);
        os.attribute("kind", step.kind);
        os.attribute("name", step.nodes);
        os.attribute("us", step.mean * 1e6);
        os.attribute("min_us", step.fastest * 1e6);
        os.attribute("calls", step.calls);
        os.attribute("pieces", step.pieces);
        os.attribute("bytes", step.bytes);
        os.attribute("weight_bytes", step.weightBytes);
        os.attribute("factor", step.factor);
        if (step.isControl) {
          os.attribute("runs_others", true);
          return;
        }
        if (step.flops)
          os.attribute("flops", *step.flops);
        if (step.flops && step.fastest > 0)
          os.attribute("gflops", *step.flops / step.fastest * 1e-9);
        if (step.fastest > 0)
          os.attribute("gbs", step.bytes / step.fastest * 1e-9);
        if (auto share = step.roofShare()) {
          os.attribute("roof_share", *share);
          os.attribute("bound",
                       step.computeFloor.value_or(0) >= *step.memoryFloor ? "compute" : "memory");
        }
      });
  });
  os.attributeArray("edges", [&] {
    for (const ProfileEdge &edge : edges)
      os.object([&] {
        if (edge.from >= 0)
          os.attribute("from", edge.from);
        else
          os.attribute("input", llvm::json::fixUTF8(edge.name));
        if (edge.to >= 0)
          os.attribute("to", edge.to);
        else
          os.attribute("output", llvm::json::fixUTF8(edge.name));
        os.attribute("bytes", edge.bytes);
      });
  });
}

std::string profileTrace(const Profile &profile) {
  std::map<int32_t, const ProfileStep *> byNumber;
  for (const ProfileStep &step : profile.steps)
    byNumber[step.step] = &step;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream os(stream);
  int64_t start = INT64_MAX;
  for (const ProfileEvent &event : profile.trace)
    start = std::min(start, event.begin);
  os.object([&] {
    os.attributeArray("traceEvents", [&] {
      for (const ProfileEvent &event : profile.trace)
        os.object([&] {
          const ProfileStep &step = *byNumber.at(event.step);
          os.attribute("name", step.nodes);
          os.attribute("cat", step.kind);
          os.attribute("ph", "X");
          os.attribute("ts", static_cast<double>(event.begin - start) / 1e3);
          os.attribute("dur", static_cast<double>(event.end - event.begin) / 1e3);
          os.attribute("pid", 1);
          os.attribute("tid", 1);
          os.attributeObject("args", [&] {
            os.attribute("step", event.step);
            os.attribute("kernel", step.kernel);
          });
        });
    });
  });
  stream.flush();
  return text;
}

} // namespace dynac::tool
