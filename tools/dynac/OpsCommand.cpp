//===- OpsCommand.cpp - dynac ops -----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "dynac/Driver/SupportTable.h"
#include "llvm/ADT/StringExtras.h"
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
    if (json)
      printJson([&](llvm::json::OStream &os) {
        os.attributeArray("operators", [&] {
          for (const SupportedOperator &op : operators)
            os.object([&] { printOperator(os, op); });
        });
      });
    else
      printText(operators);
    return llvm::Error::success();
  }

private:
  static void printOperator(llvm::json::OStream &os, const SupportedOperator &op) {
    os.attribute("frontend", op.frontend);
    os.attribute("domain", op.domain);
    os.attribute("operator", op.name);
    os.attribute("since", op.since);
    os.attribute("until", op.until);
    os.attributeObject("types", [&] {
      for (const SupportedTypes &variable : op.types)
        os.attribute(variable.name, llvm::json::Array(variable.types));
    });
    os.attribute("operands", llvm::json::Array(op.operands));
    os.attributeObject("attributes", [&] {
      for (const auto &[attribute, variable] : op.attributes)
        os.attribute(attribute, variable);
    });
    os.attribute("limits", llvm::json::Array(op.limits));
  }

  static void printText(llvm::ArrayRef<SupportedOperator> operators) {
    llvm::outs() << "Operators, their opsets, the element types of their type variables, and what "
                    "of them is not supported.\n";
    for (const auto &[name, types] : elementTypeSets())
      llvm::outs() << llvm::formatv("  {0,-7} {1}\n", name, types);
    size_t width = 8;
    for (const SupportedOperator &op : operators)
      width = std::max(width, op.domain.size() + 2 + op.name.size());
    for (const SupportedOperator &op : operators) {
      std::string name = op.domain + "::" + op.name;
      name.resize(width + 2, ' ');
      std::string opsets = std::to_string(op.since) + ".." + std::to_string(op.until);
      llvm::outs() << op.frontend << "  " << name << llvm::formatv("{0,-7}", opsets);
      for (const SupportedTypes &variable : op.types)
        llvm::outs() << ' ' << variable.name << '=' << variable.set;
      if (!op.limits.empty())
        llvm::outs() << "; not: " << llvm::join(op.limits, "; ");
      llvm::outs() << '\n';
    }
  }

  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeOpsCommand(CLI::App &parent) {
  return std::make_unique<OpsCommand>(parent);
}

} // namespace dynac::tool
