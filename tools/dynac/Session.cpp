//===- Session.cpp - a loaded artifact, over the runtime's C API ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "dynac/Support/Diagnostic.h"

namespace dynac::tool {

llvm::Error toError(dynac_status_t *status) {
  if (!status)
    return llvm::Error::success();
  auto code = static_cast<ExitCode>(dynac_status_code(status));
  std::string message = dynac_status_message(status);
  dynac_status_free(status);
  return makeDiagnostic(code, message);
}

llvm::Expected<Session> Session::load(const std::string &path, int32_t threads,
                                      const std::string &isa) {
  dynac_load_options_t options = DYNAC_LOAD_OPTIONS_INIT;
  options.threads = threads;
  options.isa = isa.empty() ? nullptr : isa.c_str();
  dynac_model_t *model = nullptr;
  if (llvm::Error error = toError(dynac_model_load(path.c_str(), &options, &model)))
    return error;
  Session session;
  session.handle.reset(model);
  auto describeAll = [&](auto &out, size_t count, auto get) -> llvm::Error {
    out.resize(count);
    for (size_t i = 0; i < count; ++i)
      if (llvm::Error error = toError(get(model, i, &out[i])))
        return error;
    return llvm::Error::success();
  };
  if (llvm::Error error =
          describeAll(session.inputDescs, dynac_model_input_count(model), dynac_model_input))
    return error;
  if (llvm::Error error =
          describeAll(session.outputDescs, dynac_model_output_count(model), dynac_model_output))
    return error;
  if (llvm::Error error =
          describeAll(session.symbolDescs, dynac_model_symbol_count(model), dynac_model_symbol))
    return error;
  return session;
}

llvm::Expected<ContextHandle> Session::createContext() const {
  dynac_context_t *context = nullptr;
  if (llvm::Error error = toError(dynac_context_create(handle.get(), &context)))
    return error;
  return ContextHandle(context);
}

std::string describe(const dynac_value_desc_t &value) {
  std::string text = dynac_dtype_name(value.dtype);
  text += '[';
  for (int32_t i = 0; i < value.rank; ++i)
    text += std::string(i ? "x" : "") + value.dims[i];
  return text + "]";
}

} // namespace dynac::tool
