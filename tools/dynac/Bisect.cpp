//===- Bisect.cpp - where an artifact first goes wrong --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bisect.h"

#include "dynac/Driver/Pipeline.h"
#include "dynac/Driver/Probe.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/ScratchFile.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

namespace dynac::tool {

namespace {

/// Ends a compilation where the program is known.
struct HashOnly : Progress {
  uint64_t hash = 0;
  bool fused(uint64_t value) override {
    hash = value;
    return false;
  }
};

/// The shapes that the artifact was compiled for, and `withRanges` the ranges of what is open.
void takeSignature(const Session &artifact, CompileOptions &options, bool withRanges) {
  for (const dynac_value_desc_t &input : artifact.inputs()) {
    ShapeOption shape{input.name, {}};
    for (int32_t axis = 0; axis < input.rank; ++axis)
      shape.extents.push_back(input.extents[axis] >= 0 ? std::optional<int64_t>(input.extents[axis])
                                                       : std::nullopt);
    if (input.rank > 0)
      options.shapes.push_back(std::move(shape));
  }
  for (const dynac_symbol_desc_t &symbol : artifact.symbols())
    if (withRanges && !symbol.data_dependent) {
      DimOption dim;
      dim.name = symbol.name;
      dim.min = symbol.min;
      dim.max = symbol.max;
      dim.multipleOf = symbol.multiple_of;
      options.dims.push_back(std::move(dim));
    }
}

/// The options that make the artifact's program of the model. Nothing: there are none.
std::optional<CompileOptions> optionsOf(const CompileOptions &base, const Session &artifact) {
  for (bool withRanges : {false, true})
    for (unsigned level : {2u, 0u})
      for (Precision precision : {Precision::F32, Precision::Bf16})
        for (Accuracy accuracy : {Accuracy::Default, Accuracy::Strict}) {
          if (level == 0 && (precision != Precision::F32 || accuracy != Accuracy::Default))
            continue;
          CompileOptions options = base;
          takeSignature(artifact, options, withRanges);
          options.optLevel = level;
          options.precision = precision;
          options.accuracy = accuracy;
          HashOnly progress;
          auto report = compileModel(options, progress);
          llvm::consumeError(report.takeError());
          if (progress.hash == artifact.artifact().ir_hash)
            return options;
        }
  return std::nullopt;
}

/// What one execution of a step wrote, buffer after buffer.
struct StepResult {
  int32_t step;
  std::vector<std::vector<char>> buffers;
};

dynac_value_t flatTensor(int32_t dtype, void *data, const int64_t *count) {
  dynac_value_t value = {};
  value.kind = DYNAC_VALUE_TENSOR;
  value.as.tensor.data = data;
  value.as.tensor.dtype = dtype;
  value.as.tensor.rank = 1;
  value.as.tensor.shape = count;
  return value;
}

/// Collects what steps write, and on a second run of an equal program compares.
struct StepComparison {
  const Session &session;
  const VerifyOptions &options;
  std::vector<StepResult> wanted; ///< filled while `isFirst`
  bool isFirst = true;
  size_t next = 0;
  std::optional<std::pair<int32_t, OutputVerdict>> found;

  StepComparison(const Session &session, const VerifyOptions &options)
      : session(session), options(options) {}

  static void record(void *user, const dynac_step_event_t *event) {
    auto &self = *static_cast<StepComparison *>(user);
    const dynac_step_work_t *work = self.session.work(event->step);
    if (!work || work->first_result < 0 || self.found)
      return;
    if (self.isFirst)
      self.wanted.push_back({event->step, {}});
    else if (self.next >= self.wanted.size() || self.wanted[self.next].step != event->step)
      return; // loops that ran another number of times: their first difference lies before
    for (int32_t i = 0; i < work->result_count; ++i)
      self.look(event, work->first_result + i, static_cast<size_t>(i));
    self.next += !self.isFirst;
  }

  void look(const dynac_step_event_t *event, int32_t place, size_t number) {
    const dynac_artifact_t &artifact = session.artifact();
    auto *bytes = static_cast<char *>(event->buffers[place]);
    const int64_t size = event->buffer_bytes[place];
    if (isFirst) {
      wanted.back().buffers.emplace_back(bytes, bytes + size);
      return;
    }
    std::vector<char> &want = wanted[next].buffers[number];
    if (found || static_cast<int64_t>(want.size()) != size)
      return;
    const int32_t dtype = artifact.buffers[artifact.steps[event->step].buffers[place]].dtype;
    const int64_t count = size * 8 / std::max(dynac_dtype_bits(dtype), 1);
    OutputVerdict verdict = judge(flatTensor(dtype, bytes, &count),
                                  flatTensor(dtype, want.data(), &count), options, Precision::F32);
    if (verdict.difference)
      found = {event->step, std::move(verdict)};
  }

