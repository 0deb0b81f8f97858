//===- PrimCompletenessTest.cpp - no primitive without its tests ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/Prim.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace dynac;

namespace {

/// The text of all files named by `suffix` in `folder`.
std::string textOf(llvm::StringRef folder, llvm::StringRef suffix) {
  std::string text;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(suffix))
      if (auto file = llvm::MemoryBuffer::getFile(it->path()))
        text += (*file)->getBuffer().str() + "\n";
  return text;
}

std::vector<std::string> primOps() {
  mlir::MLIRContext context;
  context.loadDialect<prim::PrimDialect>();
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "prim")
      names.push_back(name.getStringRef().str());
  return names;
}

/// Whether `text` holds `name` as a whole word.
bool mentions(llvm::StringRef text, llvm::StringRef name) {
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end == text.size() || !(llvm::isAlnum(text[end]) || text[end] == '_'))
      return true;
  }
  return false;
}

} // namespace

TEST(PrimCompleteness, EveryPrimitiveHasARoundTrip) {
  std::vector<std::string> names = primOps();
  EXPECT_GE(names.size(), 77u);
  std::string tests = textOf(DYNAC_PRIM_TESTS, ".mlir");
  for (const std::string &name : names)
    EXPECT_TRUE(mentions(tests, name)) << name << " is in no file of test/Dialect/Prim";
}

// One-line rows of a class mean what their names say; an op with a body of its own has a summary or
// a comment above it.
TEST(PrimCompleteness, EveryPrimitiveIsDescribed) {
  std::string definitions = textOf(DYNAC_PRIM_DEFINITIONS, ".td");
  for (const std::string &name : primOps()) {
    size_t at = definitions.find("\"" + name.substr(5) + "\"");
    ASSERT_NE(at, std::string::npos) << name;
    llvm::StringRef before = llvm::StringRef(definitions).take_front(at).rsplit('\n').first;
    llvm::StringRef above = before.rsplit('\n').second;
    llvm::StringRef rest = llvm::StringRef(definitions).substr(at);
    bool isRow = !rest.take_until([](char c) { return c == '\n'; }).ends_with("{");
    llvm::StringRef body = rest.take_until([](char c) { return c == '}'; });
    EXPECT_TRUE(isRow || above.starts_with("//") || body.contains("summary"))
        << name << " has no summary";
  }
}
