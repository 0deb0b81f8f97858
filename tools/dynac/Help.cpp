//===- Help.cpp - how --help looks ----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"

#include <regex>

namespace dynac::tool {

std::string Help::make_option_opts(const CLI::Option *option) const {
  // CLI11 writes "UINT:INT in [0 - 4096]=0", "FLOAT:NONNEGATIVE=0.001" and "TEXT:{cpu,cuda}=cpu".
  static const std::pair<std::regex, const char *> words[] = {
      {std::regex(R"(^ U?INT(:[^=]*)?)"), " N"},
      {std::regex(R"(^ FLOAT(:[^=]*)?)"), " X"},
      {std::regex(R"(^ TEXT:\{)"), " {"}};
  std::string text = CLI::Formatter::make_option_opts(option);
  for (const auto &[pattern, word] : words)
    text = std::regex_replace(text, pattern, word);
  return text;
}

std::string Help::make_option_desc(const CLI::Option *option) const {
  const size_t width = 100 - get_column_width();
  std::string text, line, word;
  std::istringstream words(option->get_description());
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line;
}

} // namespace dynac::tool
