//===- OnnxScanFuzzer.cpp - any bytes to the wire scanner -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the scanner accepts keeps within its bounds: each span lies in the
// file, and if protobuf takes the file as it is, it takes the result too.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "WireMutator.h"

#include "Frontend/Onnx/WireScan.h"

#include "onnx-ml.pb.h"

using namespace dynac::onnx;

llvm::ArrayRef<llvm::StringRef> fuzzWords() { return {}; }

static void checkSpans(const dynac::onnxpb::TensorProto &tensor, size_t size) {
  check(tensor.dynac_spans_size() % 3 == 0);
  for (int i = 0; i < tensor.dynac_spans_size(); i += 3) {
    uint64_t offset = tensor.dynac_spans(i + 1), length = tensor.dynac_spans(i + 2);
    check(offset <= size && length <= size - offset);
  }
  check(!tensor.has_raw_data() && tensor.float_data_size() == 0 && tensor.int32_data_size() == 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(data), size);
  for (RootMessage root : {RootMessage::Model, RootMessage::Tensor}) {
    llvm::Expected<std::string> stripped = stripElements(bytes, root, "fuzz");
    if (!stripped) {
      llvm::consumeError(stripped.takeError());
      continue;
    }
    check(stripped->size() <= 32 * size + 64);
    if (root == RootMessage::Tensor) {
      dynac::onnxpb::TensorProto before, after;
      bool isValid = after.ParseFromString(*stripped);
      check(isValid || !before.ParseFromArray(data, static_cast<int>(size)));
      if (isValid)
        checkSpans(after, size);
      continue;
    }
    dynac::onnxpb::ModelProto before, after;
    bool isValid = after.ParseFromString(*stripped);
    check(isValid || !before.ParseFromArray(data, static_cast<int>(size)));
    if (isValid)
      for (const dynac::onnxpb::TensorProto &tensor : after.graph().initializer())
        checkSpans(tensor, size);
  }
  return 0;
}