  llvm::Error run(const Session &other, std::vector<HostTensor> &inputs) {
    auto done = runOn(other, inputs, record, this);
    isFirst = false;
    return done ? llvm::Error::success() : done.takeError();
  }
};

/// The search over the nodes.
class NodeSearch {
public:
  NodeSearch(const CompileOptions &generic, std::vector<ModelNode> nodes,
             std::vector<HostTensor> &inputs, const VerifyOptions &options)
      : generic(generic), nodes(std::move(nodes)), inputs(inputs), options(options) {}

  /// Runs the reference with the results of all nodes as outputs.
  llvm::Error prepare() {
    std::vector<size_t> all;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].results)
        all.push_back(i);
    auto finished = runCut(generic, all);
    if (!finished)
      return finished.takeError();
    wanted.emplace(std::move(*finished));
    for (size_t i = 0; i < all.size(); ++i)
      placeOf[all[i]] = i;
    return llvm::Error::success();
  }

  /// The first node that differs when the model is compiled with `optimised`; nothing: none does.
  llvm::Expected<std::optional<FirstDifference>> run(const CompileOptions &optimised) {
    // What lies at or before `good` is right; the node `bad` differs. The end of the model is a
    // node after the last.
    std::optional<size_t> bad;
    long good = -1;
    OutputVerdict verdict;
    while (true) {
      std::vector<size_t> open = ancestors(bad, good);
      if (open.empty())
        break;
      const size_t middle = open[open.size() / 2];
      std::vector<size_t> cut;
      for (size_t node : open)
        if (node <= middle && isReadBeyond(node, middle, bad, open))
          cut.push_back(node);
      auto finished = runCut(optimised, cut);
      if (!finished)
        return finished.takeError();
      bool isRight = true;
      for (size_t i = 0; i < cut.size() && isRight; ++i) {
        OutputVerdict here =
            judge(finished->run.outputs[i], wantedOf(cut[i]), options, generic.precision);
        if (!here.difference)
          continue;
        isRight = false;
        bad = cut[i];
        verdict = std::move(here);
      }
      if (isRight)
        good = static_cast<long>(middle);
    }
    if (!bad)
      return std::nullopt;
    FirstDifference result;
    result.where = nodes[*bad].description;
    result.inputs = inputsOf(*bad);
    result.difference = *verdict.difference;
    result.largestError = verdict.largestError;
    return result;
  }

  /// Types of what a node reads.
  std::vector<std::string> inputsOf(size_t node) const {
    std::vector<std::string> result;
    for (const NodeOperand &operand : nodes[node].operands)
      result.push_back(typeText(operand));
    return result;
  }
  /// The number of the first node that a region's name begins with.
  std::optional<size_t> find(llvm::StringRef region) const {
    std::optional<size_t> found;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (region == nodes[i].name || region.starts_with(nodes[i].name + ", "))
        if (!found || nodes[i].name.size() > nodes[*found].name.size())
          found = i;
    return found;
  }

private:
  /// A run of the model with the results of some nodes as outputs, and what it needs to live.
  struct Cut {
    std::unique_ptr<Session> session;
    Finished run;
  };

  llvm::Expected<Cut> runCut(CompileOptions compile, std::vector<size_t> probes) {
    ScratchFile scratch;
    if (llvm::Error error = scratch.create("so"))
      return std::move(error);
    compile.output = scratch.path();
    compile.probes = std::move(probes);
    Progress silent;
    if (auto report = compileModel(compile, silent); !report)
      return report.takeError();
    auto session = Session::load(compile.output, options.threads, options.isa);
    if (!session)
      return session.takeError();
    auto kept = std::make_unique<Session>(std::move(*session));
    auto run = runOn(*kept, inputs);
    if (!run)
      return run.takeError();
    return Cut{std::move(kept), std::move(*run)};
  }

  const dynac_value_t &wantedOf(size_t node) const { return wanted->run.outputs[placeOf.at(node)]; }

