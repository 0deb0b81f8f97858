//===- Session.h - a loaded artifact, over the runtime's C API --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_SESSION_H
#define DYNAC_TOOLS_DYNAC_SESSION_H

#include "dynac/Runtime/dynac.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace dynac::tool {

/// Consumes a status: its code is the exit code, its message the line.
llvm::Error toError(dynac_status_t *status);

struct FreeModel {
  void operator()(dynac_model_t *model) const { dynac_model_free(model); }
};
struct FreeContext {
  void operator()(dynac_context_t *context) const { dynac_context_free(context); }
};
using ModelHandle = std::unique_ptr<dynac_model_t, FreeModel>;
using ContextHandle = std::unique_ptr<dynac_context_t, FreeContext>;

/// A loaded artifact and its signature.
class Session {
public:
  /// `threads` 0: all that the process may use. `isa` "": the best that the CPU has.
  static llvm::Expected<Session> load(const std::string &path, int32_t threads = 0,
                                      const std::string &isa = "");

  dynac_model_t *model() const { return handle.get(); }
  const dynac_artifact_t &artifact() const { return *dynac_model_artifact(handle.get()); }
  /// What step `index` computes and moves; null in artifacts of the first ABI.
  const dynac_step_work_t *work(int32_t index) const {
    return artifact().abi >= 2 && artifact().work ? artifact().work + index : nullptr;
  }
  const std::vector<dynac_value_desc_t> &inputs() const { return inputDescs; }
  const std::vector<dynac_value_desc_t> &outputs() const { return outputDescs; }
  const std::vector<dynac_symbol_desc_t> &symbols() const { return symbolDescs; }

  llvm::Expected<ContextHandle> createContext() const;

private:
  ModelHandle handle;
  std::vector<dynac_value_desc_t> inputDescs, outputDescs;
  std::vector<dynac_symbol_desc_t> symbolDescs;
};

/// "f32[batchx3x224x224]".
std::string describe(const dynac_value_desc_t &value);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_SESSION_H
