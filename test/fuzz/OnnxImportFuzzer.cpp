//===- OnnxImportFuzzer.cpp - any bytes to the import ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every input goes as far as `dynac compile --emit decompose`: it ends with a
// module that verifies, or with errors of one line each.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "WireMutator.h"

#include "dynac/Conversion/ModelToPrim.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Frontend/Onnx/Import.h"
#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace dynac;

/// LLVM's allocators mark their memory where their inline code is instrumented, and libMLIR's is
/// not.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

static const OpTable &table() {
  static const OpTable all = makeOnnxOpTable();
  return all;
}

static void checkError(llvm::Error error) {
  for (const Diagnostic &each : takeDiagnostics(std::move(error))) {
    check(!each.message.empty() && each.message.find('\n') == std::string::npos);
    check(each.code == ExitCode::InvalidModel || each.code == ExitCode::Unsupported ||
          each.code == ExitCode::System);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  onnx::ReadOptions options;
  options.maxDenseBytes = 1 << 16;
  options.maxInlinedNodes = 200;
  auto model =
      onnx::parseOnnx(llvm::ArrayRef(reinterpret_cast<const char *>(data), size), "", options);
  if (!model) {
    checkError(model.takeError());
    return 0;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      llvm::errs() << diagnostic.str() << '\n'; // seen if a check below fails
  });
  WeightStore weights;
  auto imported = onnx::importOnnx(**model, context, weights);
  if (!imported) {
    checkError(imported.takeError());
    return 0;
  }
  check(succeeded(mlir::verify(**imported)));
  auto lowered = lowerModelToPrim(**imported, table());
  if (!lowered) {
    checkError(lowered.takeError());
    return 0;
  }
  check(succeeded(mlir::verify(**lowered)));
  (*lowered)->print(llvm::nulls());
  return 0;
}

/// The operators: files name what the table knows.
llvm::ArrayRef<llvm::StringRef> fuzzWords() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> all;
    for (const OpRow *row : table().rows())
      all.push_back(row->opType);
    return all;
  }();
  return names;
}
