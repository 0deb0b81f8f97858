//===- Executor.h - runs the steps of a placed context ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_EXECUTOR_H
#define DYNAC_LIB_RUNTIME_EXECUTOR_H

#include "Context.h"

namespace dynac::rt {

/// One run over the steps, after `Context` has bound shapes and memory.
class Executor {
public:
  explicit Executor(Context &context);

  Status run();
  /// Memory for a buffer whose size only the run tells, at least as large as its current size and
  /// `atLeast`; a larger block keeps the contents. For other buffers a check of just that.
  Status ensure(int32_t buffer, int64_t atLeast = 0);

private:
  Status runBlock(int32_t block);
  Status runStep(int32_t index);
  Status gather(int32_t index);
  Status runKernel(int32_t index);
  Status copy(const dynac_step_t &step);
  Status bindDim(const dynac_step_t &step);
  Status runHost(const dynac_step_t &step);
  Status slotValue(const dynac_step_t &step, int32_t slot, int64_t &value) const;
  Status bufferBytes(int32_t buffer, int64_t &bytes) const;
  Status condition(const dynac_step_t &step, bool &value) const;
  Status runIf(const dynac_step_t &step);
  Status runWhile(int32_t index);
  void report(int32_t index, int64_t beginNs);

  Context &c;
  const Model &model;
  const dynac_artifact_t &a;
  SlotValues &slots;
  // The operands of the step in hand; nested steps overwrite them, so control flow reads them
  // first.
  std::vector<void *> buffers;
  std::vector<int64_t> dims;
  int64_t extent = 0;
  int32_t pieces = 0;
};

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_EXECUTOR_H
