//===- OnnxReaderExternalTest.cpp - ONNX weights in other files -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModelBuilder.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace dynac::onnx;
using namespace dynac::onnx::testing;
namespace stdfs = std::filesystem;

namespace {

class OnnxExternal : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (stdfs::temp_directory_path() / "dynac-onnx-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { stdfs::remove_all(folder); }

  void write(const stdfs::path &name, const std::string &content) {
    stdfs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
  }

  /// The model x + w with w in another file.
  pb::ModelProto externalModel(std::string location, const char *offset = nullptr,
                               const char *length = nullptr) {
    pb::ModelProto model = addModel();
    pb::TensorProto &weight = *model.mutable_graph()->mutable_initializer(0);
    weight.clear_raw_data();
    weight.set_data_location(pb::TensorProto::EXTERNAL);
    auto add = [&](const char *key, const std::string &value) {
      weight.add_external_data()->set_key(key);
      weight.mutable_external_data()->rbegin()->set_value(value);
    };
    add("location", location);
    if (offset)
      add("offset", offset);
    if (length)
      add("length", length);
    return model;
  }

  std::string errorOf(const pb::ModelProto &model) {
    std::string error = parse(model, {}, folder.string())->error;
    size_t at = error.find(folder.string());
    if (at != std::string::npos)
      error.replace(at, folder.string().size(), "DIR");
    return error;
  }

  std::unique_ptr<Loaded> load(const stdfs::path &path, const ReadOptions &options = {}) {
    auto loaded = std::make_unique<Loaded>();
    auto model = loadOnnx(path.string(), options);
    if (model)
      loaded->model = std::move(*model);
    else
      loaded->error = describe(model.takeError());
    return loaded;
  }

  stdfs::path folder;
  const std::string where = "m.onnx: initializer 'w': ";
};

} // namespace

TEST_F(OnnxExternal, MapsTheFileOnce) {
  write("m.data", "0123456789abcdef");
  pb::ModelProto model = externalModel("m.data", "4", "8");
  pb::TensorProto second = model.graph().initializer(0);
  second.set_name("v");
  second.mutable_external_data(1)->set_value("8");
  *model.mutable_graph()->add_initializer() = second;
  write("m.onnx", model.SerializeAsString());
  auto loaded = load(folder / "m.onnx");
  ASSERT_EQ(loaded->error, "");
  const TensorData *weight = loaded->model->graph.initializer("w");
  EXPECT_EQ(std::string(weight->bytes.data(), weight->bytes.size()), "456789ab");
  EXPECT_EQ(weight->location, DataLocation::ExternalFile);
  EXPECT_EQ(weight->offset, 4u);
  EXPECT_EQ(loaded->model->files.size(), 2u);
  EXPECT_EQ(loaded->model->files[weight->file].path, (folder / "m.data").string());
}

TEST_F(OnnxExternal, FindsTheFolderOfARelativePath) {
  write("sub/w.bin", "01234567");
  write("m.onnx", externalModel("sub/w.bin").SerializeAsString());
  stdfs::path before = stdfs::current_path();
  stdfs::current_path(folder);
  EXPECT_EQ(load("m.onnx")->error, "");
  stdfs::current_path(before);
}

TEST_F(OnnxExternal, FollowsLinksIntoAContentAddressedCache) {
  // The model and its data are links; the files have other names, in one other folder.
  write("blobs/1111", externalModel("m.data").SerializeAsString());
  write("blobs/2222", "01234567");
  stdfs::create_directories(folder / "snapshot");
  stdfs::create_symlink("../blobs/1111", folder / "snapshot/m.onnx");
  stdfs::create_symlink("../blobs/2222", folder / "snapshot/m.data");
  auto loaded = load(folder / "snapshot/m.onnx");
  EXPECT_EQ(loaded->error, "");
}

TEST_F(OnnxExternal, RefusesLinksOutOfTheFolder) {
  write("elsewhere/secret", "01234567");
  write("models/m.onnx", externalModel("m.data").SerializeAsString());
  stdfs::create_symlink("../elsewhere/secret", folder / "models/m.data");
  std::string path = (folder / "models/m.onnx").string();
  EXPECT_EQ(load(path)->error,
            "3: " + path +
                ": initializer 'w': external data location 'm.data' is a link out of "
                "the model's folder, to " +
                stdfs::canonical(folder / "elsewhere/secret").string());
  ReadOptions options;
  options.trustedRoots.push_back((folder / "elsewhere").string());
  EXPECT_EQ(load(path, options)->error, "");
}

