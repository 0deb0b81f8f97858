//===- InspectArtifact.cpp - what an artifact holds -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectArtifact.h"

#include "HostTensor.h"
#include "Session.h"
#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace dynac::tool {

namespace {

const char *stepKindName(int32_t kind) {
  switch (kind) {
  case DYNAC_STEP_KERNEL:
    return "kernel";
  case DYNAC_STEP_COPY:
    return "copy";
  case DYNAC_STEP_BIND_DIM:
    return "bind-dim";
  case DYNAC_STEP_IF:
    return "if";
  case DYNAC_STEP_WHILE:
    return "while";
  case DYNAC_STEP_HOST:
    return "host";
  case DYNAC_STEP_CHECK:
    return "check";
  }
  return "unknown";
}

const char *weightsKindName(uint32_t kind) {
  switch (kind) {
  case DYNAC_WEIGHTS_TRAILER:
    return "embedded";
  case DYNAC_WEIGHTS_POINTER:
    return "linked";
  case DYNAC_WEIGHTS_EXTERNAL:
    return "external";
  }
  return "unknown";
}

template <typename T> llvm::ArrayRef<T> rows(const T *table, int32_t count) {
  return {table, static_cast<size_t>(count)};
}

/// "x86-64-v3, x86-64-v4": the targets that have a body of their own.
std::string bodiesOf(const dynac_kernel_t &kernel, const dynac_artifact_t &artifact) {
  std::string text;
  for (int32_t i = 0; i < artifact.target_count; ++i)
    if (kernel.bodies[i])
      text += (text.empty() ? "" : ", ") + std::string(artifact.targets[i].name);
  return text;
}

std::string rangeOf(const dynac_symbol_desc_t &symbol) {
  std::string text = std::to_string(symbol.min) + "..";
  if (symbol.max != INT64_MAX)
    text += std::to_string(symbol.max);
  if (symbol.multiple_of > 1)
    text += " in multiples of " + std::to_string(symbol.multiple_of);
  return symbol.data_dependent ? text + ", known after a run" : text;
}

/// `axis` stays as it is for an output that does not grow.
void capacityOf(const Session &session, const dynac_value_desc_t &output, int32_t &axis,
                int64_t &capacity) {
  const size_t index = dynac_model_find_output(session.model(), output.name);
  dynac_status_free(dynac_model_output_capacity(session.model(), index, &axis, &capacity));
}

/// ", room for 1024 along axis 2", of an output that grows.
std::string roomOf(const Session &session, const dynac_value_desc_t &output) {
  int32_t axis = -1;
  int64_t capacity = 0;
  capacityOf(session, output, axis, capacity);
  return axis < 0
             ? ""
             : ", room for " + std::to_string(capacity) + " along axis " + std::to_string(axis);
}

void printText(const Session &session, const ArtifactDetail &detail) {
  llvm::raw_ostream &os = llvm::outs();
  const dynac_artifact_t &artifact = session.artifact();
  os << "model     " << printable(artifact.name) << "\n"
     << "compiler  " << artifact.compiler << ", artifact ABI " << artifact.abi << ", IR hash "
     << llvm::utohexstr(artifact.ir_hash, true) << "\n";
  auto values = [&](const char *title, const std::vector<dynac_value_desc_t> &descs) {
    for (const dynac_value_desc_t &desc : descs) {
      os << title << printable(desc.name) << ": " << describe(desc);
      if (desc.alias_input >= 0)
        os << " updates " << printable(session.inputs()[static_cast<size_t>(desc.alias_input)].name)
           << roomOf(session, desc);
      os << '\n';
    }
  };
  values("input     ", session.inputs());
  values("output    ", session.outputs());
  for (const dynac_symbol_desc_t &symbol : session.symbols())
    os << "size      " << symbol.name << ": " << rangeOf(symbol) << '\n';
  os << "targets   ";
  for (const dynac_target_t &target : rows(artifact.targets, artifact.target_count))
    os << target.name
       << (dynac_model_target(session.model()) == llvm::StringRef(target.name) ? " (used here) "
                                                                               : " ");
  std::map<std::string, int> kinds;
  for (const dynac_kernel_t &kernel : rows(artifact.kernels, artifact.kernel_count))
    ++kinds[kernel.kind];
  os << "\nkernels   " << artifact.kernel_count;
  for (const auto &[kind, count] : kinds)
    os << (kind == kinds.begin()->first ? ": " : ", ") << count << " " << kind;
  os << "\nplan      " << artifact.step_count << " steps, " << artifact.block_count << " blocks, "
     << artifact.buffer_count << " buffers\n"
     << "weights   " << artifact.weight_count << ", "
     << llvm::format("%.2f MB, ", static_cast<double>(artifact.weights_bytes) / 1e6)
     << weightsKindName(artifact.weights_kind);
  if (artifact.weights_kind == DYNAC_WEIGHTS_EXTERNAL)
    os << " in " << printable(artifact.weights_file);
  os << '\n';
  for (const char *name : rows(artifact.host_kernels, artifact.host_kernel_count))
    os << "needs     " << name << '\n';

  if (detail.kernels)
    for (auto [index, kernel] : llvm::enumerate(rows(artifact.kernels, artifact.kernel_count)))
      os << "kernel " << index << " " << kernel.name << " (" << kernel.kind
         << "): " << bodiesOf(kernel, artifact)
         << (kernel.scratch_bytes ? ", scratch " + std::to_string(kernel.scratch_bytes) + " bytes"
                                  : "")
         << '\n';
  if (detail.plan)
    for (auto [index, step] : llvm::enumerate(rows(artifact.steps, artifact.step_count))) {
      os << "step " << index << " " << stepKindName(step.kind) << " ";
      if (step.kind == DYNAC_STEP_KERNEL)
        os << artifact.kernels[step.index].name;
      else if (step.kind == DYNAC_STEP_HOST)
        os << artifact.host_kernels[step.index];
      os << " buffers";
      for (int32_t buffer : rows(step.buffers, step.buffer_count))
        os << ' ' << buffer;
      os << "  " << printable(step.name) << '\n';
    }
  if (detail.weights)
    for (auto [index, weight] : llvm::enumerate(rows(artifact.weights, artifact.weight_count)))
      os << "weight " << index << " " << printable(weight.name) << ": "
         << describeType(weight.dtype, {weight.shape, static_cast<size_t>(weight.rank)}) << ", "
         << weight.bytes << " bytes at " << weight.offset << '\n';
}

void printJson(const Session &session) {
  const dynac_artifact_t &artifact = session.artifact();
  llvm::json::OStream os(llvm::outs(), 2);
  auto text = [](const char *s) { return llvm::json::fixUTF8(s); };
  auto values = [&](const char *key, const std::vector<dynac_value_desc_t> &descs) {
    os.attributeArray(key, [&] {
      for (const dynac_value_desc_t &desc : descs)
        os.object([&] {
          os.attribute("name", text(desc.name));
          os.attribute("dtype", dynac_dtype_name(desc.dtype));
          os.attributeArray("shape", [&] {
            for (int32_t i = 0; i < desc.rank; ++i)
              os.value(desc.dims[i]);
          });
          if (desc.alias_input < 0)
            return;
          os.attribute("updates",
                       text(session.inputs()[static_cast<size_t>(desc.alias_input)].name));
          int32_t axis = -1;
          int64_t capacity = 0;
          capacityOf(session, desc, axis, capacity);
          if (axis >= 0) {
            os.attribute("grows_along", axis);
            os.attribute("capacity", capacity);
          }
        });
    });
  };
  os.object([&] {
    os.attribute("kind", "artifact");
    os.attribute("name", text(artifact.name));
    os.attribute("compiler", text(artifact.compiler));
    os.attribute("abi", static_cast<int64_t>(artifact.abi));
    os.attribute("ir_hash", llvm::utohexstr(artifact.ir_hash, true));
    values("inputs", session.inputs());
    values("outputs", session.outputs());
    os.attributeArray("symbols", [&] {
      for (const dynac_symbol_desc_t &symbol : session.symbols())
        os.object([&] {
          os.attribute("name", text(symbol.name));
          os.attribute("min", symbol.min);
          os.attribute("max", symbol.max);
          os.attribute("multiple_of", symbol.multiple_of);
          os.attribute("data_dependent", symbol.data_dependent != 0);
        });
    });
    os.attributeArray("targets", [&] {
      for (const dynac_target_t &target : rows(artifact.targets, artifact.target_count))
        os.value(target.name);
    });
    os.attribute("target", dynac_model_target(session.model()));
    os.attributeArray("kernels", [&] {
      for (const dynac_kernel_t &kernel : rows(artifact.kernels, artifact.kernel_count))
        os.object([&] {
          os.attribute("name", text(kernel.name));
          os.attribute("kind", text(kernel.kind));
          os.attribute("bodies", bodiesOf(kernel, artifact));
          os.attribute("scratch_bytes", kernel.scratch_bytes);
        });
    });
    os.attributeArray("steps", [&] {
      for (const dynac_step_t &step : rows(artifact.steps, artifact.step_count))
        os.object([&] {
          os.attribute("kind", stepKindName(step.kind));
          os.attribute("index", step.index);
          os.attribute("name", text(step.name));
          os.attributeArray("buffers", [&] {
            for (int32_t buffer : rows(step.buffers, step.buffer_count))
              os.value(buffer);
          });
        });
    });
    os.attribute("weights_kind", weightsKindName(artifact.weights_kind));
    os.attribute("weights_bytes", static_cast<int64_t>(artifact.weights_bytes));
    os.attributeArray("weights", [&] {
      for (const dynac_weight_t &weight : rows(artifact.weights, artifact.weight_count))
        os.object([&] {
          os.attribute("name", text(weight.name));
          os.attribute("dtype", dynac_dtype_name(weight.dtype));
          os.attributeArray("shape", [&] {
            for (int64_t extent : rows(weight.shape, weight.rank))
              os.value(extent);
          });
          os.attribute("offset", weight.offset);
          os.attribute("bytes", weight.bytes);
        });
    });
  });
  llvm::outs() << '\n';
}

} // namespace

llvm::Error inspectArtifact(const std::string &path, const ArtifactDetail &detail, bool json) {
  auto session = Session::load(path);
  if (!session)
    return session.takeError();
  if (json)
    printJson(*session);
  else
    printText(*session, detail);
  return llvm::Error::success();
}

} // namespace dynac::tool
