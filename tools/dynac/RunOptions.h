//===- RunOptions.h - options of every command that runs an artifact ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_RUNOPTIONS_H
#define DYNAC_TOOLS_DYNAC_RUNOPTIONS_H

#include "Inputs.h"

#include <CLI/CLI.hpp>

namespace dynac::tool {

/// The artifact, its inputs, and how it runs.
struct RunOptions {
  std::string path, isa;
  std::vector<std::string> inputs, dims;
  int32_t threads = 0;

  void declare(CLI::App &app);

  llvm::Expected<Session> load() const { return Session::load(path, threads, isa); }
  llvm::Expected<std::vector<HostTensor>> read(const Session &session) const {
    auto sizes = readSizes(session, dims);
    if (!sizes)
      return sizes.takeError();
    return readInputs(session, inputs, *sizes);
  }
};

/// A repeatable option whose values are kept as they are written.
CLI::Option *addSpecs(CLI::App &app, const std::string &name, std::vector<std::string> &values,
                      const std::string &help);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_RUNOPTIONS_H
