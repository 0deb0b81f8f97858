//===- RunOptions.cpp - options of every command that runs an artifact ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

namespace dynac::tool {

CLI::Option *addSpecs(CLI::App &app, const std::string &name, std::vector<std::string> &values,
                      const std::string &help) {
  // One value for each occurrence: the next word may be a positional.
  return app.add_option(name, values, help + " (repeatable)")
      ->type_name("SPEC")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void RunOptions::declare(CLI::App &app) {
  app.add_option("ARTIFACT", path, "A .so that dynac compiled")->required()->type_name("FILE");
  addSpecs(app, "-i,--input", inputs,
           "NAME=@FILE (.npy, .npz, .pb), @FILE.npz (all by name), NAME=1x3x224x224xf32 (random, "
           "always the same) or NAME=1x3xf32=0.5 (one value); inputs that are not given are "
           "random");
  addSpecs(app, "--dim", dims, "NAME=SIZE: a symbolic size of the random inputs");
  app.add_option("--threads", threads,
                 "Threads that work on one run; 0: all that the process may use")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  app.add_option("--isa", isa, "Use code of at most this CPU level, such as x86-64-v3")
      ->type_name("LEVEL");
}

} // namespace dynac::tool
