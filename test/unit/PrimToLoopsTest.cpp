//===- PrimToLoopsTest.cpp - each primitive computes what it says ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the cases in kernels/*.txt, each compiled as one kernel the generic way. A case:
//
//   case NAME
//   (%x: tensor<2xf32>) -> tensor<2xf32>      the kernel's signature, on one line
//   %r0 = prim.neg %x : tensor<2xf32>         its ops; %r0, %r1, ... are the results
//   with N=3                                  values of symbols (optional)
//   in 1 2                                    elements of each operand, row-major
//   out -1 -2                                 expected elements of each result; `_` matches
//   anything tolerance 1e-3                            relative beyond 1, absolute below (optional,
//   else 2e-6) fails MESSAGE                             the run has to end with this error instead
//   (optional) emits TEXT                                the optimised LLVM IR for AVX-512 has TEXT
//   (optional)
//
// `3*7` in a list of elements means 7 7 7. Several groups of with, in and out run the same kernel.
//
//===----------------------------------------------------------------------===//

#include "RegionHarness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace dynac;
using namespace dynac::test;
using llvm::StringRef;

namespace {

struct KernelRun {
  SymbolValues symbols;
  std::vector<Numbers> inputs, outputs;
  std::string message;
};

struct Case {
  std::string name, signature, body;
  std::vector<KernelRun> runs;
  long double tolerance = 2e-6L;
  std::vector<std::string> texts;
  const char *file = "";
  int line = 0;
};

/// Stands for "anything" among expected elements.
const long double anything = 12345678987654321.0L;

Numbers parseNumbers(StringRef text) {
  Numbers numbers;
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    unsigned count = 1;
    if (size_t star = word.find('*'); star != StringRef::npos) {
      word.take_front(star).getAsInteger(10, count);
      word = word.drop_front(star + 1);
    }
    numbers.insert(numbers.end(), count,
                   word == "_" ? anything : std::strtold(word.str().c_str(), nullptr));
  }
  return numbers;
}

/// `@f SIGNATURE { BODY; return %r0, %r1, ... }`, one result per type after the arrow.
std::string functionText(const Case &test) {
  StringRef results = StringRef(test.signature).split("->").second.trim();
  if (results.consume_front("("))
    results = results.rtrim(')');
  int depth = 0, count = 1;
  for (char c : results) {
    depth += (c == '<') - (c == '>');
    count += c == ',' && depth == 0;
  }
  std::string names;
  for (int i = 0; i < count; ++i)
    names += (i ? ", %r" : "%r") + std::to_string(i);
  return "func.func @f" + test.signature + " {\n" + test.body + "return " + names + " : " +
         results.str() + "\n}";
}

std::vector<Case> parseCases(const char *file, StringRef text) {
  std::vector<Case> cases;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  auto run = [&](bool fresh) -> KernelRun & {
    std::vector<KernelRun> &runs = cases.back().runs;
    if (runs.empty() || (fresh && (!runs.back().outputs.empty() || !runs.back().message.empty())))
      runs.emplace_back();
    return runs.back();
  };
  for (auto [number, raw] : llvm::enumerate(lines)) {
    StringRef line = raw.trim();
    if (line.empty() || line.starts_with("//"))
      continue;
    auto [keyword, rest] = line.split(' ');
    if (keyword == "case") {
      cases.emplace_back();
      cases.back().name = rest.str();
      cases.back().file = file;
      cases.back().line = number + 1;
    } else if (line.starts_with("(")) {
      cases.back().signature = line.str();
    } else if (keyword == "with") {
      llvm::SmallVector<StringRef> words;
      rest.split(words, ' ', -1, false);
      for (StringRef word : words)
        word.split('=').second.getAsInteger(10, run(true).symbols[word.split('=').first.str()]);
    } else if (keyword == "in") {
      run(true).inputs.push_back(parseNumbers(rest));
    } else if (keyword == "out") {
      run(false).outputs.push_back(parseNumbers(rest));
    } else if (keyword == "fails") {
      run(false).message = rest.str();
    } else if (keyword == "tolerance") {
      cases.back().tolerance = std::strtold(rest.str().c_str(), nullptr);
    } else if (keyword == "emits") {
      cases.back().texts.push_back(rest.str());
    } else {
      cases.back().body += line.str() + "\n";
    }
  }
  return cases;
}

