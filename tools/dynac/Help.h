//===- Help.h - how --help looks --------------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_HELP_H
#define DYNAC_TOOLS_DYNAC_HELP_H

#include <CLI/CLI.hpp>

namespace dynac::tool {

/// Wraps descriptions at 100 columns and says what kind of value an option takes in a word: a
/// number N or X, or the choices. Ranges are left to the error messages.
class Help : public CLI::Formatter {
public:
  std::string make_option_opts(const CLI::Option *option) const override;
  std::string make_option_desc(const CLI::Option *option) const override;
};

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_HELP_H