TEST_F(OnnxExternal, RefusesBadLocations) {
  write("w", "01234567");
  EXPECT_EQ(errorOf(externalModel("")), "3: " + where + "external_data has no location");
  EXPECT_EQ(errorOf(externalModel("/etc/passwd")),
            "3: " + where + "external data location '/etc/passwd' is no relative path");
  EXPECT_EQ(errorOf(externalModel("a/../w")),
            "3: " + where + "external data location 'a/../w' leaves the model's folder");
  EXPECT_EQ(errorOf(externalModel(std::string("w\0x", 3))),
            "3: " + where + "external data location 'w\\x00x' is no relative path");
  EXPECT_EQ(errorOf(externalModel("*/_ORT_MEM_ADDR_/*", "94000", "8")),
            "3: " + where +
                "the elements are in memory of the program that wrote the model "
                "(location '*/_ORT_MEM_ADDR_/*'); save it with its weights");
  EXPECT_EQ(errorOf(externalModel("gone.bin")),
            "7: " + where + "external data file DIR/gone.bin: No such file or directory");
  stdfs::create_directory(folder / "dir");
  EXPECT_EQ(errorOf(externalModel("dir")),
            "7: " + where + "external data file DIR/dir: is a directory, expected a regular file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(
      errorOf(externalModel("pipe")),
      "7: " + where +
          "external data file DIR/pipe: is a pipe, socket or device, expected a regular file");
  EXPECT_EQ(parse(externalModel("w"))->error,
            "7: " + where + "external data 'w' cannot be found: the model has no folder");
}

TEST_F(OnnxExternal, ChecksOffsetAndLength) {
  write("w", "01234567");
  EXPECT_EQ(errorOf(externalModel("w", "0", "8")), "");
  EXPECT_EQ(errorOf(externalModel("w", "1")), "3: " + where +
                                                  "external data 'w' has 8 bytes, but "
                                                  "8 at offset 1 are needed");
  EXPECT_EQ(errorOf(externalModel("w", "18446744073709551615")),
            "3: " + where +
                "external data 'w' has 8 bytes, but 8 at offset 18446744073709551615 are needed");
  EXPECT_EQ(errorOf(externalModel("w", "18446744073709551616")),
            "3: " + where +
                "external data offset is '18446744073709551616', expected a "
                "non-negative number");
  EXPECT_EQ(errorOf(externalModel("w", "-1")),
            "3: " + where + "external data offset is '-1', expected a non-negative number");
  EXPECT_EQ(errorOf(externalModel("w", "0", "7")),
            "3: " + where + "external data has 7 bytes, expected 8 (FLOAT [2])");
  EXPECT_EQ(errorOf(externalModel("w", "0", "x")),
            "3: " + where + "external data length is 'x', expected a non-negative number");
  pb::ModelProto model = externalModel("w");
  model.mutable_graph()->mutable_initializer(0)->set_data_type(pb::TensorProto::STRING);
  EXPECT_EQ(errorOf(model), "3: " + where + "STRING elements cannot be external data");
}

TEST_F(OnnxExternal, AcceptsEmptyFilesWithoutElements) {
  write("w", "");
  pb::ModelProto model = externalModel("w", "0", "0");
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, 0);
  EXPECT_EQ(errorOf(model), "");
}

TEST_F(OnnxExternal, CanBeSkipped) {
  ReadOptions options;
  options.skipExternalData = true;
  auto loaded = parse(externalModel("gone"), options);
  ASSERT_EQ(loaded->error, "");
  const TensorData &weight = loaded->model->graph.initializers[0];
  EXPECT_EQ(weight.location, DataLocation::Skipped);
  EXPECT_EQ(weight.externalLocation, "gone");
  EXPECT_TRUE(weight.bytes.empty());
}

// Protobuf itself refuses messages of 2 GiB. The file is sparse: its size on disk is a few pages.
TEST_F(OnnxExternal, ReadsModelsAboveTwoGigabytes) {
  uint64_t elements = (uint64_t(5) << 30) / 4;
  pb::ModelProto model = addModel();
  pb::GraphProto &graph = *model.mutable_graph();
  graph.clear_initializer();
  std::string head = model.SerializeAsString();
  // A second `graph` field is merged with the first: initializer 5 {dims, data_type, name, raw}.
  auto varint = [](uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7)
      out += static_cast<char>(value | 0x80);
    return out + static_cast<char>(value);
  };
  std::string fields =
      "\x08" + varint(elements) + std::string("\x10\x01\x42\x01w\x4a", 6) + varint(4 * elements);
  std::string tensor = "\x2a" + varint(fields.size() + 4 * elements) + fields;
  std::string start = head + "\x3a" + varint(tensor.size() + 4 * elements) + tensor;
  write("big.onnx", start);
  stdfs::path path = folder / "big.onnx";
  std::error_code code;
  stdfs::resize_file(path, start.size() + 4 * elements, code);
  struct stat info;
  if (code || ::stat(path.c_str(), &info) != 0 || info.st_blocks > 1000)
    GTEST_SKIP() << "the file system has no sparse files of 5 GiB";
  auto loaded = load(path);
  ASSERT_EQ(loaded->error, "");
  const TensorData &weight = loaded->model->graph.initializers[0];
  EXPECT_EQ(weight.bytes.size(), 4 * elements);
  EXPECT_EQ(weight.offset, start.size());
  EXPECT_EQ(weight.bytes.back(), 0);
}
