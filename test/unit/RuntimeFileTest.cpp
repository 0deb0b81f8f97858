//===- RuntimeFileTest.cpp - artifacts in files: weights, truncation --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace dynac::test;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// 64 unused bytes, then w = {1, 2, 3, 4}.
std::string weightRegion() {
  std::string region(80, '\0');
  const float w[] = {1, 2, 3, 4};
  std::memcpy(region.data() + 64, w, sizeof(w));
  return region;
}

class RuntimeFile : public testing::Test {
protected:
  RuntimeFile()
      : folder(std::filesystem::temp_directory_path() /
               ("dynac-file-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~RuntimeFile() override { std::filesystem::remove_all(folder); }

  /// A new name each time: the dynamic linker keeps what it has seen.
  std::string write(const std::string &bytes) {
    const std::string path = folder / ("m" + std::to_string(++files) + ".so");
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  /// The sample with its weights and trailer.
  std::string complete() {
    std::string bytes = readFile(RUNTIME_SAMPLE);
    bytes.resize((bytes.size() + 4095) / 4096 * 4096);
    trailer = {};
    trailer.magic = DYNAC_ABI_MAGIC;
    trailer.weights_offset = bytes.size();
    trailer.weights_bytes = 80;
    trailer.ir_hash = 42;
    bytes += weightRegion();
    bytes.resize(bytes.size() + 48); // the trailer need not follow at once
    trailer.file_bytes = bytes.size() + sizeof(trailer);
    bytes.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
    return bytes;
  }
  std::string withTrailer(const std::string &bytes) {
    std::string changed = bytes;
    std::memcpy(&changed[changed.size() - sizeof(trailer)], &trailer, sizeof(trailer));
    return changed;
  }

  std::string load(const std::string &path) {
    dynac_model_t *model = nullptr;
    std::string message = takeCoded(dynac_model_load(path.c_str(), nullptr, &model));
    dynac_model_free(model);
    return message;
  }

  void expectRuns(const std::string &path) {
    dynac_model_t *model = nullptr;
    dynac_context_t *context = nullptr;
    ASSERT_EQ(take(dynac_model_load(path.c_str(), nullptr, &model)), "");
    ASSERT_EQ(take(dynac_context_create(model, &context)), "");
    EXPECT_EQ(reinterpret_cast<uintptr_t>(dynac_model_weights(model)) % 64, 0u);
    dynac_model_free(model); // the context keeps code and weights
    Array<float> x({4}, 10);
    dynac_value_t in = x.value(), out = {};
    ASSERT_EQ(take(dynac_context_run(context, &in, 1, &out, 1)), "");
    EXPECT_EQ(elements<float>(out), (std::vector<float>{10, 20, 30, 40}));
    dynac_context_free(context);
  }

  std::filesystem::path folder;
  dynac_trailer_t trailer = {};
  int files = 0;
};

} // namespace

TEST_F(RuntimeFile, RunsFromTheFile) {
  expectRuns(write(complete()));
  const std::string path = write(complete()), before = std::filesystem::current_path();
  std::filesystem::current_path(folder); // a name without a slash is a file here, not a library
  expectRuns(std::filesystem::path(path).filename());
  std::filesystem::current_path(before);
}

TEST_F(RuntimeFile, NoSuchFile) {
  const std::string path = folder / "none.so";
  EXPECT_EQ(load(path), "7: cannot open artifact \"" + path + "\": No such file or directory");
  EXPECT_EQ(load(folder), "7: cannot open artifact \"" + folder.string() + "\": not a file");
}

TEST_F(RuntimeFile, NoArtifact) {
  const std::string text =
      write("just some text that is long enough to hold an ELF header if it were one");
  EXPECT_EQ(load(text), "8: \"" + text + "\" is not a dynac artifact: it is no ELF shared library");
  const std::string empty = write("");
  EXPECT_EQ(load(empty),
            "8: \"" + empty + "\" is not a dynac artifact: it is no ELF shared library");
  const std::string other = write(readFile(RUNTIME_OTHER));
  EXPECT_EQ(load(other),
            "8: \"" + other +
                "\" is not a dynac artifact: it is a shared library without the symbol "
                "dynac_artifact");
  std::string arm = complete();
  arm[18] = char(183); // e_machine: AArch64
  const std::string foreign = write(arm);
  EXPECT_EQ(load(foreign), "6: \"" + foreign +
                               "\" is for another processor (ELF machine 183, this one "
                               "is 62)");
}

TEST_F(RuntimeFile, TruncatedAnywhere) {
  const std::string whole = complete();
  for (size_t size :
       {whole.size() - 1, whole.size() - 64, whole.size() - 100, whole.size() - 300,
        whole.size() / 2, whole.size() / 3, size_t(4096), size_t(200), size_t(64), size_t(20)}) {
    const std::string message = load(write(whole.substr(0, size)));
    EXPECT_EQ(message.substr(0, 3), "8: ") << size << ": " << message;
  }
  const std::string path = write(whole + "x");
  EXPECT_EQ(load(path),
            "8: \"" + path +
                "\" is truncated or was modified: no weights trailer at the end of its " +
                std::to_string(whole.size() + 1) + " bytes");
}

TEST_F(RuntimeFile, WrongTrailer) {
  const std::string whole = complete();
  const dynac_trailer_t good = trailer;
  trailer.file_bytes += 4096;
  std::string path = write(withTrailer(whole));
  EXPECT_EQ(load(path), "8: \"" + path + "\" is truncated or was modified: it has " +
                            std::to_string(whole.size()) + " bytes, expected " +
                            std::to_string(trailer.file_bytes));
  trailer = good;
  trailer.ir_hash = 43;
  path = write(withTrailer(whole));
  EXPECT_EQ(load(path), "8: \"" + path +
                            "\" is damaged: its weights belong to another model (hash "
                            "000000000000002b, expected 000000000000002a)");
  for (const auto &[offset, bytes] : {std::pair<uint64_t, uint64_t>{good.weights_offset + 4096, 80},
                                      {good.weights_offset + 1, 80},
                                      {UINT64_MAX - 4095, 80},
                                      {good.weights_offset, 4096},
                                      {good.weights_offset, UINT64_MAX}}) {
    trailer = good;
    trailer.weights_offset = offset;
    trailer.weights_bytes = bytes;
    path = write(withTrailer(whole));
    EXPECT_EQ(load(path), "8: \"" + path + "\" is damaged: its weights (" + std::to_string(bytes) +
                              " bytes at " + std::to_string(offset) + ") are not in the file");
  }
}

TEST_F(RuntimeFile, ExternalWeights) {
  const std::string path = write(readFile(RUNTIME_EXTERNAL));
  const std::string weights = folder / "sample.safetensors";
  EXPECT_EQ(load(path),
            "7: cannot open weights file \"" + weights + "\": No such file or directory");
  std::string header = R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[64,80]}})";
  header.resize(120, ' ');
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char *>(&length), 8);
  bytes += header + weightRegion();
  std::ofstream(weights, std::ios::binary) << bytes;
  expectRuns(path);
  std::ofstream(weights, std::ios::binary) << bytes.substr(0, bytes.size() - 4);
  EXPECT_EQ(load(path),
            "8: \"" + weights + "\" holds 76 bytes of weights, \"" + path + "\" needs 80");
  std::ofstream(weights, std::ios::binary) << "{}";
  EXPECT_EQ(load(path), "8: \"" + weights + "\" is not a weights file that dynac wrote");
}
