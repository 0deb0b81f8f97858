//===- Model.h - a loaded artifact, ready for any number of contexts --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_MODEL_H
#define DYNAC_LIB_RUNTIME_MODEL_H

#include "ArenaPlanner.h"
#include "Artifact.h"
#include "Dims.h"
#include "HostKernels.h"
#include "Memory.h"
#include "ThreadPool.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynac::rt {

/// What the host asked for at load; a copy, so that the caller's structs may go.
struct Services {
  Allocator allocator;
  void *user = nullptr;
  void (*parallelFor)(void *user, int64_t count, void (*body)(void *, int64_t),
                      void *arg) = nullptr;
  void (*logSink)(void *user, int32_t level, const char *message) = nullptr;
  std::shared_ptr<ThreadPool> pool; // nullptr: one thread, or the host's parallel_for

  void log(int32_t level, const std::string &message) const {
    if (logSink)
      logSink(user, level, message.c_str());
  }
  /// body(arg, i) for i in [0, count).
  void run(int64_t count, void (*body)(void *, int64_t), void *arg) const;
};

/// Immutable after `load`, so that contexts share it without a lock.
class Model {
public:
  /// Exactly one of `path` and `linked` is set.
  static Status load(const char *path, const dynac_artifact_t *linked,
                     const dynac_load_options_t *options, std::shared_ptr<const Model> &out);

  Artifact artifact;
  Services services;
  int32_t threads = 1;
  int32_t target = -1; // in the artifact's targets
  std::optional<DimProgram> dims;
  std::vector<dynac_kernel_fn> kernels; // bodies for the chosen target
  std::vector<HostKernelFn> hostKernels;
  std::vector<int32_t> roots;       // per buffer
  std::vector<int32_t> outputRoots; // per output: the root of its buffer
  std::vector<bool> ownOutput;      // per output: that root is the output's own buffer
  std::vector<int32_t> updaters;    // per input: the output that updates it in place, or -1
  std::vector<int32_t> growing;     // per output: its number in `growths`, or -1
  std::vector<Lifetime> lifetimes;  // per buffer, empty but for arena roots
  std::vector<bool> dynamicRoot; // per buffer: an arena or output root whose size only a run tells
  std::vector<bool> dynamicStep; // per step: has a buffer whose size only a run tells
  std::vector<std::vector<int32_t>>
      releasedAfter; // per step of block 0: dynamic roots unused later
  /// Per step: the large weight that it reads if others or it itself, in a loop, read that again;
  /// else -1. And into how many parts a call is cut that goes backwards (`Context::backwards`).
  std::vector<int32_t> rereads;
  int64_t rereadParts(int32_t weight, int64_t units) const;
  int64_t scratchBytes = 0; // the most that one kernel wants
  bool hasDynamicSizes = false;

  const dynac_artifact_t &tables() const { return artifact.tables(); }

  /// The dims of inputs and outputs as text and as numbers, for the C API.
  struct ValueText {
    std::vector<std::string> dims;
    std::vector<const char *> pointers;
    std::vector<int64_t> extents;
  };
  std::vector<ValueText> inputTexts, outputTexts;

private:
  Status applyOptions(const dynac_load_options_t *options, std::string &isa);
  Status chooseTarget(const std::string &isa);
  Status chooseKernels();
  Status prepare();
  void findRereads();
  ValueText describe(const dynac_value_info_t &value) const;
};

} // namespace dynac::rt

/// The C API's handle.
struct dynac_model {
  std::shared_ptr<const dynac::rt::Model> model;
};

#endif // DYNAC_LIB_RUNTIME_MODEL_H
