//===- RuntimeFileTest.cpp - artifacts in files: weights, truncation --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

#include <algorithm>
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

/// Unused bytes, then w = {1, 2, 3, 4}.
std::string weightRegion(size_t bytes = 80) {
  std::string region(bytes, '\0');
  const float w[] = {1, 2, 3, 4};
  std::memcpy(region.data() + bytes - sizeof(w), w, sizeof(w));
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
  std::string complete(const char *sample = RUNTIME_SAMPLE, size_t weightBytes = 80) {
    std::string bytes = readFile(sample);
    bytes.resize((bytes.size() + 4095) / 4096 * 4096);
    trailer = {};
    trailer.magic = DYNAC_ABI_MAGIC;
    trailer.weights_offset = bytes.size();
    trailer.weights_bytes = weightBytes;
    trailer.ir_hash = 42;
    bytes += weightRegion(weightBytes);
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

// Where the kernel has huge pages, these weights are a copy.
TEST_F(RuntimeFile, MoreWeightsThanAHugePage) {
  const std::string path = write(complete(RUNTIME_LARGE, RUNTIME_LARGE_BYTES));
  expectRuns(path);
  dynac_model_t *model = nullptr;
  ASSERT_EQ(take(dynac_model_load(path.c_str(), nullptr, &model)), "");
  const std::string region = weightRegion(RUNTIME_LARGE_BYTES);
  EXPECT_EQ(std::memcmp(dynac_model_weights(model), region.data(), region.size()), 0);
  dynac_model_free(model);
}

// data/abi-N.so is what a compiler of ABI N made of relu(x * {{1, -1}, {2, 0.5}, {3, 0}} + {1, -2})
// with x f32[n, 3] (x86-64-v3). A file is added with each ABI and never made again: what users keep
// has to run.
TEST_F(RuntimeFile, ArtifactsOfEveryAbi) {
  for (uint32_t abi = 1; abi <= dynac_abi_version(); ++abi) {
    const std::string path = RUNTIME_DATA "/abi-" + std::to_string(abi) + ".so";
    dynac_model_t *model = nullptr;
    dynac_status_t *status = dynac_model_load(path.c_str(), nullptr, &model);
    if (dynac_status_code(status) == DYNAC_DEVICE) {
      dynac_status_free(status);
      GTEST_SKIP() << "this CPU has no AVX2";
    }
    ASSERT_EQ(take(status), "");
    EXPECT_EQ(dynac_model_artifact(model)->abi, abi);
    dynac_context_t *context = nullptr;
    ASSERT_EQ(take(dynac_context_create(model, &context)), "");
    for (int64_t n : {1, 2, 40}) {
      Array<float> x({n, 3}, 0, 1);
      dynac_value_t in = x.value(), out = {};
      ASSERT_EQ(take(dynac_context_run(context, &in, 1, &out, 1)), "");
      std::vector<float> expected;
      for (int64_t i = 0; i < n; ++i) {
        const float *row = &x.data[size_t(i * 3)];
        expected.push_back(std::max(row[0] + 2 * row[1] + 3 * row[2] + 1, 0.f));
        expected.push_back(std::max(-row[0] + row[1] / 2 - 2, 0.f));
      }
      EXPECT_EQ(elements<float>(out), expected) << n;
    }
    dynac_context_free(context);
    dynac_model_free(model);
  }
}

TEST_F(RuntimeFile, SeveralInOneProcess) {
  // Each exports the same symbol.
  const std::string paths[] = {write(complete()), write(complete())};
  dynac_model_t *models[3] = {};
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(take(dynac_model_load(paths[i].c_str(), nullptr, &models[i])), "");
  EXPECT_NE(dynac_model_artifact(models[0]), dynac_model_artifact(models[1]));
  EXPECT_NE(dynac_model_weights(models[0]), dynac_model_weights(models[1]));
  dynac_status_t *status = dynac_model_load(RUNTIME_DATA "/abi-1.so", nullptr, &models[2]);
  if (dynac_status_code(status) != DYNAC_DEVICE) {
    ASSERT_EQ(take(status), "");
    EXPECT_STREQ(dynac_model_artifact(models[2])->name, "abi-1");
  } else {
    dynac_status_free(status);
  }
  dynac_model_free(models[0]); // the others stay
  EXPECT_STREQ(dynac_model_artifact(models[1])->name, "sample");
  expectRuns(paths[1]);
  dynac_model_free(models[1]);
  dynac_model_free(models[2]);
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
