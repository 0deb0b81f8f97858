//===- SupportTest.cpp - diagnostics and mapped files ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/MappedFile.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace dynac;

TEST(Diagnostic, IsOneLineWithTheExitCode) {
  std::string text;
  llvm::raw_string_ostream os(text);
  EXPECT_EQ(reportError(os, invalidModel("{0}: node '{1}'", "a.onnx", "x\ny\x01")), 3);
  EXPECT_EQ(text, "dynac: error: a.onnx: node 'x\\ny\\x01'\n");
  EXPECT_EQ(reportError(os, llvm::Error::success()), 0);
}

TEST(Diagnostic, KeepsJoinedErrorsInOrder) {
  llvm::Error both = llvm::joinErrors(unsupported("first"), ioError("second {0}", 2));
  std::vector<Diagnostic> all = takeDiagnostics(std::move(both));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].code, ExitCode::Unsupported);
  EXPECT_EQ(all[1].message, "second 2");
  llvm::Error foreign = llvm::createStringError(llvm::inconvertibleErrorCode(), "other");
  EXPECT_EQ(takeDiagnostics(std::move(foreign))[0].code, ExitCode::System);
}

TEST(Diagnostic, ShowsNamesFromFiles) {
  EXPECT_EQ(printable("a\\b\tc\x7f"), "a\\\\b\\tc\\x7f");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("\xc3\xa9"), "\xc3\xa9");
}

TEST(MappedFile, MapsRegularFilesOnly) {
  std::string path = (std::filesystem::temp_directory_path() / "dynac-mapped-XXXXXX").string();
  ASSERT_NE(::mkdtemp(path.data()), nullptr);
  std::string file = path + "/f";
  std::ofstream(file) << "abc";
  auto mapped = MappedFile::open(file);
  ASSERT_TRUE(static_cast<bool>(mapped));
  EXPECT_EQ(std::string((*mapped)->bytes().begin(), (*mapped)->bytes().end()), "abc");
  std::ofstream(file + "2");
  auto empty = MappedFile::open(file + "2");
  ASSERT_TRUE(static_cast<bool>(empty));
  EXPECT_TRUE((*empty)->bytes().empty());
  auto folder = MappedFile::open(path);
  ASSERT_FALSE(static_cast<bool>(folder));
  EXPECT_EQ(llvm::toString(folder.takeError()), path + ": is a directory, expected a regular file");
  auto device = MappedFile::open("/dev/null");
  ASSERT_FALSE(static_cast<bool>(device));
  EXPECT_EQ(llvm::toString(device.takeError()),
            "/dev/null: is a pipe, socket or device, expected a regular file");
  std::filesystem::remove_all(path);
}
