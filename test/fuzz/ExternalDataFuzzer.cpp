//===- ExternalDataFuzzer.cpp - models with elements in other files -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input chooses locations, offsets, lengths, types and shapes of tensors
// of a model in a folder with files, links and a pipe. What is read lies in
// the model's folder, whatever the location says.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"

#include "onnx-ml.pb.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace dynac::onnx;
namespace pb = dynac::onnxpb;
namespace fs = std::filesystem;

/// No element may be this byte: it is what lies outside.
static constexpr char secret = 'S';

static TemporaryFolder &folder() {
  static TemporaryFolder instance = [] {
    TemporaryFolder made;
    auto write = [&](const char *name, const std::string &content) {
      fs::create_directories((made.path / name).parent_path());
      std::ofstream(made.path / name, std::ios::binary) << content;
    };
    write("outside/secret", std::string(64, secret));
    write("model.beside/secret", std::string(64, secret)); // the folder's name goes on
    write("model/w.bin", std::string(64, 'w'));
    write("model/empty", "");
    write("model/sub/v.bin", std::string(16, 'v'));
    const std::pair<const char *, fs::path> links[] = {{"link", "w.bin"},
                                                       {"out", "../outside/secret"},
                                                       {"outdir", "../outside"},
                                                       {"beside", "../model.beside/secret"},
                                                       {"up", ".."},
                                                       {"loop", "loop"},
                                                       {"gone", "nothing"},
                                                       {"absolute", made.path / "outside/secret"},
                                                       {"self", "sub/../../model"}};
    for (const auto &[name, target] : links)
      fs::create_symlink(target, made.path / "model" / name);
    mkfifo((made.path / "model/pipe").c_str(), 0600);
    return made;
  }();
  return instance;
}

static std::string location(FuzzedDataProvider &data) {
  static const std::string words[] = {"w.bin",
                                      "empty",
                                      "sub",
                                      "v.bin",
                                      "link",
                                      "out",
                                      "outdir",
                                      "secret",
                                      "beside",
                                      "up",
                                      "loop",
                                      "gone",
                                      "pipe",
                                      "self",
                                      "..",
                                      ".",
                                      "model",
                                      "",
                                      "absolute",
                                      "/",
                                      "outside",
                                      "model.beside",
                                      std::string("\0", 1),
                                      "\\",
                                      "*/_ORT_MEM_ADDR_/*"};
  std::string result;
  for (size_t parts = data.ConsumeIntegralInRange(0, 5); parts > 0; --parts) {
    result += data.ConsumeIntegralInRange(0, 9) == 0 ? data.ConsumeRandomLengthString(8)
                                                     : data.PickValueInArray(words);
    if (parts > 1 && data.ConsumeIntegralInRange(0, 7) != 0)
      result += '/';
  }
  if (data.ConsumeIntegralInRange(0, 15) == 0)
    result = folder().path / result;
  return result;
}

static std::string number(FuzzedDataProvider &data) {
  switch (data.ConsumeIntegralInRange(0, 3)) {
  case 0:
    return data.ConsumeRandomLengthString(24);
  case 1:
    return std::to_string(data.ConsumeIntegral<uint64_t>());
  default:
    return std::to_string(data.ConsumeIntegralInRange(-1, 66));
  }
}

static void fill(pb::TensorProto &tensor, FuzzedDataProvider &data) {
  tensor.set_name("t" + std::to_string(data.remaining_bytes()));
  tensor.set_data_type(data.ConsumeBool() ? 1 : data.ConsumeIntegralInRange(0, 30));
  for (size_t rank = data.ConsumeIntegralInRange(0, 3); rank > 0; --rank)
    tensor.add_dims(data.ConsumeIntegralInRange(0, 7) == 0 ? data.ConsumeIntegral<int64_t>()
                                                           : data.ConsumeIntegralInRange(0, 8));
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  for (size_t entries = data.ConsumeIntegralInRange(0, 5); entries > 0; --entries) {
    pb::StringStringEntryProto &entry = *tensor.add_external_data();
    static const char *const keys[] = {"location", "offset", "length", "checksum"};
    entry.set_key(data.PickValueInArray(keys));
    entry.set_value(entry.key() == "location" ? location(data) : number(data));
  }
}

static void checkTensor(const OnnxModel &model, const TensorData &tensor) {
  for (char byte : tensor.bytes)
    check(byte != secret);
  if (tensor.location != DataLocation::ExternalFile)
    return;
  llvm::ArrayRef<char> file = model.files[tensor.file].content->bytes();
  check(tensor.offset <= file.size() && tensor.bytes.size() <= file.size() - tensor.offset);
  check(tensor.bytes.data() == file.data() + tensor.offset);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  pb::ModelProto proto;
  proto.set_ir_version(10);
  proto.add_opset_import()->set_version(18);
  bool fromFile = data.ConsumeIntegralInRange(0, 7) == 0, throughLink = data.ConsumeBool();
  ReadOptions options;
  options.maxDenseBytes = 1 << 16;
  for (size_t count = data.ConsumeIntegralInRange(1, 3); count > 0; --count) {
    if (data.ConsumeIntegralInRange(0, 3) != 0) {
      fill(*proto.mutable_graph()->add_initializer(), data);
      continue;
    }
    pb::SparseTensorProto &sparse = *proto.mutable_graph()->add_sparse_initializer();
    fill(*sparse.mutable_values(), data);
    fill(*sparse.mutable_indices(), data);
    sparse.add_dims(data.ConsumeIntegralInRange(0, 64));
  }
  std::string model = proto.SerializeAsString();
  fs::path path = folder().path / "model/m.onnx";
  if (fromFile)
    std::ofstream(path, std::ios::binary) << model;
  if (throughLink)
    path = folder().path / "model/self/m.onnx";
  auto read = fromFile ? loadOnnx(path.string(), options)
                       : parseOnnx(llvm::ArrayRef<char>(model.data(), model.size()),
                                   path.parent_path().string(), options);
  if (!read) {
    std::vector<dynac::Diagnostic> all = dynac::takeDiagnostics(read.takeError());
    check(all.size() == 1 && all[0].message.find('\n') == std::string::npos);
    return 0;
  }
  std::error_code code;
  for (const SourceFile &file : llvm::drop_begin((*read)->files))
    check(fs::canonical(file.path, code).string().rfind((folder().path / "model/").string(), 0) ==
          0);
  for (const TensorData &tensor : (*read)->graph.initializers)
    checkTensor(**read, tensor);
  return 0;
}