  /// The nodes that `bad` depends on (nothing: all) and that are not known to be right, rising.
  std::vector<size_t> ancestors(std::optional<size_t> bad, long good) const {
    std::set<size_t> found;
    std::vector<size_t> open;
    if (bad)
      open = {*bad};
    else
      for (size_t i = 0; i < nodes.size(); ++i)
        found.insert(i);
    while (!open.empty()) {
      const size_t node = open.back();
      open.pop_back();
      for (const NodeOperand &operand : nodes[node].operands)
        if (operand.node && found.insert(*operand.node).second)
          open.push_back(*operand.node);
    }
    std::vector<size_t> result;
    for (size_t node : found)
      if (static_cast<long>(node) > good && nodes[node].results)
        result.push_back(node);
    return result;
  }

  /// Whether a node after `middle` that matters reads `node`; the model's end reads what no node
  /// does.
  bool isReadBeyond(size_t node, size_t middle, std::optional<size_t> bad,
                    llvm::ArrayRef<size_t> open) const {
    bool isRead = false;
    auto reads = [&](size_t reader) {
      return llvm::any_of(nodes[reader].operands,
                          [&](const NodeOperand &operand) { return operand.node == node; });
    };
    for (size_t reader : open) {
      if (!reads(reader))
        continue;
      isRead = true;
      if (reader > middle)
        return true;
    }
    return bad ? reads(*bad) : !isRead;
  }

  std::string typeText(const NodeOperand &operand) const {
    if (operand.node) {
      auto place = placeOf.find(*operand.node);
      if (place == placeOf.end())
        return "?";
      ValueType type = typeOf(wanted->run.outputs[place->second]);
      return describeType(type.dtype, type.shape);
    }
    if (!operand.type.empty())
      return operand.type;
    for (auto [desc, tensor] : llvm::zip(wanted->session->inputs(), inputs))
      if (operand.name == desc.name)
        return describeType(tensor.dtype(), tensor.shape());
    return "?";
  }

  const CompileOptions &generic;
  std::vector<ModelNode> nodes;
  std::vector<HostTensor> &inputs;
  const VerifyOptions &options;
  std::optional<Cut> wanted;
  std::map<size_t, size_t> placeOf; ///< of a node's result among the outputs of `wanted`
};

} // namespace

std::string FirstDifference::line() const {
  std::string text = kind == Kind::Node
                         ? "first difference: " + where
                         : "the artifact is not what this compiler makes of the model: first "
                           "difference in the region of " +
                               where;
  if (!inputs.empty())
    text += " on " + llvm::join(inputs, ", ");
  return text + ": " + difference;
}

llvm::Expected<FirstDifference> bisect(const CompileOptions &reference, const Session &artifact,
                                       std::vector<HostTensor> &inputs,
                                       const VerifyOptions &options) {
  auto nodes = listNodes(reference.model);
  if (!nodes)
    return nodes.takeError();
  CompileOptions base = reference;
  base.shapes.clear();
  base.dims.clear();
  std::optional<CompileOptions> optimised = optionsOf(base, artifact);
  if (!optimised)
    return makeDiagnostic(ExitCode::ResultsDiffer,
                          "the first difference cannot be found: this compiler makes another "
                          "program of '" +
                              printable(reference.model) +
                              "' than the artifact holds (another model, version or options)");
  NodeSearch search(reference, std::move(*nodes), inputs, options);
  if (llvm::Error error = search.prepare())
    return std::move(error);

  ScratchFile scratch;
  if (llvm::Error error = scratch.create("so"))
    return std::move(error);
  optimised->output = scratch.path();
  Progress silent;
  if (auto report = compileModel(*optimised, silent); !report)
    return report.takeError();
  auto fresh = Session::load(optimised->output, options.threads, options.isa);
  if (!fresh)
    return fresh.takeError();
  StepComparison steps(artifact, options);
  if (llvm::Error error = steps.run(*fresh, inputs))
    return std::move(error);
  if (llvm::Error error = steps.run(artifact, inputs))
    return std::move(error);
  if (steps.found) {
    auto &[step, verdict] = *steps.found;
    FirstDifference result;
    result.kind = FirstDifference::Kind::Region;
    result.where = artifact.artifact().steps[step].name;
    if (std::optional<size_t> node = search.find(result.where))
      result.inputs = search.inputsOf(*node);
    result.where = "'" + printable(result.where, 200) + "'";
    result.difference = *verdict.difference;
    result.largestError = verdict.largestError;
    return result;
  }
  auto node = search.run(*optimised);
  if (!node)
    return node.takeError();
  if (!*node)
    return makeDiagnostic(ExitCode::ResultsDiffer,
                          "no node differs where its result is an output: the difference comes of "
                          "how nodes are fused, or adds up");
  return std::move(**node);
}

} // namespace dynac::tool
