//===- OpsCommand.cpp - dynac ops -----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "dynac/Driver/SupportTable.h"
#include "llvm/Support/FormatVariadic.h"

namespace dynac::tool {

namespace {

class OpsCommand : public Command {
public:
  explicit OpsCommand(CLI::App &parent)
      : Command(parent, "ops", "Print the supported operators, from the compiler's own tables") {
    app->add_flag("--json", json, "Print as JSON");
  }

  llvm::Error run() override {
    std::vector<SupportedOperator> operators = supportedOperators();
    if (json) {
      printJson([&](llvm::json::OStream &os) {
        os.attributeArray("operators", [&] {
          for (const SupportedOperator &op : operators)
            os.object([&] {
              os.attribute("frontend", op.frontend);
              os.attribute("domain", op.domain);
              os.attribute("operator", op.name);
              os.attribute("since", op.since);
              if (op.until != INT64_MAX)
                os.attribute("until", op.until);
              os.attribute("limits", op.limits);
            });
        });
      });
      return llvm::Error::success();
    }
    size_t width = 8;
    for (const SupportedOperator &op : operators)
      width = std::max(width, op.domain.size() + 2 + op.name.size());
    for (const SupportedOperator &op : operators) {
      std::string opsets = std::to_string(op.since) + "..";
      if (op.until != INT64_MAX)
        opsets += std::to_string(op.until);
      std::string name = op.domain + "::" + op.name;
      name.resize(width + 2, ' ');
      llvm::outs() << op.frontend << "  " << name << llvm::formatv("{0,-9}", opsets) << op.limits
                   << '\n';
    }
    return llvm::Error::success();
  }

private:
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeOpsCommand(CLI::App &parent) {
  return std::make_unique<OpsCommand>(parent);
}

} // namespace dynac::tool