void expectClose(const Numbers &got, const Numbers &expected, long double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool equal =
        expected[i] == anything || got[i] == expected[i] ||
        (std::isnan(got[i]) && std::isnan(expected[i])) ||
        std::fabs(got[i] - expected[i]) <= tolerance * std::max(1.0L, std::fabs(expected[i]));
    EXPECT_TRUE(equal) << "element " << i << ": got " << double(got[i]) << ", expected "
                       << double(expected[i]);
  }
}

class KernelCase : public testing::Test {
public:
  explicit KernelCase(const Case &test) : test(test) {}
  void TestBody() override {
    testing::ScopedTrace trace(test.file, test.line, test.name);
    RegionKernel kernel(context, functionText(test));
    if (!kernel)
      return;
    const cpu::Isa &isa = cpu::isaFor(cpu::hostCpuLevel());
    for (const KernelRun &run : test.runs)
      for (int pieces : {1, 3}) {
        int32_t status = 0;
        std::vector<Numbers> outputs = kernel.run(isa, run.inputs, run.symbols, pieces, &status);
        if (!run.message.empty()) {
          ASSERT_GT(status, 0) << "expected: " << run.message;
          EXPECT_EQ(kernel.messages[status - 1], run.message);
          continue;
        }
        EXPECT_EQ(status, 0);
        ASSERT_EQ(outputs.size(), run.outputs.size());
        for (size_t i = 0; i < outputs.size(); ++i)
          expectClose(outputs[i], run.outputs[i], test.tolerance);
      }
    if (test.texts.empty())
      return;
    auto module = kernel.emit(cpu::isaFor(DYNAC_CPU_V4));
    auto text = cpu::lowerToText(*module, cpu::KernelText::OptimizedLLVMIR);
    for (const std::string &wanted : test.texts)
      EXPECT_NE(text->find(wanted), std::string::npos) << "no `" << wanted << "` in\n" << *text;
  }

private:
  Case test;
  mlir::MLIRContext context;
};

/// The cases of all files, in the files' order.
const std::vector<Case> &allCases() {
  static const std::vector<Case> *cases = [] {
    auto *all = new std::vector<Case>;
    std::set<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator i(DYNAC_KERNEL_CASES, error), end; i != end && !error;
         i.increment(error))
      if (StringRef(i->path()).ends_with(".txt"))
        files.insert(i->path());
    for (const std::string &file : files)
      if (auto buffer = llvm::MemoryBuffer::getFile(file))
        for (Case &test : parseCases(strdup(file.c_str()), (*buffer)->getBuffer()))
          all->push_back(std::move(test));
    return all;
  }();
  return *cases;
}

} // namespace

/// Every primitive that a kernel may hold occurs in some case.
TEST(PrimToLoops, EveryPrimitiveHasACase) {
  mlir::MLIRContext context;
  context.loadDialect<prim::PrimDialect>();
  std::string text;
  for (const Case &test : allCases())
    text += test.body;
  // Not a kernel's business: control flow, calls, weights (they are operands), and composites
  // (inlined).
  const std::set<std::string> structural = {"prim.assert",      "prim.bind_dim", "prim.composite",
                                            "prim.custom_call", "prim.if",       "prim.region",
                                            "prim.weight",      "prim.while",    "prim.yield"};
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef op = name.getStringRef();
    if (op.starts_with("prim.") && !structural.count(op.str())) {
      EXPECT_NE(text.find((op + " ").str()), std::string::npos)
          << op.str() << " has no case in kernels/";
    }
  }
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const Case &test : allCases()) {
    std::string suite = "Kernels_" + llvm::sys::path::stem(test.file).str();
    testing::RegisterTest(suite.c_str(), test.name.c_str(), nullptr, nullptr, test.file, test.line,
                          [test]() -> testing::Test * { return new KernelCase(test); });
  }
  return RUN_ALL_TESTS();
}
