//===- OnnxReaderFuzzer.cpp - any bytes to the ONNX reader ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every input ends with a model whose tensors have the bytes that their types
// say, or with an error of one line.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "WireMutator.h"

#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"

using namespace dynac::onnx;

llvm::ArrayRef<llvm::StringRef> fuzzWords() { return {}; }

static unsigned sumOf(const TensorData &tensor) {
  unsigned sum = 0;
  if (tensor.location == DataLocation::Skipped)
    return sum;
  if (tensor.type == ElementType::String)
    check(tensor.strings.size() == tensor.numElements());
  else
    check(packedSize(tensor.type, tensor.numElements()) == tensor.bytes.size());
  for (char c : tensor.bytes)
    sum += static_cast<unsigned char>(c);
  return sum;
}

static unsigned walk(const Graph &graph) {
  unsigned sum = 0;
  for (const TensorData &tensor : graph.initializers)
    sum += sumOf(tensor);
  for (const Node &node : graph.nodes) {
    sum += node.describe().size();
    for (const Attribute &attribute : node.attributes) {
      check(attribute.refAttrName.empty());
      for (const TensorData &tensor : attribute.tensors)
        sum += sumOf(tensor);
      for (const Graph &inner : attribute.graphs)
        sum += walk(inner);
    }
  }
  return sum;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(data), size);
  ReadOptions options;
  options.maxDenseBytes = 1 << 16;
  options.maxInlinedNodes = 2000;
  options.skipExternalData = size % 2 == 0;
  llvm::Expected<std::unique_ptr<OnnxModel>> model = parseOnnx(bytes, "", options);
  if (!model) {
    std::vector<dynac::Diagnostic> all = dynac::takeDiagnostics(model.takeError());
    check(all.size() == 1 && all[0].message.find('\n') == std::string::npos);
    check(all[0].code == dynac::ExitCode::InvalidModel || all[0].code == dynac::ExitCode::System ||
          all[0].code == dynac::ExitCode::Unsupported);
    return 0;
  }
  volatile unsigned sink = walk((*model)->graph);
  (void)sink;
  return 0;
}
